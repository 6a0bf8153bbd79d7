package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// player plays the story and remembers what came of it.
type player struct {
	server *demoServer
	client *waybill.Client
	secret string
	now    time.Time
	played []playedStep
}

// playedStep is a step and what came of it.
type playedStep struct {
	storyStep

	request *provider.Request
	status  int
	eventID string
	first   bool
	// outcome and why are what the operator would read.
	outcome, why string
	// woken is what the waiting event of an earlier step has become.
	woken string
	// events are those that were in hand when the server was killed.
	events []string
}

// settleWithin bounds every wait for the worker.
const settleWithin = 20 * time.Second

func (p *player) play(ctx context.Context, step storyStep) (playedStep, error) {
	number := len(p.played) + 1
	var done playedStep
	var err error
	switch {
	case step.Kill > 0:
		done, err = p.playKill(ctx, step)
	default:
		done, err = p.playWebhook(ctx, step, number)
	}
	if err != nil {
		return done, fmt.Errorf("step %d (%s): %w", number, step.Say, err)
	}
	p.played = append(p.played, done)
	return done, nil
}

func (p *player) playWebhook(ctx context.Context, step storyStep, number int) (playedStep, error) {
	done := playedStep{storyStep: step}
	request, err := p.request(step, number)
	if err != nil {
		return done, err
	}
	done.request = request
	answer, err := p.post(ctx, step.Provider, request)
	if err != nil {
		return done, err
	}
	done.status = answer.status
	if answer.status == http.StatusUnauthorized {
		done.outcome, done.why = "refused", "nothing written"
		return done, nil
	}
	done.eventID, done.first = answer.Event.ID, answer.FirstDelivery
	if !answer.FirstDelivery {
		done.outcome, done.why = answer.Event.Outcome, p.whyRepeated(answer.Event.Outcome)
		return done, nil
	}
	event, err := p.settled(ctx, done.eventID)
	if err != nil {
		return done, err
	}
	done.outcome, done.why = inWords(event)
	return done, p.seeWoken(ctx, step, &done)
}

func (p *player) whyRepeated(outcome string) string {
	if outcome == "conflicting" {
		return "kept, not applied"
	}
	return "no effect"
}

// seeWoken looks at what the waiting event of an earlier step has become.
func (p *player) seeWoken(ctx context.Context, step storyStep, done *playedStep) error {
	if step.Wakes == 0 {
		return nil
	}
	event, err := p.settled(ctx, p.played[step.Wakes-1].eventID)
	if err != nil {
		return err
	}
	done.woken, _ = inWords(event)
	if order := event.GetDecisions(); len(order) > 0 {
		done.why += fmt.Sprintf("; wakes %d: %s", step.Wakes, order[0].GetToStatus())
	}
	return nil
}

// request makes a step's request with its proof, or repeats an earlier one's bytes.
func (p *player) request(step storyStep, number int) (*provider.Request, error) {
	if step.Repeat > 0 {
		return p.played[step.Repeat-1].request, nil
	}
	kind, sample, err := findSample(step.Provider, step.Sample)
	if err != nil {
		return nil, err
	}
	request, err := sample.Request(step.values(number, p.now))
	if err != nil {
		return nil, err
	}
	if len(step.Replace) == 2 {
		request.Body = bytes.ReplaceAll(request.Body, []byte(step.Replace[0]), []byte(step.Replace[1]))
	}
	secret := p.secret
	if step.Forge {
		secret = "not-the-secret-of-this-shop"
	}
	kind.Sign(request, secret, time.Now())
	return request, nil
}

type webhookAnswer struct {
	status int
	Event  struct {
		ID      string `json:"id"`
		State   string `json:"state"`
		Outcome string `json:"outcome"`
	} `json:"event"`
	FirstDelivery bool `json:"first_delivery"`
}

func (p *player) post(ctx context.Context, providerName string, request *provider.Request) (webhookAnswer, error) {
	url := p.server.url + "/webhooks/" + demoAccount + "/" + providerName
	outgoing, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(request.Body))
	if err != nil {
		return webhookAnswer{}, err
	}
	outgoing.Header = request.Header.Clone()
	response, err := http.DefaultClient.Do(outgoing)
	if err != nil {
		return webhookAnswer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return webhookAnswer{}, err
	}
	answer := webhookAnswer{status: response.StatusCode}
	if response.StatusCode/100 != 2 {
		return answer, nil
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, fmt.Errorf("answer of %s: %w", providerName, err)
	}
	return answer, nil
}

// settled waits until the worker has looked at an event.
func (p *player) settled(ctx context.Context, eventID string) (*waybill.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		event, err := p.client.GetEvent(ctx, &waybill.GetEventRequest{Account: demoAccount, EventId: eventID})
		if err != nil {
			return nil, err
		}
		if event.GetState() != waybillv1.EventState_EVENT_STATE_RECEIVED {
			return event, nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("event %s was not decided within %s: %w", eventID, settleWithin, ctx.Err())
		}
	}
}

// inWords is an event as the story tells it: the state of an unfinished one, the outcome of a finished one, and why.
func inWords(event *waybill.Event) (outcome, why string) {
	outcome, why = waybill.Word(event.GetState()), event.GetReason()
	if event.GetState() != waybillv1.EventState_EVENT_STATE_COMPLETED {
		return outcome, why
	}
	outcome = waybill.Word(event.GetOutcome())
	for _, decision := range event.GetDecisions() {
		if decision.GetOutcome() == event.GetOutcome() {
			return outcome, decision.GetReason()
		}
	}
	return outcome, why
}

// playKill records orders, then their payments, kills the server the moment the last payment is acknowledged, starts
// it again, and waits until every payment is decided.
func (p *player) playKill(ctx context.Context, step storyStep) (playedStep, error) {
	done := playedStep{storyStep: step}
	for i := range step.Kill {
		payment := step
		payment.Order = fmt.Sprint(2001 + i)
		number := 100 + 2*i
		placed := storyStep{Provider: p.played[0].Provider, Sample: p.played[0].Sample, Order: payment.Order}
		for n, part := range []storyStep{placed, payment} {
			request, err := p.request(part, number+n)
			if err != nil {
				return done, err
			}
			answer, err := p.post(ctx, part.Provider, request)
			if err != nil {
				return done, err
			}
			if answer.status/100 != 2 {
				return done, fmt.Errorf("answer %d", answer.status)
			}
			done.events = append(done.events, answer.Event.ID)
		}
	}
	if err := errors.Join(p.server.kill(), p.server.start(ctx)); err != nil {
		return done, err
	}
	for _, id := range done.events {
		if _, err := p.settled(ctx, id); err != nil {
			return done, err
		}
	}
	done.outcome, done.why = "taken over", "each done once"
	return done, nil
}
