package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// showOne shows an event with everything recorded about it, or writes its bytes.
func (c *eventsCommand) showOne(ctx context.Context, client *waybill.Client, account string, out *output) error {
	event, err := client.GetEvent(ctx, &waybill.GetEventRequest{Account: account, EventId: c.Event, IncludeRaw: c.Raw})
	if err != nil {
		return c.explain(err)
	}
	if c.Raw {
		return c.writeRaw(event, out)
	}
	if out.json {
		return out.message(event)
	}
	showEvent(out, event)
	return nil
}

func (c *eventsCommand) explain(err error) error {
	told := explain(err)
	if told.code == string(waybill.KindNotFound) {
		told.message = "event " + c.Event + ": it does not exist, or is not for this key"
		told.next = "waybill events"
	}
	return told
}

func (c *eventsCommand) writeRaw(event *waybill.Event, out *output) error {
	if event.GetRaw() == nil {
		return &failure{
			exit: exitFailed, code: "no_bytes",
			message: "event " + c.Event + ": its bytes are gone, or it came without any",
			next:    "waybill events " + c.Event,
		}
	}
	out.print(string(event.GetRaw().GetBody()))
	return nil
}

func showEvent(out *output, event *waybill.Event) {
	occurred := out.exactly(timeOf(event.GetOccurredAt()))
	if doubt := doubt(event.GetOccurredAtCertainty()); doubt != "" {
		occurred = strings.TrimPrefix(occurred+" ("+doubt+")", " ")
	}
	out.facts(
		fact{label: "Event", text: event.GetId()},
		fact{label: "Account", text: event.GetAccount()},
		fact{label: "From", text: event.GetProvider()},
		fact{label: "Type", text: event.GetEventType()},
		fact{label: "Identity", text: event.GetEventId()},
		fact{label: "Occurred", text: occurred},
		fact{label: "Received", text: out.when(timeOf(event.GetReceivedAt()))},
		fact{label: "State", word: waybill.Word(event.GetState())},
		fact{label: "Outcome", word: waybill.Word(event.GetOutcome())},
		fact{label: "Why", text: event.GetReason()},
		fact{label: "Orders", text: strings.Join(event.GetOrderNumbers(), ", ")},
		fact{label: "Translator", text: event.GetTranslatorVersion()},
		fact{label: "Translated from", text: event.GetParentId()},
		fact{label: "Became", text: strings.Join(event.GetChildIds(), ", ")},
	)
	block(out, "Names", referenceGrid(event))
	block(out, "Says", changeGrid("change", event.GetChanges()))
	block(out, "Decisions", decisionGrid(out, event))
	block(out, "Deliveries", deliveryGrid(out, event))
	for i, delivery := range event.GetDeliveries() {
		block(out, fmt.Sprintf("Delivery %d says something else", i+1), changeGrid("variant", delivery.GetChanges()))
	}
}

func referenceGrid(event *waybill.Event) *grid {
	g := &grid{kind: "reference", columns: []column{{title: "Kind"}, {title: "Value", wraps: true}}}
	for _, reference := range event.GetReferences() {
		g.add(waybill.Word(reference.GetKind()), reference.GetValue())
	}
	return g
}

// changeGrid writes each change as its word and its fields as JSON.
func changeGrid(kind string, changes []*waybillv1.Change) *grid {
	g := &grid{kind: kind, columns: []column{{title: "Change", right: true}, {title: "What"}, {title: "Fields", wraps: true}}}
	for i, change := range changes {
		word, fields := describe(change)
		g.add(strconv.Itoa(i), word, fields)
	}
	return g
}

func describe(change *waybillv1.Change) (word, fields string) {
	reflected := change.ProtoReflect()
	which := reflected.WhichOneof(reflected.Descriptor().Oneofs().ByName("change"))
	if which == nil {
		return "", ""
	}
	text, err := protojson.Marshal(reflected.Get(which).Message().Interface())
	if err != nil {
		return string(which.Name()), ""
	}
	return string(which.Name()), string(compact(text))
}

func decisionGrid(out *output, event *waybill.Event) *grid {
	g := &grid{kind: "decision", columns: []column{
		{title: "Change", right: true},
		{title: "Outcome", outcome: true},
		{title: "Status", spare: 4},
		{title: "Order", spare: 5},
		{title: "Parcel", spare: 3},
		{title: out.zoned("Decided"), spare: 2},
		{title: "Rev", right: true, spare: 1},
		{title: "Why", wraps: true},
	}}
	for _, decision := range event.GetDecisions() {
		why := decision.GetReason()
		if len(decision.GetSkipped()) > 0 {
			why = strings.TrimPrefix(why+"; skipped "+strings.Join(decision.GetSkipped(), ", "), "; ")
		}
		g.add(strconv.Itoa(int(decision.GetChangeIndex())), waybill.Word(decision.GetOutcome()),
			move(decision.GetFromStatus(), decision.GetToStatus()), decision.GetOrderNumber(), decision.GetShipment(),
			out.at(timeOf(decision.GetDecidedAt())), strconv.Itoa(int(decision.GetRevision())), why)
	}
	return g
}

func deliveryGrid(out *output, event *waybill.Event) *grid {
	g := &grid{kind: "delivery", columns: []column{
		{title: out.zoned("Received")},
		{title: "Receipt", outcome: true},
		{title: "Body SHA-256"},
		{title: "Further", right: true},
		{title: "Delivery id", wraps: true},
	}}
	for _, delivery := range event.GetDeliveries() {
		further := ""
		if delivery.GetFurther() > 0 {
			further = strconv.FormatInt(delivery.GetFurther(), 10)
		}
		g.add(out.at(timeOf(delivery.GetReceivedAt())), waybill.Word(delivery.GetReceipt()), out.digest(delivery.GetBodySha256()),
			further, delivery.GetDeliveryId())
	}
	return g
}

// digest is, for people, long enough to tell two bodies apart.
func (o *output) digest(hex string) string {
	const enough = 12
	if !o.terminal || len(hex) <= enough {
		return hex
	}
	return hex[:enough] + "…"
}
