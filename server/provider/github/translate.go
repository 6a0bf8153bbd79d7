package github

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// formPrefix begins the body of a hook that is set to send forms.
var formPrefix = []byte("payload=")

// body is all that is read of an event.
type body struct {
	Action provider.Word `json:"action"`
}

// Translate makes one event of a body: one that nobody needs.
func (*host) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := read(r)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func read(r *provider.Request) (*waybillv1.IngestEventRequest, error) {
	name, delivery := label(r.Header, "X-GitHub-Event"), label(r.Header, "X-GitHub-Delivery")
	if name == "" {
		return nil, errors.New("header X-GitHub-Event is missing, so nobody knows what the body is about")
	}
	text, err := payload(r.Body)
	if err != nil {
		return nil, err
	}
	var b body
	if err := provider.Decode(text, &b); err != nil {
		return nil, err
	}

	eventType := name
	if action := b.Action.Fold(); action != "" {
		eventType += "." + action
	}
	return &waybillv1.IngestEventRequest{
		EventId:             identity(name, delivery, r.Body),
		EventIdDerived:      delivery == "",
		DeliveryId:          delivery,
		EventType:           provider.Short(eventType, 255),
		OccurredAtCertainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING,
		Changes:             []*waybillv1.Change{provider.IgnoredChange("a code host's events are about no order")},
	}, nil
}

// payload is the JSON in a body: the body itself, or the one field of a form.
func payload(raw []byte) ([]byte, error) {
	if !bytes.HasPrefix(raw, formPrefix) {
		return raw, nil
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil || len(form) != 1 || len(form["payload"]) != 1 {
		return nil, errors.New("the body is not a form with one payload")
	}
	return []byte(form.Get("payload")), nil
}

// identity is the event's name and GitHub's id of the delivery, which stays the same when it is sent again by hand.
// Neither is signed. A body that comes without an id is known by its bytes.
func identity(name, delivery string, raw []byte) string {
	if delivery == "" {
		return name + ":" + provider.DerivedID(time.Time{}, string(raw))
	}
	return name + ":" + delivery
}

// label is a header as text.
func label(header http.Header, name string) string {
	return strings.TrimSpace(strings.ToValidUTF8(header.Get(name), "\uFFFD"))
}
