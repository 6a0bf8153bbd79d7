package api

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

func placed() *waybillv1.OrderPlaced {
	return &waybillv1.OrderPlaced{OrderId: "1", OrderNumber: "1001"}
}

func parcel() *waybillv1.ShipmentReference {
	return &waybillv1.ShipmentReference{ConsignmentId: "DA1"}
}

func money(units int64) *waybillv1.Money { return &waybillv1.Money{Currency: "BDT", MinorUnits: units} }

func paid() *waybillv1.PaymentReported {
	return &waybillv1.PaymentReported{
		PaymentId: "pay-1",
		Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
		State:     waybillv1.PaymentState_PAYMENT_STATE_PAID,
		Amount:    money(100),
	}
}

func statusChange() *waybillv1.StatusChanged {
	return &waybillv1.StatusChanged{Shipment: parcel(), Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED}
}

func refund() *waybillv1.RefundReported {
	return &waybillv1.RefundReported{RefundId: "re-1", Amount: money(100)}
}

func dispute() *waybillv1.DisputeReported {
	return &waybillv1.DisputeReported{DisputeId: "dp-1", State: waybillv1.DisputeState_DISPUTE_STATE_OPEN}
}

// edited is a good message that a test has spoilt.
func edited[M any](message *M, edit func(*M)) *M {
	edit(message)
	return message
}

func ingest(edit func(*waybillv1.IngestEventRequest)) *waybillv1.IngestEventRequest {
	return edited(&waybillv1.IngestEventRequest{
		Account: "shop", Provider: "pathao", EventId: "evt-1", EventType: "picked",
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: placed()}}},
	}, edit)
}

func reprocess(edit func(*waybillv1.ReprocessRequest)) *waybillv1.ReprocessRequest {
	return edited(&waybillv1.ReprocessRequest{
		Account: "shop", Target: &waybillv1.ReprocessRequest_EventId{EventId: "evt_1"},
		Reason: "new word", RequestId: "request-1",
	}, edit)
}

func track(edit func(*waybillv1.GetOrderStatusRequest)) *waybillv1.GetOrderStatusRequest {
	return edited(&waybillv1.GetOrderStatusRequest{
		Account: "shop", Order: &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: "1001"},
	}, edit)
}

func TestGoodMessagesBreakNoRule(t *testing.T) {
	t.Parallel()
	good := []proto.Message{
		ingest(func(*waybillv1.IngestEventRequest) {}),
		ingest(func(m *waybillv1.IngestEventRequest) {
			m.OccurredAt = timestamppb.Now()
			m.OccurredAtCertainty = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
			m.References = []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, Value: "1"}}
			m.Raw = &waybillv1.RawMessage{Body: []byte("\x00\xff"), Headers: map[string]string{"x-topic": "a"}}
		}),
		reprocess(func(*waybillv1.ReprocessRequest) {}),
		reprocess(func(m *waybillv1.ReprocessRequest) {
			m.Target = &waybillv1.ReprocessRequest_WorkId{WorkId: "w"}
			m.Resolution = waybillv1.Resolution_RESOLUTION_CONFIRM_DONE
			m.ProviderReference = "order 7"
		}),
		track(func(*waybillv1.GetOrderStatusRequest) {}),
		&waybillv1.WatchOrderStatusRequest{
			Account: "shop", Order: &waybillv1.WatchOrderStatusRequest_ConsignmentId{ConsignmentId: "DA1"}, Cursor: "12",
		},
		&waybillv1.ListPendingWorkRequest{
			Account: "shop", States: []waybillv1.EventState{waybillv1.EventState_EVENT_STATE_PARKED}, Kinds: []string{"event"},
		},
		&waybillv1.ListEventsRequest{Account: "shop"},
		&waybillv1.ListEventsRequest{
			Account: "shop", Outcome: waybillv1.Outcome_OUTCOME_CONFLICTING, PageSize: 1000,
			ReceivedAfter: timestamppb.New(time.Unix(1, 0)), ReceivedBefore: timestamppb.New(time.Unix(2, 0)),
		},
		&waybillv1.GetEventRequest{Account: "shop", EventId: "evt_1"},
		&waybillv1.ListProvidersRequest{Account: "shop"},
		paid(), refund(), dispute(), statusChange(), placed(),
	}
	for _, message := range good {
		if err := protovalidate.Validate(message); err != nil {
			t.Errorf("%s: %v", message.ProtoReflect().Descriptor().Name(), err)
		}
	}
}

