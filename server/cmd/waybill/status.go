package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
)

type statusCommand struct {
	apiFlags `embed:""`

	Number      string `arg:"" help:"The order's number." optional:""`
	Consignment string `help:"Name the order by one of its parcels instead." placeholder:"ID"`
}

// Help tells what the short help can't.
func (*statusCommand) Help() string {
	return "Where stdout is not a terminal: the order's facts as name and value, then lines that begin with parcel, " +
		"step, fact or attention. --json prints the whole order as one object."
}

// Run shows an order.
func (c *statusCommand) Run(ctx context.Context, g *globals, out *output) error {
	if (c.Number == "") == (c.Consignment == "") {
		return usage("name one order, by its number or by a parcel", "waybill status NUMBER, or --consignment ID")
	}
	client, account, err := c.connect(g)
	if err != nil {
		return err
	}
	shown, err := client.GetOrder(ctx, c.ref(account))
	if err != nil {
		return c.explain(err)
	}
	if out.json {
		return out.message(shown)
	}
	showOrder(out, shown)
	return nil
}

func (c *statusCommand) ref(account string) waybill.OrderRef {
	if c.Consignment != "" {
		return waybill.Consignment(account, c.Consignment)
	}
	return waybill.OrderNumber(account, c.Number)
}

func (c *statusCommand) explain(err error) error {
	told := explain(err)
	if told.code != string(waybill.KindNotFound) {
		return told
	}
	what, next := "order "+c.Number, "waybill pending, to see whether events wait for it"
	if c.Consignment != "" {
		what = "order of parcel " + c.Consignment
	}
	told.message = what + ": it does not exist, or is not for this key"
	told.next = next
	return told
}

func showOrder(out *output, shown *waybillv1.Order) {
	out.facts(
		fact{label: "Order", text: shown.GetOrderNumber()},
		fact{label: "Account", text: shown.GetAccount()},
		fact{label: "Status", word: waybill.Word(shown.GetStatus())},
		fact{label: "Payment", word: waybill.Word(shown.GetPaymentStatus())},
		fact{label: "Total", text: money(shown.GetTotal())},
		fact{label: "Paid", text: money(shown.GetPaid())},
		fact{label: "Changed", text: out.when(timeOf(shown.GetUpdatedAt()))},
	)
	block(out, "Needs a person", attentionGrid(out, shown))
	block(out, "Facts", factGrid(shown))
	block(out, "Parcels", parcelGrid(out, shown))
	block(out, "Timeline", timelineGrid(out, shown))
}

// block prints a grid under its name.
func block(out *output, name string, g *grid) {
	if len(g.rows) == 0 {
		return
	}
	out.gap()
	if out.terminal {
		out.line("%s", name)
	}
	out.grid(g)
}

func attentionGrid(out *output, shown *waybillv1.Order) *grid {
	g := &grid{kind: "attention", columns: []column{
		{}, {title: "Why", outcome: true}, {title: out.zoned("Since"), spare: 1}, {title: "Event"}, {title: "What", wraps: true},
	}}
	for _, attention := range shown.GetAttention() {
		g.add("!", attention.GetReason(), out.at(timeOf(attention.GetSince())), attention.GetEventId(), attention.GetDetail())
	}
	return g
}

func factGrid(shown *waybillv1.Order) *grid {
	g := &grid{kind: "fact", columns: []column{{title: "Fact"}, {title: "Parcel"}, {title: "Value", wraps: true}}}
	addFacts(g, "", shown.GetFacts())
	for _, shipment := range shown.GetShipments() {
		addFacts(g, shipment.GetConsignmentId(), shipment.GetFacts())
	}
	return g
}

func addFacts(g *grid, parcel string, facts map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		g.add(name, parcel, facts[name])
	}
}

func parcelGrid(out *output, shown *waybillv1.Order) *grid {
	g := &grid{kind: "parcel", columns: []column{
		{title: "Parcel"},
		{title: "Tracking number", spare: 2},
		{title: "Courier", spare: 1},
		{title: "Status", outcome: true},
		{title: out.zoned("Since")},
		{title: "Note", wraps: true},
	}}
	for _, shipment := range shown.GetShipments() {
		var notes []string
		if shipment.GetReturnParcel() {
			notes = append(notes, "a parcel on its way back")
		}
		if doubt := doubt(shipment.GetStatusAtCertainty()); doubt != "" {
			notes = append(notes, doubt)
		}
		g.add(shipment.GetConsignmentId(), shipment.GetTrackingNumber(), shipment.GetCourier(),
			waybill.Word(shipment.GetStatus()), out.at(timeOf(shipment.GetStatusAt())), strings.Join(notes, ", "))
	}
	return g
}

func timelineGrid(out *output, shown *waybillv1.Order) *grid {
	g := &grid{kind: "step", columns: []column{
		{title: out.zoned("When")},
		{title: "What"},
		{title: "Parcel", spare: 2},
		{title: "Said by", spare: 3},
		{title: "Event", spare: 1},
		{title: "Note", wraps: true},
	}}
	for _, step := range shown.GetTimeline() {
		at := timeOf(step.GetOccurredAt())
		if at.IsZero() {
			at = timeOf(step.GetRecordedAt())
		}
		var notes []string
		if step.GetKind() == waybillv1.TimelineKind_TIMELINE_KIND_LATE {
			notes = append(notes, "came late, moved nothing")
		}
		if len(step.GetSkipped()) > 0 {
			notes = append(notes, "skipped "+strings.Join(step.GetSkipped(), ", "))
		}
		if doubt := doubt(step.GetOccurredAtCertainty()); doubt != "" {
			notes = append(notes, doubt)
		}
		g.add(out.at(at), move(step.GetFromStatus(), step.GetToStatus()), step.GetShipment(), step.GetProvider(),
			step.GetEventId(), strings.Join(notes, "; "))
	}
	return g
}

func move(from, to string) string {
	if from == "" || to == "" {
		return from + to
	}
	return from + " → " + to
}

// doubt words how sure a time is, where it is not sure.
func doubt(certainty waybillv1.OccurredAtCertainty) string {
	switch certainty {
	case waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED:
		return "zone assumed"
	case waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING:
		return "time of receipt"
	case waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_FUTURE:
		return "said a later time; time of receipt"
	case waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_UNSPECIFIED,
		waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT:
	}
	return ""
}

func money(amount *waybillv1.Money) string {
	if amount == nil {
		return ""
	}
	return order.Money{Currency: amount.GetCurrency(), MinorUnits: amount.GetMinorUnits()}.String()
}

// timeOf reads a time. Unset is the zero time.
func timeOf(at *timestamppb.Timestamp) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.AsTime()
}
