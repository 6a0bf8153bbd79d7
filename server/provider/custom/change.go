package custom

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// change is something that events may say, compiled.
type change struct {
	when *expression
	time *expression
	// ignored says why nobody needs the event. Empty: it is needed.
	ignored string
	make    maker
}

// kindOfChange is what a kind of change reads.
type kindOfChange struct {
	// needs are fields that it can't do without, reads the others.
	needs, reads []string
	// compile gives what makes the changes of an event. Nil: the kind makes none.
	compile func(b *builder) maker
}

// maker makes the changes of an event, and adds what they name.
type maker func(s *scope, names *provider.References) ([]*waybillv1.Change, error)

var parcelFields = []string{"consignment_id", "tracking_number", "fulfilment_id", "return_parcel"}

// kinds are the kinds of changes that settings may write.
var kinds = map[string]kindOfChange{
	"status_changed": {
		needs: []string{"status"}, reads: with(parcelFields, "status_map", "reason", "courier", "location"), compile: statusChanged,
	},
	"shipment_announced": {reads: with(parcelFields, "courier", "units"), compile: shipmentAnnounced},
	"checkpoint":         {reads: with(parcelFields, "description", "location"), compile: checkpoint},
	"payment_reported": {
		needs:   []string{"state"},
		reads:   []string{"state_map", "payment_id", "amount", "currency", "evidence", "cash_on_delivery"},
		compile: paymentReported,
	},
	"refund_reported": {
		needs: []string{"amount"}, reads: []string{"currency", "payment_id", "refund_id", "running_total"}, compile: refundReported,
	},
	"dispute_reported": {
		needs: []string{"dispute_id", "state"}, reads: []string{"state_map", "payment_id", "amount", "currency"}, compile: disputeReported,
	},
	"order_placed":    {reads: []string{"order_id", "order_number", "amount", "currency", "lines"}, compile: orderPlaced},
	"order_cancelled": {reads: []string{"reason"}, compile: orderCancelled},
	"fact": {
		needs: []string{"name"}, reads: with(parcelFields, "description", "amount", "currency", "needs_attention"), compile: fact,
	},
	"ignored": {reads: []string{"because"}},
}

func with(fields []string, more ...string) []string { return slices.Concat(fields, more) }

// builder compiles one change.
type builder struct {
	*compiler

	path string
	set  *configv1.CustomChange
	cfg  *configv1.Provider
	plan *plan
}

func changesOf(c *compiler, cfg *configv1.Provider, p *plan) []change {
	var made []change
	for i, set := range cfg.GetCustom().GetChanges() {
		b := &builder{compiler: c, path: fmt.Sprintf("custom.changes[%d]", i), set: set, cfg: cfg, plan: p}
		made = append(made, b.change())
	}
	return made
}

func (b *builder) change() change {
	kind := kinds[b.set.GetKind()]
	b.checkFields(kind)
	made := change{when: b.part("when", b.set.GetWhen(), picks, aBool), time: b.part("time", b.set.GetTime(), facts, aText)}
	if kind.compile != nil {
		made.make = kind.compile(b)
		return made
	}
	made.ignored = "the settings need nothing of it"
	if b.set.GetBecause() != "" {
		made.ignored = b.set.GetBecause()
	}
	return made
}

// checkFields reports what a kind of change doesn't read: it would seem to do something.
func (b *builder) checkFields(kind kindOfChange) {
	message := b.set.ProtoReflect()
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		name := string(fields.Get(i).Name())
		known := slices.Contains(kind.needs, name) || slices.Contains(kind.reads, name) || name == "when" || name == "kind" || name == "time"
		if message.Has(fields.Get(i)) && !known {
			b.report(b.path+"."+name, "a change of kind "+b.set.GetKind()+" has no "+name+": take it away")
		}
	}
	for _, name := range kind.needs {
		if !message.Has(fields.ByName(protoreflect.Name(name))) {
			b.report(b.path, "a change of kind "+b.set.GetKind()+" needs "+name)
		}
	}
}

// part compiles one of the change's expressions.
func (b *builder) part(name, text string, from view, want shape) *expression {
	return b.expression(b.path+"."+name, text, from, want)
}

func (b *builder) fact(name, text string) *expression { return b.part(name, text, facts, aText) }

// named is the change's own expression, or that of the references.
func (b *builder) named(name, text string, kind waybillv1.ReferenceKind) *expression {
	if text != "" {
		return b.fact(name, text)
	}
	return b.plan.named(kind)
}

func (b *builder) money() money {
	made := money{
		amount:    b.fact("amount", b.set.GetAmount()),
		currency:  b.fact("currency", b.set.GetCurrency()),
		otherwise: b.cfg.GetCurrency(),
		minor:     b.cfg.GetMinorUnits(),
	}
	if b.set.GetAmount() == "" && b.set.GetCurrency() != "" {
		b.report(b.path+".currency", "there is no amount that it could be of")
	}
	if b.set.GetAmount() != "" && b.set.GetCurrency() == "" && b.cfg.GetCurrency() == "" {
		b.report(b.path+".amount", "an amount has a currency: write currency here, or the provider's beside custom")
	}
	return made
}

// first gives the first of the names that an expression gives.
func (e *expression) first(s *scope) (provider.ID, error) {
	names, err := e.names(s)
	if err != nil || len(names) == 0 {
		return "", err
	}
	return names[0], nil
}

// needed gives a name that can't be missing.
func (e *expression) needed(s *scope, what string) (provider.ID, error) {
	name, err := e.first(s)
	switch {
	case err != nil:
		return "", err
	case name == "" && e != nil:
		return "", e.missing()
	case name == "":
		return "", fmt.Errorf("%s is missing", what)
	default:
		return name, nil
	}
}

func changed(said ...*waybillv1.Change) []*waybillv1.Change { return said }

func short(text string, limit int) string { return provider.Short(strings.TrimSpace(text), limit) }
