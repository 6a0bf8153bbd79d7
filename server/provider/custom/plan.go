package custom

import (
	"cmp"
	"fmt"
	"time"

	"cel.dev/cel-go/common/types"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// plan is how bodies are read, compiled.
type plan struct {
	form    bool
	headers []string

	items     *expression
	id        *expression
	parts     []*expression
	eventType *expression
	time      *expression
	// zone of times that come without one.
	zone *time.Location

	references  []reference
	destination []destination
	// statuses is the mapping table of all changes that have none of their own.
	statuses table[meaning]
	changes  []change

	handshake handshake
	answer    answer
}

// reference is something that events name.
type reference struct {
	kind waybillv1.ReferenceKind
	from *expression
}

// newPlan compiles the settings. What is wrong with them is reported to the compiler.
func newPlan(c *compiler, cfg *configv1.Provider) *plan {
	set := cfg.GetCustom()
	c.headers, c.signedID = len(set.GetHeaders()) > 0, set.GetPreset() == standardWebhooks
	made := &plan{form: set.GetFormat() == "form", headers: keptHeaders(set)}
	made.items = c.expression("custom.items", set.GetItems(), facts, aList)
	made.id = c.expression("custom.id", set.GetId(), identity, aText)
	for i, part := range set.GetIdentity() {
		made.parts = append(made.parts, c.expression(fmt.Sprintf("custom.identity[%d]", i), part, picks, aText))
	}
	made.eventType = c.expression("custom.type", set.GetType(), picks, aText)
	made.time = c.expression("custom.time", set.GetTime(), facts, aText)
	zone, err := provider.Zone(cfg, "")
	if err == nil {
		made.zone = zone // a zone that does not exist is reported by CheckZone
	}
	made.references = references(c, set.GetReferences())
	made.destination = destinations(c, cfg)
	made.statuses = statuses
	if len(set.GetStatusMap()) > 0 {
		made.statuses = tableOf(c, "custom.status_map", set.GetStatusMap(), parseMeaning)
	}
	made.changes = changesOf(c, cfg, made)
	made.handshake = newHandshake(c, set.GetHandshake())
	made.answer = newAnswer(c, cfg)
	return made
}

func references(c *compiler, set *configv1.CustomReferences) []reference {
	var made []reference
	for _, one := range []struct {
		name, text string
		kind       waybillv1.ReferenceKind
	}{
		{"order_id", set.GetOrderId(), waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID},
		{"order_number", set.GetOrderNumber(), waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER},
		{"consignment_id", set.GetConsignmentId(), waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID},
		{"tracking_number", set.GetTrackingNumber(), waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER},
		{"fulfilment_id", set.GetFulfilmentId(), waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID},
		{"payment_id", set.GetPaymentId(), waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID},
	} {
		if from := c.expression("custom.references."+one.name, one.text, facts, texts); from != nil {
			made = append(made, reference{one.kind, from})
		}
	}
	return made
}

// named is the expression of a reference. nil: events name nothing of the kind.
func (p *plan) named(kind waybillv1.ReferenceKind) *expression {
	for _, one := range p.references {
		if one.kind == kind {
			return one.from
		}
	}
	return nil
}

// destination is something that a body says about where it is meant for.
type destination struct {
	field string
	from  *expression
	want  string
	// live is for livemode, which is true or false.
	live, isLive bool
}

func destinations(c *compiler, cfg *configv1.Provider) []destination {
	set, expect := cfg.GetCustom().GetDestination(), cfg.GetExpect()
	var made []destination
	for _, one := range []struct{ field, text, want string }{
		{"account_id", set.GetAccountId(), expect.GetAccountId()},
		{"shop_domain", set.GetShopDomain(), expect.GetShopDomain()},
		{"store_id", set.GetStoreId(), expect.GetStoreId()},
	} {
		path := "custom.destination." + one.field
		from := c.expression(path, one.text, facts, aText)
		if from != nil && one.want == "" {
			c.report(path, "nothing is expected of it: write expect."+one.field+" beside custom")
		}
		if from != nil {
			made = append(made, destination{field: one.field, from: from, want: one.want})
		}
	}
	live := destination{field: "livemode", live: true, isLive: true}
	if expect != nil && expect.Livemode != nil {
		live.live = expect.GetLivemode()
	}
	if live.from = c.expression("custom.destination.livemode", set.GetLivemode(), facts, aBool); live.from != nil {
		made = append(made, live)
	}
	return made
}

// elsewhere says what a body is meant for that is not what is expected. Empty: it is meant for us, or does not say.
func (p *plan) elsewhere(s *scope) (string, error) {
	for _, one := range p.destination {
		differs, err := one.differs(s)
		if err != nil {
			return "", err
		}
		if differs {
			return "it is for another destination than expect." + one.field + " says", nil
		}
	}
	return "", nil
}

func (d destination) differs(s *scope) (bool, error) {
	value, err := d.from.value(s)
	if err != nil || value == types.NullValue {
		return false, err
	}
	if d.isLive {
		live, err := d.from.holds(s)
		return live != d.live, err
	}
	said, err := d.from.asName(value)
	return cmp.Or(string(said), d.want) != d.want, err
}
