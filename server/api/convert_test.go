package api

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/google/go-cmp/cmp"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
)

// filler gives every field of a message a value of its own, so that a field which a conversion forgets, or mixes up
// with another, shows.
type filler struct{ count int64 }

func (f *filler) fill(message protoreflect.Message) {
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.ContainingOneof() != nil {
			continue
		}
		if field.IsList() {
			for range 2 {
				message.Mutable(field).List().Append(f.value(field, message))
			}
			continue
		}
		message.Set(field, f.value(field, message))
	}
}

func (f *filler) value(field protoreflect.FieldDescriptor, owner protoreflect.Message) protoreflect.Value {
	f.count++
	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(string(field.Name()) + " " + strings.Repeat("x", int(f.count)))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(f.count)
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := field.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(1 + int(f.count)%(values.Len()-1)).Number())
	case protoreflect.MessageKind:
		if field.Message().FullName() == "google.protobuf.Timestamp" {
			return protoreflect.ValueOfMessage(timestamppb.New(time.Unix(f.count, 5000)).ProtoReflect())
		}
		var child protoreflect.Message
		if field.IsList() {
			child = owner.NewField(field).List().NewElement().Message()
		} else {
			child = owner.NewField(field).Message()
		}
		f.fill(child)
		return protoreflect.ValueOfMessage(child)
	default:
		panic("the filler knows no value for " + string(field.FullName()))
	}
}

func TestEveryChangeComesBackFromTheNounsAsItWent(t *testing.T) {
	t.Parallel()
	variants := (&waybillv1.Change{}).ProtoReflect().Descriptor().Oneofs().ByName("change").Fields()
	if variants.Len() < 12 {
		t.Fatalf("only %d variants", variants.Len())
	}
	for i := range variants.Len() {
		variant := variants.Get(i)
		t.Run(string(variant.Name()), func(t *testing.T) {
			t.Parallel()
			// Each round starts elsewhere, so that enums and truth values take all their values.
			for start := range int64(12) {
				want := &waybillv1.Change{}
				fill := &filler{count: start}
				fill.fill(want.ProtoReflect())
				want.ProtoReflect().Set(variant, fill.value(variant, want.ProtoReflect()))

				got := toChange(fromChange(want))

				if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
					t.Fatal(diff)
				}
			}
		})
	}
}

func TestAChangeWithLittleInItComesBackAsItWent(t *testing.T) {
	t.Parallel()
	variants := (&waybillv1.Change{}).ProtoReflect().Descriptor().Oneofs().ByName("change").Fields()
	for i := range variants.Len() {
		variant := variants.Get(i)
		message := (&waybillv1.Change{}).ProtoReflect()
		sparse := message.NewField(variant).Message()
		// What the schema requires; everything else stays unset.
		for _, required := range []string{"shipment", "amount", "evidence", "reason"} {
			field := sparse.Descriptor().Fields().ByName(protoreflect.Name(required))
			switch {
			case field == nil, required == "shipment" && variant.Name() == "fact", required == "amount" && variant.Name() != "refund_reported":
			case field.Kind() == protoreflect.EnumKind:
				sparse.Set(field, protoreflect.ValueOfEnum(1))
			case field.Kind() == protoreflect.StringKind:
				sparse.Set(field, protoreflect.ValueOfString("why"))
			default:
				sparse.Set(field, sparse.NewField(field))
			}
		}
		message.Set(variant, protoreflect.ValueOfMessage(sparse))
		want := message.Interface().(*waybillv1.Change)

		got := toChange(fromChange(want))

		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("%s: %s", variant.Name(), diff)
		}
	}
}

