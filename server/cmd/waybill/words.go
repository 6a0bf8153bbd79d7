package main

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// What a flag's word means on the wire.
var (
	eventStates = byWord(waybillv1.EventState_EVENT_STATE_UNSPECIFIED)
	outcomes    = byWord(waybillv1.Outcome_OUTCOME_UNSPECIFIED)
)

// byWord lists an enum's values by their words. The argument may be any value of it.
func byWord[Enum interface {
	~int32
	protoreflect.Enum
}](sample Enum) map[string]Enum {
	values := sample.Descriptor().Values()
	words := make(map[string]Enum, values.Len())
	for i := range values.Len() {
		value := Enum(values.Get(i).Number())
		if word := waybill.Word(value); word != "" {
			words[word] = value
		}
	}
	return words
}
