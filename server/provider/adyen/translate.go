package adyen

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes an event of each item. One that can't be read parks alone.
func (p *payments) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	var n notification
	err := provider.Decode(r.Body, &n)
	if err == nil && len(n.Items) == 0 {
		err = errors.New("notificationItems is missing or empty")
	}
	if err != nil {
		return []*waybillv1.IngestEventRequest{provider.Undecoded(r.Body, err.Error())}, nil
	}

	events := make([]*waybillv1.IngestEventRequest, 0, len(n.Items))
	for _, raw := range n.Items {
		event, err := p.event(n.Live, raw)
		if err != nil {
			event = provider.Undecoded(raw, err.Error())
		}
		events = append(events, provider.Checked(event, raw))
	}
	return events, nil
}

func (p *payments) event(live flag, raw jsontext.Value) (*waybillv1.IngestEventRequest, error) {
	i, err := unwrap[item](raw)
	if err != nil {
		return nil, err
	}
	if i.EventCode == "" || i.PSPReference == "" {
		return nil, errors.New("eventCode or pspReference is missing")
	}
	moment := provider.ParseMoment(strings.TrimSpace(string(i.EventDate)), nil)
	event := &waybillv1.IngestEventRequest{
		EventId:             i.identity(),
		EventType:           provider.Short(string(i.EventCode), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	reason, err := p.unneeded(live, i)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		event.Changes = []*waybillv1.Change{provider.IgnoredChange(reason)}
		return event, nil
	}
	event.References = i.references()
	event.Changes, err = p.changes(i)
	return event, err
}

// identity is what Adyen tells its items apart by: all of it is signed.
func (i item) identity() string {
	return string(i.PSPReference) + "/" + string(i.EventCode) + "/" + string(i.Success)
}

// unneeded says why nobody needs the item. Empty: somebody does.
func (p *payments) unneeded(live flag, i item) (string, error) {
	switch {
	case !live.known():
		return "", errors.New("live is missing, or neither true nor false")
	case (live == yes) != p.livemode:
		return "live is not what expect.livemode says", nil
	case p.account != "" && string(i.MerchantAccountCode) != p.account:
		return "it is for another merchant account than expect.account_id says", nil
	case unneeded[string(i.EventCode)]:
		return "nobody needs this type", nil
	default:
		return "", nil
	}
}

func (p *payments) changes(i item) ([]*waybillv1.Change, error) {
	found, known := readers[string(i.EventCode)]
	switch {
	case !known:
		return []*waybillv1.Change{provider.UnrecognisedChange("eventCode", i.EventCode)}, nil
	case i.Success == yes:
		return found.succeeded(p, i)
	case i.Success == no:
		return found.failed(p, i)
	default:
		return []*waybillv1.Change{provider.UnrecognisedChange("success", provider.Word(i.Success))}, nil
	}
}

// references are what the item names. A modification may carry a reference of its own in place of the order's number;
// the payment it is about is named all the same.
func (i item) references() []*waybillv1.Reference {
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, provider.ID(strings.TrimSpace(string(i.MerchantReference))))
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, provider.ID(i.OriginalReference), provider.ID(i.PSPReference))
	return names.List()
}
