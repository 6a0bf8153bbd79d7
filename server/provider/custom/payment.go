package custom

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func (b *builder) payment() *expression {
	return b.named("payment_id", b.set.GetPaymentId(), waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID)
}

// states is the table that a state is looked up in. One that the settings write out is one of our words.
func states[State any](b *builder, state *expression, ours map[string]State) table[State] {
	if state != nil && state.constant != "" {
		if _, known := ours[state.constant]; !known {
			b.report(state.path, "a state that is written out is one of "+listed(ours))
		}
		return ours
	}
	if len(b.set.GetStateMap()) > 0 {
		return tableOf(b.compiler, b.path+".state_map", b.set.GetStateMap(), oneOf(ours))
	}
	return ours
}

// stateOf looks a state up. It reports false, with the change that says so, for a word outside of the table.
func stateOf[State any](s *scope, state *expression, known table[State]) (State, *waybillv1.Change, error) {
	var none State
	word, err := state.text(s)
	if err != nil {
		return none, nil, err
	}
	if provider.Word(word).Fold() == "" {
		return none, nil, state.missing()
	}
	found, ok := known.find(provider.Word(word))
	if !ok {
		return none, provider.UnrecognisedChange(state.member("state"), provider.Word(word)), nil
	}
	return found, nil, nil
}

var evidences = map[string]waybillv1.PaymentEvidence{
	"":          waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
	"movement":  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
	"assertion": waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_ASSERTION,
}

func paymentReported(b *builder) maker {
	id, amount := b.paymentName(), b.money()
	state := b.fact("state", b.set.GetState())
	known := states(b, state, payments)

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		payment, err := id(s, names)
		if err != nil {
			return nil, err
		}
		became, unrecognised, err := stateOf(s, state, known)
		if err != nil || unrecognised != nil {
			return changed(unrecognised), err
		}
		money, err := amount.read(s)
		if err != nil {
			return nil, err
		}
		return changed(&waybillv1.Change{Change: &waybillv1.Change_PaymentReported{
			PaymentReported: &waybillv1.PaymentReported{
				PaymentId:      string(payment),
				Evidence:       evidences[b.set.GetEvidence()],
				State:          became,
				Amount:         money,
				CashOnDelivery: b.set.GetCashOnDelivery(),
			},
		}}), nil
	}
}

// paymentName is how a payment is named: by its reference, or for cash at the door that has none of its own by the
// parcel, because a parcel is paid for once.
func (b *builder) paymentName() func(*scope, *provider.References) (provider.ID, error) {
	if b.set.GetCashOnDelivery() && b.set.GetPaymentId() == "" {
		return b.atTheDoor()
	}
	id := b.payment()
	if id == nil && len(b.problems) == 0 {
		b.report(b.path, "a payment has a name: write payment_id, here or in references")
	}
	return func(s *scope, names *provider.References) (provider.ID, error) {
		payment, err := id.needed(s, "payment_id")
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, payment)
		return payment, err
	}
}

func (b *builder) atTheDoor() func(*scope, *provider.References) (provider.ID, error) {
	consignment := b.plan.named(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID)
	tracking := b.plan.named(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER)
	if consignment == nil && tracking == nil && len(b.problems) == 0 {
		b.report(b.path, "cash at the door is for a parcel: write consignment_id or tracking_number in references, or payment_id here")
	}
	return func(s *scope, _ *provider.References) (provider.ID, error) {
		parcel, err := consignment.first(s)
		if err == nil && parcel == "" {
			parcel, err = tracking.needed(s, "the parcel's name")
		}
		return "cod:" + parcel, err
	}
}

func refundReported(b *builder) maker {
	payment, amount := b.payment(), b.money()
	refund := b.fact("refund_id", b.set.GetRefundId())
	switch {
	case len(b.problems) > 0: // what is missing may be what could not be compiled
	case b.set.GetRunningTotal() && payment == nil:
		b.report(b.path, "a running total is one of a payment: write payment_id, here or in references")
	case !b.set.GetRunningTotal() && refund == nil:
		b.report(b.path, "a refund that is a step has an id: write refund_id, or running_total: true")
	}

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		of, err := payment.first(s)
		if err != nil {
			return nil, err
		}
		id, err := refund.first(s)
		if err != nil {
			return nil, err
		}
		money, err := amount.needed(s)
		if err != nil {
			return nil, err
		}
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, of)
		return changed(&waybillv1.Change{Change: &waybillv1.Change_RefundReported{RefundReported: &waybillv1.RefundReported{
			PaymentId: string(of), RefundId: string(id), Amount: money, RunningTotal: b.set.GetRunningTotal(),
		}}}), nil
	}
}

func disputeReported(b *builder) maker {
	payment, amount := b.payment(), b.money()
	dispute := b.fact("dispute_id", b.set.GetDisputeId())
	state := b.fact("state", b.set.GetState())
	known := states(b, state, disputes)

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		id, err := dispute.needed(s, "dispute_id")
		if err != nil {
			return nil, err
		}
		of, err := payment.first(s)
		if err != nil {
			return nil, err
		}
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, of)
		stands, unrecognised, err := stateOf(s, state, known)
		if err != nil || unrecognised != nil {
			return changed(unrecognised), err
		}
		money, err := amount.read(s)
		if err != nil {
			return nil, err
		}
		return changed(&waybillv1.Change{Change: &waybillv1.Change_DisputeReported{DisputeReported: &waybillv1.DisputeReported{
			DisputeId: string(id), PaymentId: string(of), State: stands, Amount: money,
		}}}), nil
	}
}

// needed gives the money of a change that is about nothing else.
func (m money) needed(s *scope) (*waybillv1.Money, error) {
	money, err := m.read(s)
	if err == nil && money == noMoney {
		return nil, m.amount.missing()
	}
	return money, err
}
