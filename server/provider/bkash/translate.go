package bkash

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a message.
func (w *wallet) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := w.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (w *wallet) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	e, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if e.MessageID == "" {
		return nil, errors.New("MessageId is missing")
	}
	if e.Type != notification {
		return w.housekeeping(e)
	}
	b, err := readPayment(e.Message)
	if err != nil {
		return nil, err
	}
	changes, err := w.changes(b)
	if err != nil {
		return nil, err
	}
	moment := w.moment(b, e.Timestamp)
	return &waybillv1.IngestEventRequest{
		// The payment's own id, and what is said about it: another word about the same payment is another event.
		EventId:             string(b.TrxID) + "/" + string(b.Status),
		DeliveryId:          string(e.MessageID),
		EventType:           provider.Short(string(b.Status), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		References:          w.references(b),
		Changes:             changes,
	}, nil
}

// housekeeping reads what SNS says about the subscription itself. A confirmation comes here only where it was not
// confirmed (see Confirm).
func (w *wallet) housekeeping(e envelope) (*waybillv1.IngestEventRequest, error) {
	reason := "the topic says that Waybill is no longer subscribed: if that is wrong, subscribe again"
	if e.Type == subscription {
		if amazons(e.SubscribeURL) == nil {
			return nil, errors.New("SubscribeURL is not an address of Amazon SNS, so the subscription was not confirmed")
		}
		reason = "it asks to confirm a subscription"
	}
	moment := provider.ParseMoment(string(e.Timestamp), nil)
	return &waybillv1.IngestEventRequest{
		EventId:             string(e.MessageID),
		DeliveryId:          string(e.MessageID),
		EventType:           string(e.Type),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             []*waybillv1.Change{provider.IgnoredChange(reason)},
	}, nil
}