func TestReferencesAndRawBytesComeBackAsTheyWent(t *testing.T) {
	t.Parallel()
	var refs []*waybillv1.Reference
	for kind := range waybillv1.ReferenceKind_name {
		if kind != 0 {
			refs = append(refs, &waybillv1.Reference{Kind: waybillv1.ReferenceKind(kind), Value: "v" + waybillv1.ReferenceKind_name[kind]})
		}
	}
	raw := &waybillv1.RawMessage{
		Body: []byte("\x00\xff body"), ContentType: "application/json", Headers: map[string]string{"x-topic": "orders/paid"},
	}

	if diff := cmp.Diff(refs, each(each(refs, fromReference), toReference), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(raw, toRaw(fromRaw(raw)), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestEveryWordOfTheWireHasItsNoun(t *testing.T) {
	t.Parallel()

	complete(t, certainties, waybillv1.OccurredAtCertainty_name)
	complete(t, referenceKinds, waybillv1.ReferenceKind_name)
	complete(t, eventStates, waybillv1.EventState_name)
	complete(t, outcomes, waybillv1.Outcome_name)
	complete(t, orderStatuses, waybillv1.OrderStatus_name)
	complete(t, shipmentStatuses, waybillv1.ShipmentStatus_name)
	complete(t, paymentStatuses, waybillv1.PaymentStatus_name)
	complete(t, paymentStates, waybillv1.PaymentState_name)
	complete(t, disputeStates, waybillv1.DisputeState_name)
	complete(t, stepKinds, waybillv1.TimelineKind_name)
	complete(t, receipts, waybillv1.Receipt_name)
}

func complete[W ~int32, N ~string](t *testing.T, pairs words[W, N], names map[int32]string) {
	t.Helper()
	for number, name := range names {
		noun := pairs.from(W(number))
		if number == 0 && noun != "" {
			t.Errorf("%s means %q, but it means that nothing is said", name, noun)
		}
		if number == 0 {
			continue
		}
		if noun == "" || pairs.to(noun) != W(number) {
			t.Errorf("%s: its noun is %q, which comes back as %d", name, noun, pairs.to(noun))
		}
		// The words are those of the contract, in small letters.
		if !strings.HasSuffix(name, "_"+strings.ToUpper(string(noun))) {
			t.Errorf("%s is called %q", name, noun)
		}
	}
	if len(pairs.toWire) != len(names)-1 {
		t.Errorf("%d nouns for %d words", len(pairs.toWire), len(names)-1)
	}
}

func TestATimeLaterThanTheReceiptCountsAsTheReceipt(t *testing.T) {
	t.Parallel()
	received := time.Date(2026, 1, 15, 10, 0, 0, 123000, time.UTC)
	const (
		unsaid  = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_UNSPECIFIED
		exact   = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT
		assumed = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
	)
	tests := map[string]struct {
		at        *timestamppb.Timestamp
		certainty waybillv1.OccurredAtCertainty
		want      time.Time
		wantSure  order.Certainty
	}{
		"missing":          {nil, unsaid, received, order.Missing},
		"exact":            {timestamppb.New(received.Add(-time.Hour)), exact, received.Add(-time.Hour), order.Exact},
		"nothing said":     {timestamppb.New(received.Add(-time.Hour)), unsaid, received.Add(-time.Hour), order.Exact},
		"zone assumed":     {timestamppb.New(received.Add(-time.Hour)), assumed, received.Add(-time.Hour), order.ZoneAssumed},
		"at the receipt":   {timestamppb.New(received), exact, received, order.Exact},
		"within its tick":  {timestamppb.New(received.Add(999)), exact, received, order.Exact},
		"a moment later":   {timestamppb.New(received.Add(time.Microsecond)), exact, received, order.Future},
		"later, assumed":   {timestamppb.New(received.Add(14 * time.Hour)), assumed, received, order.Future},
		"the epoch itself": {timestamppb.New(time.Unix(0, 0)), exact, time.Unix(0, 0).UTC(), order.Exact},
	}
	for name, test := range tests {
		req := &waybillv1.IngestEventRequest{OccurredAt: test.at, OccurredAtCertainty: test.certainty}

		event := fromIngest(req, received)

		if !event.OccurredAt.Equal(test.want) || event.Certainty != test.wantSure || !event.ReceivedAt.Equal(received) {
			t.Errorf("%s: happened %s (%s), received %s", name, event.OccurredAt, event.Certainty, event.ReceivedAt)
		}
	}
}

func TestACopyOfAChangeFromTheFutureSaysTheSame(t *testing.T) {
	t.Parallel()
	received := time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)
	req := &waybillv1.IngestEventRequest{Changes: []*waybillv1.Change{{
		OccurredAt: timestamppb.New(received.Add(time.Hour)),
		Change:     &waybillv1.Change_Ignored{Ignored: &waybillv1.Ignored{Reason: "ping"}},
	}}}

	first, second := fromIngest(req, received), fromIngest(req, received.Add(time.Minute))

	if diff := cmp.Diff(first.Changes, second.Changes); diff != "" {
		t.Fatal(diff)
	}
}

func TestProvidersTextIsMadeStorable(t *testing.T) {
	t.Parallel()
	const dirty, clean = "a\x00b\xffc", "a\uFFFDb\uFFFDc"
	req := &waybillv1.IngestEventRequest{
		EventId: "kept \xff", DeliveryId: dirty, EventType: dirty,
		Raw: &waybillv1.RawMessage{ContentType: dirty, Headers: map[string]string{"x": dirty}, Body: []byte(dirty)},
		Changes: []*waybillv1.Change{
			{Change: &waybillv1.Change_Checkpoint{Checkpoint: &waybillv1.Checkpoint{
				Shipment:    &waybillv1.ShipmentReference{ConsignmentId: "C"},
				Description: dirty, Location: `code \u0000 is cool`,
			}}},
		},
	}
	before := proto.Clone(req)

	event := fromIngest(req, time.Now())

	got := []string{
		event.Identity, event.DeliveryID, event.Type, event.Raw.ContentType, event.Raw.Headers["x"], string(event.Raw.Body),
		event.Changes[0].Checkpoint.Description, event.Changes[0].Checkpoint.Location,
	}
	want := []string{"kept \xff", clean, clean, clean, clean, dirty, clean, `code \u0000 is cool`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !proto.Equal(before, req) {
		t.Error("the message was changed")
	}
}
