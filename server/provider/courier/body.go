package courier

import (
	"cmp"
	"strings"

	"github.com/waybillhq/waybill/server/provider"
)

// batch is the member that holds several events.
const batch = "batch"

// item is an event: the four members of the plain body, the names that richer bodies have for them, and what those add.
type item struct {
	EventID provider.ID `json:"event_id"`

	ConsignmentID       provider.ID `json:"consignment_id"`
	TrackingNumber      provider.ID `json:"tracking_number"`
	AWB                 provider.ID `json:"awb"`
	ReturnConsignmentID provider.ID `json:"return_consignment_id"`

	OrderNumber provider.ID `json:"order_number"`
	OrderRef    provider.ID `json:"order_ref"`

	EventStatus provider.Word `json:"event_status"`
	Status      provider.Word `json:"status"`

	EventTime provider.Number `json:"event_time"`
	ScannedAt provider.Number `json:"scanned_at"`

	Courier  provider.Text `json:"courier"`
	Message  provider.Text `json:"message"`
	Location provider.Text `json:"location"`

	Units []provider.ID `json:"units"`
}

func (i item) tracking() provider.ID  { return cmp.Or(i.TrackingNumber, i.AWB) }
func (i item) parcel() provider.ID    { return cmp.Or(i.ConsignmentID, i.tracking()) }
func (i item) order() provider.ID     { return cmp.Or(i.OrderNumber, i.OrderRef) }
func (i item) time() provider.Number  { return cmp.Or(i.EventTime, i.ScannedAt) }
func (i item) message() provider.Text { return provider.Text(strings.TrimSpace(string(i.Message))) }

// word is the status, and the member that holds it.
func (i item) word() (provider.Word, string) {
	if i.EventStatus.Fold() != "" {
		return i.EventStatus, "event_status"
	}
	return i.Status, "status"
}

// identity is the courier's own id, or one that is derived where it sends none.
func (i item) identity() (id string, derived bool) {
	if i.EventID != "" {
		return string(i.EventID), false
	}
	word, _ := i.word()
	parts := []string{string(i.parcel()), string(word), string(i.time()), string(i.ReturnConsignmentID)}
	if word.Fold() == "" {
		parts = append(parts, string(i.Message))
	}
	return provider.DerivedID(provider.AnyTextTime(i.time()), parts...), true
}
