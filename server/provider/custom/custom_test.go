package custom_test

import (
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const signatureHeader = "X-Example-Signature"

func options() providertest.Options {
	return providertest.Options{
		Sample:      "delivered",
		Settings:    custom.Example(),
		ProofHeader: signatureHeader,
		ProofPrefix: "sha256=",
		SignsBody:   true,
		Malformed:   []string{"sha1=" + strings.Repeat("0", 40), "sha256=zz", "SHA256=" + strings.Repeat("0", 64)},
		Words:       words(),
		UnknownWord: providertest.Word{Body: status("teleported"), Says: []string{"unrecognised status"}},
	}
}

func status(word string) string {
	return `{"event":"parcel.status","event_id":"e-1","at":"2026-01-15T12:30:05Z","parcel":{"id":"C1","status":"` + word + `"}}`
}

// words are the example's own: its status_map, and its changes.
func words() []providertest.Word {
	var all []providertest.Word
	for word, says := range map[string][]string{
		"Booked":         {"shipment_announced"},
		"picked-up":      {"status_changed shipped"},
		"At Hub":         {"status_changed in_transit"},
		"with_rider":     {"status_changed out_for_delivery"},
		"Attempt Failed": {"status_changed failed_delivery"},
		"DELIVERED":      {"status_changed delivered"},
		"Part Delivered": {"status_changed delivered", "fact partial_delivery"},
		"Going Back":     {"status_changed returning"},
		"Back":           {"status_changed returned"},
		"Void":           {"status_changed cancelled"},
		"Held":           {"fact on_hold!"},
		"Note":           {"checkpoint"},
		"Rated":          {"ignored"},
	} {
		all = append(all, providertest.Word{Name: word, Body: status(word), Says: says})
	}
	for state, says := range map[string]string{
		"captured": "movement paid", "reserved": "movement authorized", "declined": "movement failed",
		"cancelled": "movement voided", "created": "movement pending", "sneezed": "unrecognised state",
	} {
		all = append(all, providertest.Word{
			Name: state, Says: []string{says},
			Body: `{"event":"payment.changed","event_id":"e-1","payment":{"id":"p-1","state":"` + state + `","amount":"10.50"}}`,
		})
	}
	return append(all,
		providertest.Word{Name: "rider.assigned", Body: `{"event":"rider.assigned","event_id":"e-1"}`, Says: []string{"ignored"}},
		providertest.Word{Name: "no change", Body: `{"event":"rider.sang","event_id":"e-1"}`, Says: []string{"unrecognised event"}},
		providertest.Word{
			Name: "several changes", Says: []string{"shipment_announced", "status_changed delivered", "movement paid"},
			Body: `{"event":"parcel.status","event_id":"e-1","parcel":{"id":"C1","status":"delivered","units":["1"],"collected":"10"}}`,
		},
	)
}

// described is the kind as settings make it.
func described(tb testing.TB, settings *configv1.Provider) provider.Kind {
	tb.Helper()
	return provider.DescribedKind(custom.Kind(), open(tb, settings))
}

func open(tb testing.TB, settings *configv1.Provider) provider.Provider {
	tb.Helper()
	opened, err := custom.Kind().New(settings)
	if err != nil {
		tb.Fatal(err)
	}
	return opened
}

func TestTheExampleKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, described(t, custom.Example()), options())
}

func translateAll(t *testing.T, opened provider.Provider, body string) []*waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, opened, &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return events
}
