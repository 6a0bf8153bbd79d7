package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// promise is one of the product's promises and the check that the story kept it. The check asks the running server.
type promise struct {
	text  string
	check func(p *player, ctx context.Context) error
	// show is the command with which a reader sees it.
	show string
}

var promises = []promise{
	{"receipt: what was answered 2xx is there, also after a kill", (*player).checkReceipts, "waybill events"},
	{"identity: a repeat is a duplicate, another amount under the same id is kept apart", (*player).checkIdentity, "waybill events --outcome conflicting"},
	{"received is not completed: every event has its outcome, or stands among the unfinished", (*player).checkOutcomes, "waybill pending"},
	{"no regression: a late scan moves nothing back", (*player).checkNoRegression, "waybill status 1002"},
	{"once: one payment counts once, whichever types report it", (*player).checkPaidOnce, "waybill status 1001"},
	{"one transaction: what a killed server had in hand is done, and once", (*player).checkTakenOver, "waybill status 2001"},
	{"nothing incomplete is invisible", (*player).checkVisible, "waybill pending"},
	{"reprocess: needs a reason, shows first, changes nothing that is finished", (*player).checkReprocess, "waybill reprocess"},
	{"nobody is let in: no proof, no record; no key, no answer", (*player).checkClosed, "waybill events"},
}

func (p *player) event(ctx context.Context, id string) (*waybill.Event, error) {
	return p.client.GetEvent(ctx, &waybill.GetEventRequest{Account: demoAccount, EventId: id})
}

func (p *player) order(ctx context.Context, number string) (*waybill.Order, error) {
	return p.client.GetOrder(ctx, waybill.OrderNumber(demoAccount, number))
}

func (p *player) checkReceipts(ctx context.Context) error {
	for _, step := range p.played {
		for _, id := range append(step.events, step.eventID) {
			if id == "" {
				continue
			}
			if _, err := p.event(ctx, id); err != nil {
				return fmt.Errorf("%s was answered 2xx: %w", id, err)
			}
		}
	}
	return nil
}

func (p *player) checkIdentity(ctx context.Context) error {
	for number, step := range p.played {
		original := step.Repeat + step.As
		if original == 0 {
			continue
		}
		if first := p.played[original-1].eventID; step.eventID != first || step.first {
			return fmt.Errorf("step %d became an event of its own beside step %d", number+1, original)
		}
		event, err := p.event(ctx, step.eventID)
		if err != nil {
			return err
		}
		if len(event.GetDeliveries()) != 2 {
			return fmt.Errorf("event %s shows %d deliveries, not 2", step.eventID, len(event.GetDeliveries()))
		}
	}
	return nil
}

func (p *player) checkOutcomes(ctx context.Context) error {
	unfinished := make(map[string]bool)
	for item, err := range p.client.PendingWork(ctx, &waybill.ListPendingWorkRequest{Account: demoAccount}) {
		if err != nil {
			return err
		}
		unfinished[item.GetWorkId()] = true
	}
	for event, err := range p.client.Events(ctx, &waybill.ListEventsRequest{Account: demoAccount}) {
		if err != nil {
			return err
		}
		completed := event.GetState() == waybillv1.EventState_EVENT_STATE_COMPLETED
		decided := event.GetOutcome() != waybillv1.Outcome_OUTCOME_UNSPECIFIED
		if completed != decided && !unfinished[event.GetId()] || completed == unfinished[event.GetId()] {
			return fmt.Errorf("event %s is %s and stands nowhere", event.GetId(), waybill.Word(event.GetState()))
		}
	}
	return nil
}

func (p *player) checkNoRegression(ctx context.Context) error {
	order, err := p.order(ctx, "1002")
	if err != nil {
		return err
	}
	if order.GetStatus() != waybillv1.OrderStatus_ORDER_STATUS_DELIVERED {
		return fmt.Errorf("order 1002 was delivered and is now %s", waybill.Word(order.GetStatus()))
	}
	return nil
}

func (p *player) checkPaidOnce(ctx context.Context) error {
	order, err := p.order(ctx, "1001")
	if err != nil {
		return err
	}
	if order.GetPaid().GetMinorUnits() != demoAmount {
		return fmt.Errorf("order 1001 has %d paid, not %d", order.GetPaid().GetMinorUnits(), demoAmount)
	}
	return nil
}

func (p *player) checkTakenOver(ctx context.Context) error {
	last := p.played[len(p.played)-1]
	for i := range last.Kill {
		order, err := p.order(ctx, fmt.Sprint(2001+i))
		if err != nil {
			return err
		}
		moves := 0
		for _, entry := range order.GetTimeline() {
			if entry.GetKind() == waybillv1.TimelineKind_TIMELINE_KIND_PAYMENT_STATUS && entry.GetToStatus() == "paid" {
				moves++
			}
		}
		if moves != 1 || order.GetPaid().GetMinorUnits() != demoAmount {
			return fmt.Errorf("order %s became paid %d times", order.GetOrderNumber(), moves)
		}
	}
	return nil
}

func (p *player) checkVisible(ctx context.Context) error {
	page, err := p.client.ListPendingWork(ctx, &waybill.ListPendingWorkRequest{Account: demoAccount})
	if err != nil {
		return err
	}
	var counted int64
	for _, count := range page.GetSummary().GetCounts() {
		counted += count.GetCount()
	}
	if counted != int64(len(page.GetItems())) || counted == 0 || page.GetSummary().GetOldestWaitingAt() == nil {
		return fmt.Errorf("%d items are shown, %d are counted", len(page.GetItems()), counted)
	}
	for _, item := range page.GetItems() {
		if item.GetReason() == "" || item.GetWhoActs() == waybillv1.Actor_ACTOR_UNSPECIFIED {
			return fmt.Errorf("item %s does not say why it stands, or who must act", item.GetWorkId())
		}
	}
	return nil
}

func (p *player) checkReprocess(ctx context.Context) error {
	finished := p.played[0].eventID
	request := &waybill.ReprocessRequest{
		Account: demoAccount,
		Target:  &waybillv1.ReprocessRequest_EventId{EventId: finished},
	}
	if _, err := p.client.Reprocess(ctx, request); !errors.Is(err, waybill.ErrInvalid) {
		return fmt.Errorf("a reprocess without a reason was answered %w", err)
	}
	request.Reason = "the demo looks whether anything moves"
	before, err := p.order(ctx, "1001")
	if err != nil {
		return err
	}
	if _, err := p.client.PreviewReprocess(ctx, request); err != nil {
		return err
	}
	if _, err := p.client.Reprocess(ctx, request); err != nil {
		return err
	}
	after, err := p.order(ctx, "1001")
	if err != nil {
		return err
	}
	if before.GetCursor() != after.GetCursor() {
		return fmt.Errorf("reprocessing the finished event %s changed order 1001", finished)
	}
	return nil
}

func (p *player) checkClosed(ctx context.Context) error {
	for number, step := range p.played {
		if step.Forge && (step.status != http.StatusUnauthorized || step.eventID != "") {
			return fmt.Errorf("the forged body of step %d was answered %d", number+1, step.status)
		}
	}
	stranger, err := waybill.New(p.server.url)
	if err != nil {
		return err
	}
	_, err = stranger.GetOrder(ctx, waybill.OrderNumber(demoAccount, "1001"))
	if !errors.Is(err, waybill.ErrUnauthenticated) {
		return fmt.Errorf("a caller without a key was answered %w", err)
	}
	log, err := p.server.logText()
	if err != nil {
		return err
	}
	if strings.Contains(log, p.secret) {
		return errors.New("the server's log holds the webhook secret")
	}
	return nil
}
