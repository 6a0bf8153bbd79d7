package provider

import configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"

// Described is a provider whose settings say what the others' kinds say for them all.
type Described interface {
	// Describe gives the kind as the settings make it: its version, which moves on with the settings, its samples, and
	// the headers that are kept.
	Describe(kind Kind) Kind
}

// DescribedKind is the kind of a provider, as its settings make it where it is theirs to say.
func DescribedKind(kind Kind, made Provider) Kind {
	if described, ok := made.(Described); ok {
		return described.Describe(kind)
	}
	return kind
}

// undescribed reports a description of bodies for a kind that knows its own.
func undescribed(cfg *configv1.Provider, kind Kind) []Problem {
	if cfg.GetCustom() == nil || kind.Configured {
		return nil
	}
	return []Problem{{Field: "custom", Message: "this kind knows how its bodies read, so nobody looks at it: take it away"}}
}
