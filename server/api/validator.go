package api

import (
	"fmt"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/reflect/protoreflect"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// newValidator compiles the rules of every request now: done at the first call it takes longer than a webhook's sender
// may be kept waiting.
func newValidator() (protovalidate.Validator, error) {
	var requests []protoreflect.MessageDescriptor
	for _, file := range []protoreflect.FileDescriptor{
		waybillv1.File_waybill_v1_ingest_service_proto,
		waybillv1.File_waybill_v1_tracking_service_proto,
		waybillv1.File_waybill_v1_work_service_proto,
		waybillv1.File_waybill_v1_provider_service_proto,
	} {
		for i := range file.Services().Len() {
			methods := file.Services().Get(i).Methods()
			for j := range methods.Len() {
				requests = append(requests, methods.Get(j).Input())
			}
		}
	}
	validator, err := protovalidate.New(protovalidate.WithMessageDescriptors(requests...))
	if err != nil {
		return nil, fmt.Errorf("rules of the schema: %w", err)
	}
	return validator, nil
}
