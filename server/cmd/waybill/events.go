package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	waybill "github.com/waybillhq/waybill/clients/go"
)

type eventsCommand struct {
	apiFlags `embed:""`

	Event    string `arg:"" help:"Show this event." name:"event-id" optional:""`
	Raw      bool   `help:"With an event: write its untouched bytes to stdout. Needs the scope payload."`
	Outcome  string `help:"Only events with a change of this outcome, for example conflicting." placeholder:"WORD"`
	Order    string `help:"Only events that touched this order." placeholder:"NUMBER"`
	Provider string `help:"Only events of this provider." placeholder:"NAME"`
	Since    string `help:"Only events received since: 2h, 2026-11-29, or 2026-11-29T14:00:00+06:00." placeholder:"TIME"`
	Until    string `help:"Only events received before." placeholder:"TIME"`
	Limit    int    `default:"100" help:"At most this many; 0 for all."`
}

// Run lists events, or shows one.
func (c *eventsCommand) Run(ctx context.Context, g *globals, out *output) error {
	if err := c.check(out); err != nil {
		return err
	}
	client, account, err := c.connect(g)
	if err != nil {
		return err
	}
	if c.Event != "" {
		return c.showOne(ctx, client, account, out)
	}
	request, err := c.request(account, out)
	if err != nil {
		return err
	}
	return c.list(ctx, client, request, out)
}

func (c *eventsCommand) check(out *output) error {
	filtered := c.Outcome+c.Order+c.Provider+c.Since+c.Until != ""
	switch {
	case c.Event != "" && filtered:
		return usage("an event's id and filters do not go together", "waybill events "+c.Event)
	case c.Raw && c.Event == "":
		return usage("--raw needs an event", "waybill events EVENT_ID --raw")
	case c.Raw && out.json:
		return usage("--raw writes the bytes as they are, so it does not go with --json", "waybill events "+c.Event+" --raw")
	case c.Limit < 0:
		return usage("--limit is negative", "--limit 0 for all events")
	}
	if _, known := outcomes[c.Outcome]; c.Outcome != "" && !known {
		words := strings.Join(slices.Sorted(maps.Keys(outcomes)), ", ")
		return usage(fmt.Sprintf("--outcome: %q is none; there are %s", c.Outcome, words), "waybill events --outcome conflicting")
	}
	return nil
}

func (c *eventsCommand) request(account string, out *output) (*waybill.ListEventsRequest, error) {
	request := &waybill.ListEventsRequest{
		Account:     account,
		Outcome:     outcomes[c.Outcome],
		OrderNumber: c.Order,
		Provider:    c.Provider,
		PageSize:    pageSize(c.Limit),
	}
	after, err := moment("--since", c.Since, out)
	if err != nil {
		return nil, err
	}
	before, err := moment("--until", c.Until, out)
	if err != nil {
		return nil, err
	}
	request.ReceivedAfter, request.ReceivedBefore = stampOf(after), stampOf(before)
	return request, nil
}

// list prints events as they come: a long list shows its beginning at once, where a program reads it.
func (c *eventsCommand) list(ctx context.Context, client *waybill.Client, request *waybill.ListEventsRequest, out *output) error {
	listed := eventGrid(out)
	count, more := 0, false
	for event, err := range client.Events(ctx, request) {
		if err != nil {
			return err
		}
		if c.Limit > 0 && count == c.Limit {
			more = true
			break
		}
		count++
		if out.json {
			if err := out.message(event); err != nil {
				return err
			}
			continue
		}
		addEvent(out, listed, event)
	}
	out.grid(listed)
	if out.terminal && !out.json {
		c.tell(out, count, more)
	}
	return nil
}

func (c *eventsCommand) tell(out *output, count int, more bool) {
	if count == 0 {
		out.line("No event%s.", c.asked())
	}
	if more {
		out.line("There are more: --limit 0 shows all, --until narrows.")
	}
}

// asked repeats the filters, so that an empty answer says to what.
func (c *eventsCommand) asked() string {
	var filters []string
	for _, filter := range [][2]string{
		{"outcome", c.Outcome}, {"order", c.Order}, {"provider", c.Provider}, {"since", c.Since}, {"until", c.Until},
	} {
		if filter[1] != "" {
			filters = append(filters, filter[0]+" "+filter[1])
		}
	}
	if len(filters) == 0 {
		return " was received yet"
	}
	return " with " + strings.Join(filters, ", ")
}

func eventGrid(out *output) *grid {
	return &grid{columns: []column{
		{title: out.zoned("Received"), spare: 4},
		{title: "Id"},
		{title: "From", spare: 2},
		{title: "Type", spare: 1},
		{title: "State", outcome: true},
		{title: "Outcome", outcome: true},
		{title: "Order", spare: 3},
		{title: "Why", wraps: true},
	}}
}

func addEvent(out *output, g *grid, event *waybill.Event) {
	g.add(out.at(timeOf(event.GetReceivedAt())), event.GetId(), event.GetProvider(), event.GetEventType(),
		waybill.Word(event.GetState()), waybill.Word(event.GetOutcome()), strings.Join(event.GetOrderNumbers(), ", "),
		event.GetReason())
}

// moment reads a flag's time: how long ago, a day or an hour here, or a time with its zone. Nothing is the zero time.
func moment(flag, text string, out *output) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return out.now().Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, out.zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usage(fmt.Sprintf("%s: %q is not a time", flag, text),
		flag+" 2h, "+flag+" 2026-11-29, or "+flag+" 2026-11-29T14:00:00+06:00")
}

func stampOf(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}
