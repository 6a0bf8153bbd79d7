package custom

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body, or one of each of its items. An item that can't be read is kept undecoded and
// keeps nobody else back.
func (c *custom) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	events, err := c.plan.events(r)
	if err != nil {
		return []*waybillv1.IngestEventRequest{provider.Undecoded(r.Body, provider.Short(err.Error(), 500))}, nil
	}
	return events, nil
}

// scope reads a body for expressions to look at.
func (p *plan) scope(r *provider.Request) (*scope, *document, error) {
	read := readJSON
	if p.form {
		read = readForm
	}
	doc, err := read(r.Body)
	if err != nil {
		return nil, nil, err
	}
	left := uint64(maxBodySteps)
	header := newObject(len(p.headers))
	for _, name := range p.headers {
		if value := r.Header.Get(name); value != "" {
			header.add(name, types.String(value))
		}
	}
	return &scope{
		left: &left,
		vars: map[string]any{
			bodyName: doc.root, itemName: doc.root, headerName: header, webhookIDName: types.String(webhookID(r.Header)),
		},
	}, doc, nil
}

// item is one event's part of a body.
type item struct {
	value ref.Val
	// raw are its bytes.
	raw []byte
	at  span
}

func (p *plan) events(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	s, doc, err := p.scope(r)
	if err != nil {
		return nil, err
	}
	all, err := p.split(s, doc, r.Body)
	if err != nil {
		return nil, err
	}
	unclear, err := unclearItems(doc, all)
	if err != nil {
		return nil, err
	}
	events := make([]*waybillv1.IngestEventRequest, 0, len(all))
	for i, one := range all {
		if unclear[i] {
			events = append(events, provider.Undecoded(one.raw, "a member comes twice"))
			continue
		}
		events = append(events, p.one(s, one))
	}
	return events, nil
}

// split takes a body apart.
func (p *plan) split(s *scope, doc *document, body []byte) ([]item, error) {
	if p.items == nil {
		return []item{{doc.root, body, doc.whole()}}, nil
	}
	value, err := p.items.value(s)
	if err != nil {
		return nil, err
	}
	several, ok := value.(traits.Lister)
	if !ok {
		return nil, p.items.wrong("list")
	}
	values := valuesOf(several)
	switch {
	case len(values) == 0:
		return nil, fmt.Errorf("%s gives an empty list", p.items.path)
	case len(values) > provider.MaxItems:
		return nil, fmt.Errorf("%s gives more than %d items", p.items.path, provider.MaxItems)
	}
	all := make([]item, 0, len(values))
	for i, one := range values {
		at := spanOf(several, i, one)
		raw, err := bytesOf(doc, body, at, one)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.items.path, err)
		}
		all = append(all, item{one, raw, at})
	}
	return all, nil
}

// spanOf is where an item stands in the body. The zero span: an expression has made it.
func spanOf(in traits.Lister, index int, value ref.Val) span {
	if own, ok := value.(*object); ok {
		return own.span
	}
	if own, ok := in.(*list); ok && own.spans != nil {
		return own.spans[index]
	}
	return span{}
}

// bytesOf are an item's own bytes: the whole body, a part of it, or what an expression has made, written as JSON.
func bytesOf(doc *document, body []byte, at span, value ref.Val) ([]byte, error) {
	switch {
	case at.end == 0:
		return appendJSON(nil, value, 0)
	case value == doc.root:
		return body, nil
	default:
		return doc.text[at.start:at.end], nil
	}
}

// unclearItems says which items hold a member that comes twice. One outside of all items makes the whole body unclear.
func unclearItems(doc *document, all []item) (map[int]bool, error) {
	unclear := make(map[int]bool)
	for _, offset := range doc.twice {
		found := false
		for i, one := range all {
			if one.at.end > 0 && one.at.holds(offset) {
				unclear[i], found = true, true
			}
		}
		if !found {
			return nil, errors.New("the body has a member twice")
		}
	}
	return unclear, nil
}

// one makes the event of an item.
func (p *plan) one(s *scope, it item) *waybillv1.IngestEventRequest {
	s.vars[itemName] = it.value
	event, err := p.event(s)
	if err != nil {
		return provider.Undecoded(it.raw, provider.Short(err.Error(), 500))
	}
	return provider.Checked(event, it.raw)
}

func (p *plan) event(s *scope) (*waybillv1.IngestEventRequest, error) {
	eventType, err := p.eventType.text(s)
	if err != nil {
		return nil, err
	}
	when, err := p.time.text(s)
	if err != nil {
		return nil, err
	}
	moment := provider.AnyMoment(provider.Number(strings.TrimSpace(when)), p.zone)
	event := &waybillv1.IngestEventRequest{
		EventType:           short(eventType, 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	if event.EventId, event.EventIdDerived, err = p.identityOf(s, when); err != nil {
		return nil, err
	}

	var names provider.References
	for _, one := range p.references {
		values, err := one.from.names(s)
		if err != nil {
			return nil, err
		}
		names.Add(one.kind, values...)
	}
	if event.Changes, err = p.says(s, eventType, &names); err != nil {
		return nil, err
	}
	event.References = names.List()
	return event, nil
}

// identityOf is the provider's own id, or one that is derived from the parts where it has none.
func (p *plan) identityOf(s *scope, when string) (id string, derived bool, err error) {
	own, err := p.id.name(s)
	if err != nil || own != "" {
		return string(own), false, err
	}
	parts := make([]string, 0, len(p.parts))
	for _, part := range p.parts {
		text, err := part.verbatim(s)
		if err != nil {
			return "", false, err
		}
		parts = append(parts, text)
	}
	if strings.TrimSpace(strings.Join(parts, "")) == "" {
		return "", false, errors.New("nothing tells the event from others: custom.id and custom.identity give nothing")
	}
	at := provider.AnyTextTime(provider.Number(strings.TrimSpace(when)))
	return provider.DerivedID(at, parts...), true, nil
}

func webhookID(header http.Header) string {
	return header.Get(provider.StandardHeadersOf(header).ID)
}
