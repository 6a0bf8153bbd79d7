package bkash

import (
	"cmp"
	"errors"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// paymentBody is what a notification's message holds: JSON, inside a text of the envelope's.
type paymentBody struct {
	TrxID          provider.ID     `json:"trxID"`
	Status         provider.Word   `json:"transactionStatus"`
	DateTime       provider.ID     `json:"dateTime"`
	Amount         provider.Number `json:"amount"`
	Currency       provider.Word   `json:"currency"`
	InvoiceNumber  provider.ID     `json:"merchantInvoiceNumber"`
	TransactionRef provider.ID     `json:"transactionReference"`
	CouponAmount   provider.Number `json:"couponAmount"`
}

// orderKeys are the members that are tried for our order's number where order_reference names none.
var orderKeys = []string{"merchantInvoiceNumber", "transactionReference"}

// states is the mapping table. A status that is not here parks.
var states = map[string]waybillv1.PaymentState{
	"completed": waybillv1.PaymentState_PAYMENT_STATE_PAID,
}

func readPayment(message provider.Word) (paymentBody, error) {
	var b paymentBody
	if err := provider.Decode([]byte(message), &b); err != nil {
		return paymentBody{}, errors.New("message: " + err.Error())
	}
	if b.TrxID == "" || b.Status.Fold() == "" {
		return paymentBody{}, errors.New("message: trxID or transactionStatus is missing")
	}
	return b, nil
}

// moment is when the payment was made: year to second without anything between, in the zone of the wallet.
func (w *wallet) moment(b paymentBody, sent provider.Word) provider.Moment {
	var made provider.Moment
	if text := string(b.DateTime); len(text) == len("20060102150405") {
		made = provider.ParseMoment(text[:4]+"-"+text[4:6]+"-"+text[6:8]+" "+text[8:10]+":"+text[10:12]+":"+text[12:], w.zone)
	}
	return provider.FirstMoment(made, provider.ParseMoment(strings.TrimSpace(string(sent)), nil))
}

func (w *wallet) changes(b paymentBody) ([]*waybillv1.Change, error) {
	state, known := states[b.Status.Fold()]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("Message.transactionStatus", b.Status)}, nil
	}
	currency := cmp.Or(string(b.Currency), w.currency)
	amount, err := provider.Major("message: amount", b.Amount, currency)
	if err != nil {
		return nil, err
	}
	changes := []*waybillv1.Change{{Change: &waybillv1.Change_PaymentReported{
		PaymentReported: &waybillv1.PaymentReported{
			PaymentId: string(b.TrxID),
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
			State:     state,
			Amount:    amount,
		},
	}}}
	return append(changes, coupon(b, currency)...), nil
}

// coupon shows that a part of the price came from a coupon. Whether bKash counts it into the amount nobody has
// published, so the amount is taken as it is and a person is told.
func coupon(b paymentBody, currency string) []*waybillv1.Change {
	amount, err := provider.Major("message: couponAmount", b.CouponAmount, currency)
	if err != nil || amount.GetMinorUnits() == 0 {
		return nil
	}
	return []*waybillv1.Change{provider.FactChange(&waybillv1.Fact{
		Name: "coupon_used", Amount: amount, NeedsAttention: true,
	})}
}

func (w *wallet) references(b paymentBody) []*waybillv1.Reference {
	carried := map[string]provider.ID{"merchantInvoiceNumber": b.InvoiceNumber, "transactionReference": b.TransactionRef}
	var names provider.References
	for _, key := range w.orderKeys {
		if carried[key] != "" {
			names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, carried[key])
			break
		}
	}
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, b.TrxID)
	return names.List()
}
