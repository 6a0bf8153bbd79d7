package stripe

import (
	"errors"
	"strconv"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (p *payments) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := p.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (p *payments) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var e envelope
	if err := provider.Decode(raw, &e); err != nil {
		return nil, err
	}
	if e.ID == "" || e.Type.Fold() == "" {
		return nil, errors.New("id or type is missing")
	}

	moment := e.moment()
	event := &waybillv1.IngestEventRequest{
		EventId:             e.identity(),
		EventType:           provider.Short(string(e.Type), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	reason, err := p.unneeded(e)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		event.Changes = []*waybillv1.Change{provider.IgnoredChange(reason)}
		return event, nil
	}
	return event, p.read(e, event)
}

// identity is the signed id, with the connected account that it belongs to.
func (e envelope) identity() string {
	if e.Account == "" {
		return string(e.ID)
	}
	return string(e.Account) + "/" + string(e.ID)
}

// moment is when Stripe made the event: seconds, or text in the thin events of its second API.
func (e envelope) moment() provider.Moment {
	if seconds, err := strconv.ParseInt(string(e.Created), 10, 64); err == nil {
		return provider.UnixMoment(seconds)
	}
	var text provider.Word
	if err := provider.Decode(e.Created, &text); err != nil {
		return provider.UnixMoment(0)
	}
	return provider.ParseMoment(string(text), nil)
}

// unneeded says why nobody needs the event. Empty: somebody does.
func (p *payments) unneeded(e envelope) (string, error) {
	_, needed := readers[string(e.Type)]
	switch {
	case e.Object == "v2.core.event":
		return "it is a thin event: it names its object and doesn't carry it", nil
	case e.Livemode == nil:
		return "", errors.New("livemode is missing")
	case *e.Livemode != p.livemode:
		return "livemode is not what expect.livemode says", nil
	case p.account != "" && e.Account != "" && string(e.Account) != p.account:
		return "it is for another account than expect.account_id says", nil
	case !needed:
		return "nobody needs this type", nil
	default:
		return "", nil
	}
}

func (p *payments) read(e envelope, event *waybillv1.IngestEventRequest) error {
	if len(e.Data.Object) == 0 {
		return errors.New("data.object is missing")
	}
	var o object
	if err := provider.Decode(e.Data.Object, &o); err != nil {
		return errors.New("data.object: " + err.Error())
	}
	if o.ID == "" {
		return errors.New("data.object.id is missing")
	}
	changes, err := readers[string(e.Type)](string(e.Type), o)
	if err != nil {
		return errors.New("data.object: " + err.Error())
	}
	event.References = p.references(o)
	event.Changes = changes
	return nil
}