func TestEachBrokenRuleIsNamedWithItsField(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	type request = waybillv1.IngestEventRequest
	tests := map[string]struct {
		message proto.Message
		want    string // field: rule
	}{
		"no account":            {ingest(func(m *request) { m.Account = "" }), "account: string.min_len"},
		"account in capitals":   {ingest(func(m *request) { m.Account = "Shop" }), "account: string.pattern"},
		"no provider":           {ingest(func(m *request) { m.Provider = "" }), "provider: string.min_len"},
		"provider with a slash": {ingest(func(m *request) { m.Provider = "a/b" }), "provider: string.pattern"},
		"no event id":           {ingest(func(m *request) { m.EventId = "" }), "event_id: string.min_len"},
		"long event id":         {ingest(func(m *request) { m.EventId = long(513) }), "event_id: string.max_len"},
		"event id with NUL":     {ingest(func(m *request) { m.EventId = "a\x00" }), "event_id: string.pattern"},
		"long delivery id":      {ingest(func(m *request) { m.DeliveryId = long(513) }), "delivery_id: string.max_len"},
		"long event type":       {ingest(func(m *request) { m.EventType = long(256) }), "event_type: string.max_len"},
		"before 1970": {ingest(func(m *request) {
			m.OccurredAt = &timestamppb.Timestamp{Seconds: -1}
		}), "occurred_at: timestamp.gte_lte"},
		"no such year": {ingest(func(m *request) {
			m.OccurredAt = &timestamppb.Timestamp{Seconds: 1 << 50}
		}), "occurred_at: timestamp.gte_lte"},
		"the server's own certainty": {ingest(func(m *request) {
			m.OccurredAt = timestamppb.Now()
			m.OccurredAtCertainty = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_FUTURE
		}), "occurred_at_certainty: enum.not_in"},
		"an unknown certainty": {ingest(func(m *request) {
			m.OccurredAt = timestamppb.Now()
			m.OccurredAtCertainty = 99
		}), "occurred_at_certainty: enum.defined_only"},
		"exact without a time": {ingest(func(m *request) {
			m.OccurredAtCertainty = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT
		}), ": ingest_event.occurred_at_certainty"},
		"missing with a time": {ingest(func(m *request) {
			m.OccurredAt = timestamppb.Now()
			m.OccurredAtCertainty = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING
		}), ": ingest_event.occurred_at_certainty"},
		"a reference to nothing": {ingest(func(m *request) {
			m.References = []*waybillv1.Reference{{Value: "1"}}
		}), "references[0].kind: enum.not_in"},
		"an empty reference": {ingest(func(m *request) {
			m.References = []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID}}
		}), "references[0].value: string.min_len"},
		"no change":     {ingest(func(m *request) { m.Changes = nil }), "changes: repeated.min_items"},
		"a bare change": {ingest(func(m *request) { m.Changes[0].Change = nil }), "changes[0].change: required"},
		"too many changes": {ingest(func(m *request) {
			m.Changes = slices.Repeat(m.GetChanges(), 257)
		}), "changes: repeated.max_items"},
		"a kept header in capitals": {ingest(func(m *request) {
			m.Raw = &waybillv1.RawMessage{Headers: map[string]string{"X": "a"}}
		}), `raw.headers["X"]: string.pattern`},
		"long translator version": {ingest(func(m *request) { m.TranslatorVersion = long(65) }), "translator_version: string.max_len"},

		"order without id":   {edited(placed(), func(m *waybillv1.OrderPlaced) { m.OrderId = "" }), "order_id: string.min_len"},
		"order without name": {edited(placed(), func(m *waybillv1.OrderPlaced) { m.OrderNumber = "" }), "order_number: string.min_len"},
		"negative total":     {edited(placed(), func(m *waybillv1.OrderPlaced) { m.Total = money(-1) }), "total: order_placed.total"},
		"no currency": {edited(placed(), func(m *waybillv1.OrderPlaced) {
			m.Total = &waybillv1.Money{MinorUnits: 1}
		}), "total.currency: string.pattern"},
		"a negative line": {edited(placed(), func(m *waybillv1.OrderPlaced) {
			m.Lines = []*waybillv1.OrderLine{{LineId: "1", Quantity: -1}}
		}), "lines[0].quantity: int64.gte_lte"},
		"a nameless parcel": {edited(statusChange(), func(m *waybillv1.StatusChanged) {
			m.Shipment = &waybillv1.ShipmentReference{}
		}), "shipment: shipment_reference.named"},
		"no parcel":         {edited(statusChange(), func(m *waybillv1.StatusChanged) { m.Shipment = nil }), "shipment: required"},
		"no status":         {edited(statusChange(), func(m *waybillv1.StatusChanged) { m.Status = 0 }), "status: enum.not_in"},
		"an unknown status": {edited(statusChange(), func(m *waybillv1.StatusChanged) { m.Status = 77 }), "status: enum.defined_only"},
		"an announced parcel without a name": {
			&waybillv1.ShipmentAnnounced{Shipment: &waybillv1.ShipmentReference{ReturnParcel: true}},
			"shipment: shipment_reference.named",
		},
		"paid without an amount": {edited(paid(), func(m *waybillv1.PaymentReported) { m.Amount = nil }), ": payment_reported.movement_amount"},
		"a negative payment":     {edited(paid(), func(m *waybillv1.PaymentReported) { m.Amount = money(-1) }), "amount: payment_reported.amount"},
		"no evidence":            {edited(paid(), func(m *waybillv1.PaymentReported) { m.Evidence = 0 }), "evidence: enum.not_in"},
		"no payment state":       {edited(paid(), func(m *waybillv1.PaymentReported) { m.State = 0 }), "state: enum.not_in"},
		"a step without its id":  {edited(refund(), func(m *waybillv1.RefundReported) { m.RefundId = "" }), ": refund_reported.identified"},
		"a running total of nothing": {edited(refund(), func(m *waybillv1.RefundReported) {
			m.RunningTotal = true
		}), ": refund_reported.identified"},
		"a refund of nothing": {edited(refund(), func(m *waybillv1.RefundReported) { m.Amount = nil }), "amount: required"},
		"a negative refund":   {edited(refund(), func(m *waybillv1.RefundReported) { m.Amount = money(-1) }), "amount: refund_reported.amount"},
		"a nameless dispute":  {edited(dispute(), func(m *waybillv1.DisputeReported) { m.DisputeId = "" }), "dispute_id: string.min_len"},
		"a negative dispute":  {edited(dispute(), func(m *waybillv1.DisputeReported) { m.Amount = money(-1) }), "amount: dispute_reported.amount"},
		"a long cancellation": {&waybillv1.OrderCancelled{Reason: long(2001)}, "reason: string.max_len"},
		"a fact in capitals":  {&waybillv1.Fact{Name: "OnHold"}, "name: string.pattern"},
		"no field":            {&waybillv1.Unrecognised{Word: "x"}, "field: string.min_len"},
		"no problem":          {&waybillv1.Undecoded{}, "problem: string.min_len"},
		"no reason to ignore": {&waybillv1.Ignored{}, "reason: string.min_len"},

		"no order": {track(func(m *waybillv1.GetOrderStatusRequest) { m.Order = nil }), "order: required"},
		"an empty number": {track(func(m *waybillv1.GetOrderStatusRequest) {
			m.Order = &waybillv1.GetOrderStatusRequest_OrderNumber{}
		}), "order_number: string.min_len"},
		"an empty consignment": {track(func(m *waybillv1.GetOrderStatusRequest) {
			m.Order = &waybillv1.GetOrderStatusRequest_ConsignmentId{}
		}), "consignment_id: string.min_len"},
		"a short token": {track(func(m *waybillv1.GetOrderStatusRequest) {
			m.Order = &waybillv1.GetOrderStatusRequest_TrackingToken{TrackingToken: "short"}
		}), "tracking_token: string.min_len"},
		"a watch without an order": {&waybillv1.WatchOrderStatusRequest{Account: "shop"}, "order: required"},
		"a strange cursor": {&waybillv1.WatchOrderStatusRequest{
			Account: "shop", Order: &waybillv1.WatchOrderStatusRequest_OrderNumber{OrderNumber: "1"}, Cursor: "a b",
		}, "cursor: string.pattern"},

		"finished work": {&waybillv1.ListPendingWorkRequest{
			Account: "shop", States: []waybillv1.EventState{waybillv1.EventState_EVENT_STATE_COMPLETED},
		}, "states[0]: enum.not_in"},
		"a strange kind":   {&waybillv1.ListPendingWorkRequest{Account: "shop", Kinds: []string{"Event"}}, "kinds[0]: string.pattern"},
		"too large a page": {&waybillv1.ListPendingWorkRequest{Account: "shop", PageSize: 1001}, "page_size: int32.gte_lte"},
		"a strange token":  {&waybillv1.ListPendingWorkRequest{Account: "shop", PageToken: "a=b"}, "page_token: string.pattern"},
		"a range that ends before it begins": {&waybillv1.ListEventsRequest{
			Account: "shop", ReceivedAfter: timestamppb.New(time.Unix(2, 0)), ReceivedBefore: timestamppb.New(time.Unix(2, 0)),
		}, ": list_events.received_range"},
		"an unknown outcome":          {&waybillv1.ListEventsRequest{Account: "shop", Outcome: 99}, "outcome: enum.defined_only"},
		"a page of events below zero": {&waybillv1.ListEventsRequest{Account: "shop", PageSize: -1}, "page_size: int32.gte_lte"},
		"no event":                    {&waybillv1.GetEventRequest{Account: "shop"}, "event_id: string.min_len"},
		"no account's providers":      {&waybillv1.ListProvidersRequest{}, "account: string.min_len"},

		"no target":            {reprocess(func(m *waybillv1.ReprocessRequest) { m.Target = nil }), "target: required"},
		"no reason":            {reprocess(func(m *waybillv1.ReprocessRequest) { m.Reason = "" }), "reason: string.min_len"},
		"no request id":        {reprocess(func(m *waybillv1.ReprocessRequest) { m.RequestId = "" }), "request_id: string.min_len"},
		"a strange resolution": {reprocess(func(m *waybillv1.ReprocessRequest) { m.Resolution = 9 }), "resolution: enum.defined_only"},
		"an event that was done by hand": {reprocess(func(m *waybillv1.ReprocessRequest) {
			m.Resolution, m.ProviderReference = waybillv1.Resolution_RESOLUTION_CONFIRM_DONE, "order 7"
		}), ": reprocess.confirm_done_event"},
		"done without a reference": {reprocess(func(m *waybillv1.ReprocessRequest) {
			m.Target = &waybillv1.ReprocessRequest_WorkId{WorkId: "w"}
			m.Resolution = waybillv1.Resolution_RESOLUTION_CONFIRM_DONE
		}), ": reprocess.confirm_done_reference"},
		"a reference for a retry": {reprocess(func(m *waybillv1.ReprocessRequest) {
			m.ProviderReference = "order 7"
		}), ": reprocess.reference_confirm_done"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			err := protovalidate.Validate(test.message)

			var broken *protovalidate.ValidationError
			if !errors.As(err, &broken) {
				t.Fatalf("no rule is broken: %v", err)
			}
			got := make([]string, 0, len(broken.Violations))
			for _, violation := range broken.Violations {
				got = append(got, protovalidate.FieldPathString(violation.Proto.GetField())+": "+violation.Proto.GetRuleId())
			}
			if got[0] != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// ruleless are the fields of requests that take every value.
var ruleless = map[protoreflect.FullName]string{
	"waybill.v1.IngestEventRequest.raw": "its own fields have rules; an event made by hand has no bytes",
	"waybill.v1.Fact.shipment":          "its own fields have rules; not every fact is about a parcel",
	"waybill.v1.Fact.amount":            "its own fields have rules; a fact's money may be negative",
	"waybill.v1.Money.minor_units":      "whoever uses it says whether it may be negative",
}

func TestEveryFieldOfARequestHasARule(t *testing.T) {
	t.Parallel()
	seen := make(map[protoreflect.FullName]bool)
	for _, file := range []protoreflect.FileDescriptor{
		waybillv1.File_waybill_v1_ingest_service_proto, waybillv1.File_waybill_v1_tracking_service_proto,
		waybillv1.File_waybill_v1_work_service_proto, waybillv1.File_waybill_v1_provider_service_proto,
	} {
		services := file.Services()
		for i := range services.Len() {
			methods := services.Get(i).Methods()
			for j := range methods.Len() {
				checkRules(t, methods.Get(j).Input(), seen)
			}
		}
	}
	if len(seen) < 20 {
		t.Fatalf("only %d messages were looked at", len(seen))
	}
}

func checkRules(t *testing.T, message protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) {
	t.Helper()
	if seen[message.FullName()] || message.ParentFile().Package() != "waybill.v1" || message.IsMapEntry() {
		return
	}
	seen[message.FullName()] = true
	fields := message.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() != nil {
			checkRules(t, field.Message(), seen)
		}
		// Every truth value is right, and a variant of a required oneof is there or isn't.
		free := field.Kind() == protoreflect.BoolKind || (field.ContainingOneof() != nil && field.Message() != nil)
		if _, ok := ruleless[field.FullName()]; ok || free {
			continue
		}
		if !proto.HasExtension(field.Options(), validate.E_Field) {
			t.Errorf("%s has no rule", field.FullName())
		}
	}
}
