package provider

import (
	"fmt"
	"slices"
	"strings"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// Opened is a configured provider, ready to read webhooks.
type Opened struct {
	Account  string
	Config   *configv1.Provider
	Kind     Kind
	Provider Provider
}

// Open makes every configured provider.
func Open(cfg *configv1.Config, kinds []Kind) ([]Opened, error) {
	var opened []Opened
	for _, account := range cfg.GetAccounts() {
		for _, settings := range account.GetProviders() {
			kind, ok := find(kinds, settings.GetKind())
			if !ok {
				return nil, fmt.Errorf("provider %s/%s: %s", account.GetName(), settings.GetName(), unknownKind(kinds))
			}
			made, err := kind.New(settings)
			if err != nil {
				return nil, fmt.Errorf("provider %s/%s: %w", account.GetName(), settings.GetName(), err)
			}
			opened = append(opened, Opened{
				Account: account.GetName(), Config: settings, Kind: DescribedKind(kind, made), Provider: made,
			})
		}
	}
	return opened, nil
}

// Check looks for faults in the settings of every configured provider that the schema can't see. Fields are paths
// below the whole configuration.
func Check(cfg *configv1.Config, kinds []Kind) []Problem {
	var problems []Problem
	for a, account := range cfg.GetAccounts() {
		for p, settings := range account.GetProviders() {
			prefix := fmt.Sprintf("accounts[%d].providers[%d].", a, p)
			kind, ok := find(kinds, settings.GetKind())
			if !ok {
				problems = append(problems, Problem{Field: prefix + "kind", Message: unknownKind(kinds)})
				continue
			}
			for _, problem := range slices.Concat(kind.Check(settings), unasked(settings, kind), undescribed(settings, kind)) {
				problems = append(problems, Problem{Field: prefix + problem.Field, Message: problem.Message})
			}
		}
	}
	return problems
}

// CheckExpect reports expectations that a kind can't check: an expectation that nobody looks at would protect nobody.
func CheckExpect(cfg *configv1.Provider, checked ...string) []Problem {
	expect := cfg.GetExpect()
	stated := map[string]bool{
		"account_id":  expect.GetAccountId() != "",
		"livemode":    expect != nil && expect.Livemode != nil,
		"shop_domain": expect.GetShopDomain() != "",
		"store_id":    expect.GetStoreId() != "",
	}
	var problems []Problem
	for _, field := range []string{"account_id", "livemode", "shop_domain", "store_id"} {
		if stated[field] && !slices.Contains(checked, field) {
			problems = append(problems, Problem{
				Field:   "expect." + field,
				Message: "bodies of this kind don't say it, so it can't be expected: take it away",
			})
		}
	}
	return problems
}

// CheckOrderReference reports an order_reference that is none of the fields in which the sender carries our order.
func CheckOrderReference(cfg *configv1.Provider, sender string, fields []string) []Problem {
	key := cfg.GetOrderReference()
	if key == "" || slices.Contains(fields, key) {
		return nil
	}
	return []Problem{{
		Field:   "order_reference",
		Message: sender + " carries it in one of " + strings.Join(fields, ", "),
	}}
}

func find(kinds []Kind, name string) (Kind, bool) {
	at := slices.IndexFunc(kinds, func(kind Kind) bool { return kind.Name == name })
	if at < 0 {
		return Kind{}, false
	}
	return kinds[at], true
}

func unknownKind(kinds []Kind) string {
	names := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		names = append(names, kind.Name)
	}
	return "there is no such kind; there are " + strings.Join(names, ", ")
}
