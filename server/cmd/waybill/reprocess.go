package main

import (
	"context"
	"strings"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

type reprocessCommand struct {
	apiFlags `embed:""`

	Event     string `arg:"" help:"The event's id." name:"event-id"`
	Reason    string `help:"Why, for the audit log." placeholder:"TEXT" required:""`
	DryRun    bool   `help:"Only show what would happen."`
	Abandon   bool   `help:"Give the event up for good instead of deciding it again."`
	RequestID string `help:"Id of this request: the same id gets the same answer, however often. Default: a new one." placeholder:"ID"`
}

// Run decides an event again, or shows what that would do.
func (c *reprocessCommand) Run(ctx context.Context, g *globals, out *output) error {
	client, account, err := c.connect(g)
	if err != nil {
		return err
	}
	request := &waybill.ReprocessRequest{
		Account:    account,
		Target:     &waybillv1.ReprocessRequest_EventId{EventId: c.Event},
		Reason:     c.Reason,
		RequestId:  c.RequestID,
		Resolution: waybillv1.Resolution_RESOLUTION_RETRY,
	}
	if c.Abandon {
		request.Resolution = waybillv1.Resolution_RESOLUTION_ABANDON
	}
	do := client.Reprocess
	if c.DryRun {
		do = client.PreviewReprocess
	}

	result, err := do(ctx, request)
	if err != nil {
		return c.explain(err)
	}
	if out.json {
		return out.message(result)
	}
	c.show(out, result)
	return nil
}

func (c *reprocessCommand) explain(err error) error {
	told := explain(err)
	if told.code == string(waybill.KindNotFound) {
		told.message = "event " + c.Event + ": it does not exist, or is not for this key"
		told.next = "waybill pending, to see what is unfinished"
	}
	if told.code == string(waybill.KindConflict) {
		told.message = "event " + c.Event + ": " + told.message
		told.next = "waybill events " + c.Event
	}
	return told
}

func (c *reprocessCommand) show(out *output, result *waybill.ReprocessResponse) {
	before, after := result.GetBefore(), result.GetAfter()
	moved := "Now"
	if c.DryRun {
		moved = "Would be"
	}
	out.facts(
		fact{label: "Event", text: c.Event},
		standing("Before", before),
		standing(moved, after),
		fact{label: "Changed", text: c.changed(before, after)},
		fact{label: "Audit", text: result.GetAudit().GetId()},
		fact{label: "By", text: result.GetAudit().GetOperator()},
		fact{label: "Request", text: result.GetAudit().GetRequestId()},
	)
	block(out, "Decisions", decisionGrid(out, after))
	if c.DryRun {
		out.gap()
		if out.terminal {
			out.line("Nothing was done. Without --dry-run it is.")
		}
	}
}

func (c *reprocessCommand) changed(before, after *waybill.Event) string {
	if before.GetState() == after.GetState() && before.GetOutcome() == after.GetOutcome() &&
		before.GetReason() == after.GetReason() {
		return "nothing"
	}
	return ""
}

// standing is an event's state, its outcome once it has one, and why.
func standing(label string, event *waybill.Event) fact {
	stands := fact{label: label, word: waybill.Word(event.GetState()), text: event.GetReason()}
	if outcome := waybill.Word(event.GetOutcome()); outcome != "" && outcome != stands.word {
		stands.text = strings.TrimSpace("(" + outcome + ") " + stands.text)
	}
	return stands
}
