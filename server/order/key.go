package order

import (
	"sort"
	"strings"
)

// Key names a subject within an account: the thing that is locked, found by and waited for. Orders, shipments and
// payments that nobody has heard of yet have keys all the same.
type Key struct {
	Kind  KeyKind
	Value string
}

// KeyKind is a kind of subject.
type KeyKind string

// The key kinds.
const (
	// KeyOrder is a source's own identity of an order: provider, a zero-width-free separator, order id.
	KeyOrder KeyKind = "order"
	// KeyNumber is an order number, a leading # stripped. Two orders may claim it; then it is ambiguous.
	KeyNumber KeyKind = "order_number"
	// KeyNumberAlias is an order's identity at its source, without the source, or the number that it was heard of by:
	// others may use it for the order's number. It counts only where no order has it for its number.
	KeyNumberAlias KeyKind = "order_number_alias"
	// KeyShipment is a consignment id or tracking number.
	KeyShipment KeyKind = "shipment"
	// KeyFulfilment is a platform's id of a fulfilment, with its provider.
	KeyFulfilment KeyKind = "fulfilment"
	// KeyPayment is a payment's reference.
	KeyPayment KeyKind = "payment"
)

// NumberKey is the key of an order number.
func NumberKey(number string) Key {
	return Key{Kind: KeyNumber, Value: NormalNumber(number)}
}

// NormalNumber is an order number as it is compared: no surrounding space, no leading #.
func NormalNumber(number string) string {
	return strings.TrimPrefix(strings.TrimSpace(number), "#")
}

// ShipmentValue is a consignment id or tracking number as it is compared: no surrounding space, in capitals.
func ShipmentValue(value string) string {
	return strings.ToUpper(strings.TrimSpace(value))
}

// KeyOf is the key that a reference of a provider's event names.
func KeyOf(provider string, ref Reference) Key {
	switch ref.Kind {
	case OrderID:
		return Key{Kind: KeyOrder, Value: provider + "/" + ref.Value}
	case OrderNumber:
		return NumberKey(ref.Value)
	case ConsignmentID, TrackingNumber:
		return Key{Kind: KeyShipment, Value: ShipmentValue(ref.Value)}
	case FulfilmentID:
		return Key{Kind: KeyFulfilment, Value: provider + "/" + ref.Value}
	case PaymentID:
		return Key{Kind: KeyPayment, Value: ref.Value}
	}
	return Key{}
}

// Keys are the subjects that an event names, in its references and in its changes, sorted and without repeats.
// Whoever decides the event locks all of them. Others may use an order's identity at its source for its number, so a
// number is looked for as an alias too, and an order that is placed may have been heard of by its identity.
func (e Event) Keys() []Key {
	var keys []Key
	for _, ref := range e.References {
		keys = append(keys, KeyOf(e.Provider, ref))
		if ref.Kind == OrderNumber && e.placed() == nil {
			keys = append(keys, numberAlias(ref.Value))
		}
	}
	for _, change := range e.Changes {
		for _, ref := range change.references() {
			keys = append(keys, KeyOf(e.Provider, ref))
		}
		if change.Placed != nil {
			keys = append(keys, numberAlias(change.Placed.OrderID))
		}
	}
	return sortKeys(keys)
}

// Keys are the subjects that name the order, sorted and without repeats: its identity at its source, its number, what
// others may call it, its parcels' keys, and the references of its payments. Whoever waits for one of them waits for
// this order.
func (o *Order) Keys() []Key {
	keys := []Key{NumberKey(o.Number)}
	if o.Source != "" {
		keys = append(keys, KeyOf(o.Source, Reference{OrderID, o.SourceID}), numberAlias(o.SourceID))
	}
	if o.Source == "" {
		keys = append(keys, numberAlias(o.Number))
	}
	for _, s := range o.Shipments {
		keys = append(keys, s.Keys()...)
	}
	for _, e := range o.Ledger {
		keys = append(keys, KeyOf(e.Provider, Reference{PaymentID, e.PaymentID}))
	}
	return sortKeys(keys)
}

func numberAlias(value string) Key {
	return Key{Kind: KeyNumberAlias, Value: NormalNumber(value)}
}

// words name the subject in a sentence for operators.
func (k Key) words() string {
	kinds := map[KeyKind]string{
		KeyOrder: "order", KeyNumber: "number", KeyNumberAlias: "order id",
		KeyShipment: "parcel", KeyFulfilment: "fulfilment", KeyPayment: "payment",
	}
	return kinds[k.Kind] + " " + k.name()
}

// name is the value as people know it, without a provider.
func (k Key) name() string {
	if k.Kind != KeyOrder && k.Kind != KeyFulfilment {
		return k.Value
	}
	_, name, _ := strings.Cut(k.Value, "/")
	return name
}

func (c Change) references() []Reference {
	switch {
	case c.Placed != nil:
		return []Reference{{OrderID, c.Placed.OrderID}, {OrderNumber, c.Placed.Number}}
	case c.Status != nil:
		return c.Status.Shipment.references()
	case c.Announced != nil:
		return c.Announced.Shipment.references()
	case c.Checkpoint != nil:
		return c.Checkpoint.Shipment.references()
	case c.Fact != nil && c.Fact.Shipment != nil:
		return c.Fact.Shipment.references()
	case c.Payment != nil:
		return []Reference{{PaymentID, c.Payment.PaymentID}}
	case c.Refund != nil && c.Refund.PaymentID != "":
		return []Reference{{PaymentID, c.Refund.PaymentID}}
	case c.Dispute != nil && c.Dispute.PaymentID != "":
		return []Reference{{PaymentID, c.Dispute.PaymentID}}
	}
	return nil
}

func (k ShipmentKey) references() []Reference {
	var refs []Reference
	if k.ConsignmentID != "" {
		refs = append(refs, Reference{ConsignmentID, k.ConsignmentID})
	}
	if k.TrackingNumber != "" {
		refs = append(refs, Reference{TrackingNumber, k.TrackingNumber})
	}
	if k.FulfilmentID != "" {
		refs = append(refs, Reference{FulfilmentID, k.FulfilmentID})
	}
	return refs
}

func sortKeys(keys []Key) []Key {
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].Kind != keys[j].Kind {
			return keys[i].Kind < keys[j].Kind
		}
		return keys[i].Value < keys[j].Value
	})
	kept := keys[:0]
	for i, key := range keys {
		if key.Value == "" || (i > 0 && key == keys[i-1]) {
			continue
		}
		kept = append(kept, key)
	}
	return kept
}
