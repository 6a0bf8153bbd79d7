package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// asked is what a kind's code has answered.
type asked struct {
	kind     provider.Kind
	accepted int
	limited  int
	samples  []string
	// covers says that the proof of a body proves no other body.
	covers bool
	// assigned and derived count the events whose identity is the provider's own, and those whose identity is made.
	assigned, derived int
}

// ask opens the kind as an example and asks its code.
func ask(kind provider.Kind) (asked, error) {
	settings := kind.ExampleSettings(kind.Name, "example")
	if kind.Rehearsal != nil {
		settings.ApiCa = kind.Rehearsal.Roots
	}
	opened, err := kind.New(settings)
	if err != nil {
		return asked{}, err
	}
	a := asked{kind: provider.DescribedKind(kind, opened)}
	a.limited = opened.Answer(provider.Result{Verdict: provider.Limited}).Status
	a.accepted = opened.Answer(provider.Result{
		Verdict:   provider.Accepted,
		Responses: []*waybillv1.IngestEventResponse{{Event: &waybillv1.Event{}, Receipt: waybillv1.Receipt_RECEIPT_ACCEPTED}},
	}).Status

	one := provider.Opened{Config: settings, Kind: a.kind, Provider: opened}
	for _, sample := range a.kind.Samples {
		a.samples = append(a.samples, sample.Name)
		if err := a.play(one, sample); err != nil {
			return asked{}, fmt.Errorf("sample %s: %w", sample.Name, err)
		}
	}
	if len(a.samples) == 0 {
		return asked{}, errors.New("it has no samples")
	}
	return a, nil
}

// play looks at what becomes of a sample, unless it is a probe.
func (a *asked) play(opened provider.Opened, sample provider.Sample) error {
	at := time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC)
	request, err := sample.Request(provider.SampleValues{
		ID: "synth0001", OrderID: "8209829119461545", OrderNumber: "SYN-1001", Consignment: "DS150126SYNT01",
		PaymentID: "pay_synth0001", Currency: "BDT", MinorUnits: 105000, At: at,
	})
	if err != nil {
		return err
	}
	request.Query = url.Values{}
	opened.Sign(request, opened.Config.GetSecrets()[0].GetValue(), at)
	if _, probe := opened.Provider.Handshake(request); probe {
		return nil
	}
	if err := proves(opened, request); err != nil {
		return err
	}
	another := &provider.Request{
		Header: request.Header.Clone(), Query: request.Query, Body: []byte("{}"), ReceivedAt: at,
	}
	a.covers = proves(opened, another) != nil
	return a.count(opened, request)
}

func proves(opened provider.Opened, request *provider.Request) error {
	var out provider.Fetcher
	if opened.Kind.Rehearsal != nil {
		out = opened.Kind.Rehearsal
	}
	return provider.Prove(context.Background(), opened.Provider, request, out)
}

func (a *asked) count(opened provider.Opened, request *provider.Request) error {
	if confirmer, ok := opened.Provider.(provider.Confirmer); ok {
		if _, setUp := confirmer.Confirm(request); setUp {
			return nil
		}
	}
	events, err := opened.Provider.Translate(&provider.Request{
		Header: request.Header, Body: request.Body, ReceivedAt: request.ReceivedAt,
	})
	if err != nil {
		return err
	}
	for _, event := range events {
		switch {
		case event.GetChanges()[0].GetUndecoded() != nil: // known by its bytes, whoever sends it
		case event.GetEventIdDerived():
			a.derived++
		default:
			a.assigned++
		}
	}
	return nil
}

func (a *asked) proof() string {
	if a.kind.ProofWithin == 0 {
		return a.kind.Proof
	}
	return fmt.Sprintf("%s. Its own side is asked, within %s", a.kind.Proof, a.kind.ProofWithin)
}

func (a *asked) identity() string {
	const own, made = "its own id", "what the body says"
	switch {
	case a.derived == 0:
		return own
	case a.assigned == 0:
		return made
	default:
		return own + ", else " + made
	}
}
