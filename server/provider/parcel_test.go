package provider_test

import (
	"testing"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func TestEveryStepOfAWayBackIsReturningAndItsEndIsReturned(t *testing.T) {
	t.Parallel()
	for number, name := range waybillv1.ShipmentStatus_name {
		status := waybillv1.ShipmentStatus(number)
		want := status
		switch status {
		case waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED:
			want = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED
		case waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED, waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT,
			waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY, waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY:
			want = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING
		default:
		}
		if got := (provider.Meaning{Status: status}).GoingBack().Status; got != want {
			t.Errorf("%s on its way back is %s, want %s", name, got, want)
		}
	}
}

func TestASightingSaysWhatOrWhereOrNothing(t *testing.T) {
	t.Parallel()
	parcel := provider.Parcel{Shipment: &waybillv1.ShipmentReference{ConsignmentId: "C1"}}
	if seen := parcel.Seen(" ", "\n", provider.Moment{}); seen != nil {
		t.Errorf("nothing is %v", seen)
	}
	exact := provider.ParseMoment("2026-01-15T12:30:05Z", nil)
	if at := parcel.Seen("x", "", exact)[0].GetOccurredAt(); !at.AsTime().Equal(exact.At) {
		t.Errorf("an exact time is %s", at.AsTime())
	}
	if at := parcel.Seen("", "y", provider.ParseMoment("2026-01-15 12:30:05", nil))[0].GetOccurredAt(); at != nil {
		t.Errorf("a time without a zone is %s: it would pass for exact", at.AsTime())
	}
}

func TestTimesOfAnUnpublishedFormatAreReadAsTextOrNumber(t *testing.T) {
	t.Parallel()
	second := time.Unix(1768480205, 0)
	for text, want := range map[provider.Number]time.Time{
		"2026-01-15T12:30:05Z": second, "1768480205": second, "1768480205999": second.Add(999 * time.Millisecond),
	} {
		if got := provider.AnyMoment(text, nil).At; !got.Equal(want) {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for _, text := range []provider.Number{"", "0", "-1", "1768480205.5", "99999999999999999999", "9223372036854775807", "soon"} {
		if got := provider.AnyMoment(text, nil); !got.At.IsZero() || got.Timestamp() != nil {
			t.Errorf("%s is %s", text, got.At)
		}
	}
}

func TestWordsAreFoldedAcrossTheirWritings(t *testing.T) {
	t.Parallel()
	for word, want := range map[provider.Word]string{
		"Partial Delivered": "partial_delivered", " partial__delivered ": "partial_delivered", "PARTIAL-DELIVERED": "partial_delivered",
		"partialdelivered": "partialdelivered", "": "", " - ": "",
	} {
		if got := provider.FoldWords(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

func TestTheFirstMomentThatIsOneCounts(t *testing.T) {
	t.Parallel()
	first, second := provider.UnixMoment(1768480205), provider.UnixMoment(1768480206)
	if got := provider.FirstMoment(provider.ParseMoment("", nil), first, second); got != first {
		t.Errorf("got %v", got)
	}
	if got := provider.FirstMoment(); got.Certainty != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING {
		t.Errorf("of none it is %v", got)
	}
}
