package github_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/github"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const (
	header            = "X-Hub-Signature-256"
	publishedSecret   = "It's a Secret to Everybody"
	publishedBody     = "Hello, World!"
	publishedProof    = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	otherBodysProof   = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18"
	publishedSHA1Size = "sha1=757107ea0eb2509fc211221cce984b8a37570b6d"
)

func options() providertest.Options {
	vector := func(name, proof, body string, refused bool) providertest.Vector {
		return providertest.Vector{
			Name: name, Secret: publishedSecret, Header: http.Header{header: {proof}}, Body: body, At: providertest.Now(),
			Refused: refused,
		}
	}
	return providertest.Options{
		Sample:      "release.published",
		ProofHeader: header,
		ProofPrefix: "sha256=",
		SignsBody:   true,
		Malformed:   []string{publishedSHA1Size, "sha256=", "sha256=zz", "SHA256=" + publishedProof[7:], "sha256 =" + publishedProof[7:]},
		Vectors: []providertest.Vector{
			vector("as published", publishedProof, publishedBody, false),
			vector("another signature", otherBodysProof, publishedBody, true),
			vector("another body", publishedProof, "Hello, World", true),
			vector("without its prefix", publishedProof[7:], publishedBody, true),
			vector("the old scheme", publishedSHA1Size, publishedBody, true),
		},
		Words: []providertest.Word{
			word("ping", `{"zen":"synthetic","hook_id":1}`),
			word("push", `{"ref":"refs/heads/main"}`),
			word("push", `payload=%7B%22ref%22%3A%22refs%2Fheads%2Fmain%22%7D`),
			word("pull_request", `{"action":"opened","number":1}`),
		},
		UnknownWord: word("teleportation", `{"action":"began"}`),
	}
}

func word(event, body string) providertest.Word {
	return providertest.Word{
		Name: event, Header: http.Header{"X-GitHub-Event": {event}}, Body: body, Says: []string{"ignored"},
	}
}

func TestGitHubKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, github.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, github.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, github.Kind(), options()) }

func TestADeliveryIsKnownByItsEventAndItsID(t *testing.T) {
	t.Parallel()
	opened := providertest.Open(t, github.Kind(), options())
	for _, test := range []struct {
		event, delivery, body string
		id, eventType, says   string
	}{
		{"release", "guid-1", `{"action":"published"}`, "release:guid-1", "release.published", "ignored"},
		{"push", "guid-1", `{"action":null}`, "push:guid-1", "push", "ignored"},
		{"push", "", `{}`, "push:" + provider.DerivedID(time.Time{}, "{}"), "push", "ignored"},
		{"", "guid-1", `{}`, provider.Undecoded([]byte("{}"), "x").GetEventId(), "undecoded", "undecoded"},
		{"push", "guid-1", `payload=%7B%7D&payload=%7B%7D`, "", "undecoded", "undecoded"},
		{"push", "guid-1", `payload=%7B%7D&more=1`, "", "undecoded", "undecoded"},
		{"push", "guid-1", `payload=%zz`, "", "undecoded", "undecoded"},
	} {
		events, err := providertest.Translate(t, opened, &provider.Request{
			Header: http.Header{"X-Github-Event": {test.event}, "X-Github-Delivery": {test.delivery}},
			Body:   []byte(test.body), ReceivedAt: providertest.Now(),
		})
		if err != nil || len(events) != 1 {
			t.Fatalf("%s %s: %d events, %v", test.event, test.body, len(events), err)
		}
		event := events[0]
		if test.id != "" && event.GetEventId() != test.id || event.GetEventType() != test.eventType ||
			providertest.Summary(event)[0] != test.says {
			t.Errorf("%s %s: id %s, type %s, says %v", test.event, test.body, event.GetEventId(), event.GetEventType(), providertest.Summary(event))
		}
	}
}
