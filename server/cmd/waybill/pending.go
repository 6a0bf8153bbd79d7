package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

type pendingCommand struct {
	apiFlags `embed:""`

	State []string `enum:"received,waiting,parked,failed" help:"Only items in this state: received, waiting, parked, failed. Repeatable."`
	Kind  []string `help:"Only items of this kind, for example event. Repeatable."`
	Limit int      `default:"100" help:"At most this many items; 0 for all."`
	Check bool     `help:"Exit with code 3 if anything that the filters let through is unfinished."`
}

// Help tells what the short help can't.
func (*pendingCommand) Help() string {
	return "Where stdout is not a terminal: lines that begin with count, oldest_due, oldest_waiting or item. --json " +
		"prints {\"summary\":…} first, then one item a line. Counts and ages are of all that is unfinished, whatever the " +
		"filters and the limit."
}

// Run shows what is unfinished.
func (c *pendingCommand) Run(ctx context.Context, g *globals, out *output) error {
	if c.Limit < 0 {
		return usage("--limit is negative", "--limit 0 for all items")
	}
	client, account, err := c.connect(g)
	if err != nil {
		return err
	}
	request := c.request(account)
	first, err := client.ListPendingWork(ctx, request)
	if err != nil {
		return err
	}
	items, more, err := c.items(ctx, client, request, first)
	if err != nil {
		return err
	}

	if err := c.show(ctx, client, out, &pendingView{account: account, summary: first.GetSummary(), items: items, more: more}); err != nil {
		return err
	}
	if c.Check && c.matching(first.GetSummary()) > 0 {
		return exitError(exitUnfinished)
	}
	return nil
}

func (c *pendingCommand) request(account string) *waybill.ListPendingWorkRequest {
	request := &waybill.ListPendingWorkRequest{Account: account, Kinds: c.Kind, PageSize: pageSize(c.Limit)}
	for _, state := range c.State {
		request.States = append(request.States, eventStates[state])
	}
	return request
}

// items are the first page's and those of the pages after it, up to the limit.
func (c *pendingCommand) items(
	ctx context.Context, client *waybill.Client, request *waybill.ListPendingWorkRequest, first *waybill.ListPendingWorkResponse,
) (items []*waybill.WorkItem, more bool, err error) {
	items = first.GetItems()
	if first.GetNextPageToken() == "" {
		return items, false, nil
	}
	if c.Limit > 0 && len(items) >= c.Limit {
		return items, true, nil
	}
	request.PageToken = first.GetNextPageToken()
	for item, err := range client.PendingWork(ctx, request) {
		if err != nil {
			return nil, false, err
		}
		if c.Limit > 0 && len(items) == c.Limit {
			return items, true, nil
		}
		items = append(items, item)
	}
	return items, false, nil
}

// matching counts what the filters let through.
func (c *pendingCommand) matching(summary *waybillv1.WorkSummary) int64 {
	var total int64
	for _, count := range summary.GetCounts() {
		wanted := len(c.State) == 0 || slices.Contains(c.State, waybill.Word(count.GetState()))
		if wanted && (len(c.Kind) == 0 || slices.Contains(c.Kind, count.GetKind())) {
			total += count.GetCount()
		}
	}
	return total
}

// pendingView is what there is to show.
type pendingView struct {
	account string
	summary *waybillv1.WorkSummary
	items   []*waybill.WorkItem
	// more items stand behind the limit.
	more bool
}

func (c *pendingCommand) show(ctx context.Context, client *waybill.Client, out *output, view *pendingView) error {
	if out.json {
		return view.json(out)
	}
	if len(view.summary.GetCounts()) == 0 && out.terminal {
		out.line("Nothing unfinished.%s", proofOfLife(ctx, client, out, view.account))
		return nil
	}
	view.showSummary(out)
	if len(view.items) == 0 && out.terminal {
		out.gap()
		out.line("None of it passes the filters: %s", strings.Join(append(slices.Clone(c.State), c.Kind...), ", "))
		return nil
	}
	block(out, "Longest unfinished first", view.grid(out))
	if view.more && out.terminal {
		out.line("There are more: --limit 0 shows all.")
	}
	return nil
}

func (v *pendingView) json(out *output) error {
	if err := out.message(&waybillv1.ListPendingWorkResponse{Summary: v.summary}); err != nil {
		return err
	}
	for _, item := range v.items {
		if err := out.message(item); err != nil {
			return err
		}
	}
	return nil
}

func (v *pendingView) showSummary(out *output) {
	counts := &grid{kind: "count", columns: []column{{title: "Kind"}, {title: "State", outcome: true}, {title: "Count", right: true}}}
	for _, count := range v.summary.GetCounts() {
		counts.add(count.GetKind(), waybill.Word(count.GetState()), strconv.FormatInt(count.GetCount(), 10))
	}
	out.grid(counts)
	out.gap()
	out.facts(
		fact{label: "Oldest due", text: out.age(timeOf(v.summary.GetOldestDueAt()), "late")},
		fact{label: "Oldest waiting", text: out.age(timeOf(v.summary.GetOldestWaitingAt()), "since first receipt")},
	)
}

func (v *pendingView) grid(out *output) *grid {
	g := &grid{kind: "item", columns: []column{
		{},
		{title: "Id"},
		{title: "State", outcome: true},
		{title: "From", spare: 5},
		{title: "Type", spare: 2},
		{title: "Who acts"},
		{title: "Next attempt", spare: 4},
		{title: "Tries", right: true, spare: 1},
		{title: "Unfinished", right: true, spare: 3},
		{title: "Why", wraps: true},
	}}
	for _, item := range v.items {
		mark := ""
		if item.GetWhoActs() == waybillv1.Actor_ACTOR_OPERATOR {
			mark = "!"
		}
		g.add(mark, item.GetWorkId(), waybill.Word(item.GetState()), item.GetProvider(), item.GetEventType(),
			waybill.Word(item.GetWhoActs()), out.next(timeOf(item.GetNextAttemptAt())), strconv.Itoa(int(item.GetAttempts())),
			out.unfinished(timeOf(item.GetReceivedAt())), item.GetReason())
	}
	return g
}

// age is how old something is, and for people since when.
func (o *output) age(since time.Time, word string) string {
	if since.IsZero() || !o.terminal {
		return o.at(since)
	}
	return fmt.Sprintf("%s %s, %s", o.span(since), word, o.exactly(since))
}

func (o *output) unfinished(since time.Time) string {
	if since.IsZero() || !o.terminal {
		return o.at(since)
	}
	return o.span(since)
}

func (o *output) next(at time.Time) string {
	if at.IsZero() || !o.terminal {
		return o.at(at)
	}
	if wait := at.Sub(o.now()); wait > 0 {
		return "in " + span(wait)
	}
	return "now"
}

// proofOfLife shows that empty is not broken: who was heard last, and when.
func proofOfLife(ctx context.Context, client *waybill.Client, out *output, account string) string {
	providers, err := client.ListProviders(ctx, account)
	if err != nil {
		return "" // it is only an addition
	}
	var last *waybill.Provider
	for _, provider := range providers {
		if at := timeOf(provider.GetLastReceivedAt()); !at.IsZero() && (last == nil || at.After(timeOf(last.GetLastReceivedAt()))) {
			last = provider
		}
	}
	if last == nil {
		return " No event was ever received."
	}
	return fmt.Sprintf(" Last event %s ago (%s).", out.span(timeOf(last.GetLastReceivedAt())), last.GetName())
}

const largestPage = 1000

func pageSize(limit int) int32 {
	if limit <= 0 || limit > largestPage {
		return largestPage
	}
	return int32(limit)
}
