package custom

import (
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// check looks for everything that is wrong with the settings: it compiles them, and reads every fixture with them.
func check(cfg *configv1.Provider) []provider.Problem {
	problems := slices.Concat(provider.CheckSecrets(cfg), provider.CheckZone(cfg), checkProof(cfg))
	if cfg.GetCustom() == nil {
		return append(problems, provider.Problem{Field: "custom", Message: "it is missing: it says how bodies read"})
	}
	c := &compiler{}
	made := newPlan(c, cfg)
	checkIdentity(c, cfg.GetCustom(), made)
	checkHeaders(c, cfg)
	problems = append(problems, c.problems...)
	problems = append(problems, provider.CheckExpect(cfg, saidOf(cfg.GetCustom().GetDestination())...)...)
	if len(problems) > 0 {
		return problems
	}
	return checkFixtures(cfg, made)
}

// saidOf are the parts of a destination that bodies say.
func saidOf(set *configv1.CustomDestination) []string {
	var fields []string
	for field, text := range map[string]string{
		"account_id": set.GetAccountId(), "livemode": set.GetLivemode(),
		"shop_domain": set.GetShopDomain(), "store_id": set.GetStoreId(),
	} {
		if text != "" {
			fields = append(fields, field)
		}
	}
	return fields
}

// checkIdentity reports events that nothing would tell apart.
func checkIdentity(c *compiler, set *configv1.Custom, made *plan) {
	if set.GetId() == "" && len(set.GetIdentity()) == 0 {
		c.report("custom", "nothing tells one event from another: write id, or identity")
		return
	}
	c.checkOwn("custom.id", set.GetId() != "" && made.id != nil, set.GetItems() != "", made.id)
	c.checkOwn("custom.identity", len(set.GetIdentity()) > 0 && !slices.Contains(made.parts, nil), set.GetItems() != "", made.parts...)
}

// checkOwn reports an identity that all items of a body, or all bodies, would share.
func (c *compiler) checkOwn(path string, compiled, several bool, parts ...*expression) {
	looksAt := func(names ...string) bool {
		return slices.ContainsFunc(parts, func(part *expression) bool {
			return slices.ContainsFunc(names, func(name string) bool { return part.looks.names[name] })
		})
	}
	switch {
	case !compiled:
	case several && !looksAt(itemName):
		c.report(path, "it looks at no item, so all items of a body would be one event")
	case !looksAt(itemName, bodyName, headerName, webhookIDName):
		c.report(path, "it is the same for every event")
	}
}

// checkHeaders reports headers that must not be stored, and a name that no request has.
func checkHeaders(c *compiler, cfg *configv1.Provider) {
	secret := []string{"authorization", "proxy-authorization", "cookie", strings.ToLower(cfg.GetProof().GetHeader())}
	for _, one := range provider.StandardFamilies {
		secret = append(secret, strings.ToLower(one.Signature))
	}
	for i, name := range cfg.GetCustom().GetHeaders() {
		if slices.Contains(secret, name) {
			c.report(fmt.Sprintf("custom.headers[%d]", i), "this header carries a proof, and headers named here are stored: take it away")
		}
	}
}

// samplesOf are the fixtures.
func samplesOf(set *configv1.Custom) []provider.Sample {
	var samples []provider.Sample
	for _, fixture := range set.GetFixtures() {
		samples = append(samples, provider.Sample{Name: fixture.GetName(), Text: fixture.GetText()})
	}
	return samples
}

// fixtureValues fill the fixtures for a check.
func fixtureValues() provider.SampleValues {
	return provider.SampleValues{
		ID: "fixture0001", OrderID: "8209829119461545", OrderNumber: "1001", Consignment: "WB8209829119461545",
		PaymentID: "pay_8209829119461545", Currency: "EUR", MinorUnits: 120000,
		At: time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC),
	}
}

// checkFixtures reads every fixture as a delivery would be.
func checkFixtures(cfg *configv1.Provider, p *plan) []provider.Problem {
	var problems []provider.Problem
	seen := make(map[string]bool)
	for i, sample := range samplesOf(cfg.GetCustom()) {
		path := fmt.Sprintf("custom.fixtures[%d]", i)
		if seen[sample.Name] {
			problems = append(problems, provider.Problem{Field: path, Message: "another fixture has this name"})
			continue
		}
		seen[sample.Name] = true
		if message := p.fixtureFault(sample); message != "" {
			problems = append(problems, provider.Problem{Field: path, Message: message})
		}
	}
	return problems
}

// fixtureFault says what is wrong with a fixture. Empty: nothing is.
func (p *plan) fixtureFault(sample provider.Sample) string {
	r, err := sample.Request(fixtureValues())
	if err != nil {
		return "it is no request: write header lines, an empty line and the body; {{ }} stands around names of the sample sender's values"
	}
	_, probe := p.handshake.answerTo(p, r)
	events, err := p.events(r)
	switch {
	case probe && err == nil && tells(events):
		return "the handshake takes it, although it reads as a delivery: narrow handshake.when"
	case probe:
		return ""
	case err != nil:
		return "it can't be read: " + err.Error()
	}
	for at, event := range events {
		for _, change := range event.GetChanges() {
			if problem := change.GetUndecoded().GetProblem(); problem != "" {
				return fmt.Sprintf("event %d of it can't be read: %s", at+1, problem)
			}
		}
	}
	return ""
}

// tells says whether any of the events has something that somebody needs.
func tells(events []*waybillv1.IngestEventRequest) bool {
	return slices.ContainsFunc(events, func(event *waybillv1.IngestEventRequest) bool {
		return slices.ContainsFunc(event.GetChanges(), func(change *waybillv1.Change) bool {
			return change.GetUndecoded() == nil && change.GetUnrecognised() == nil && change.GetIgnored() == nil
		})
	})
}
