package shiprocket

import (
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// body is what Waybill reads of a webhook.
type body struct {
	AWB              provider.ID    `json:"awb"`
	CourierName      provider.Text  `json:"courier_name"`
	ShipmentStatusID provider.ID    `json:"shipment_status_id"`
	ShipmentStatus   provider.Word  `json:"shipment_status"`
	CurrentStatusID  provider.ID    `json:"current_status_id"`
	CurrentTimestamp provider.Word  `json:"current_timestamp"`
	OrderID          provider.ID    `json:"order_id"`
	ChannelID        provider.ID    `json:"channel_id"`
	IsReturn         jsontext.Value `json:"is_return"`
	Scans            jsontext.Value `json:"scans"`
}

// scan is one of the scans that every body repeats.
type scan struct {
	Date     provider.Text `json:"date"`
	Activity provider.Text `json:"activity"`
	Location provider.Text `json:"location"`
}

// toSeller says whether the parcel takes goods back. It comes as 0 or 1.
func (b body) toSeller() (bool, error) {
	switch strings.Trim(string(b.IsReturn), `"`) {
	case "1", "true":
		return true, nil
	case "", "0", "false", "null":
		return false, nil
	default:
		return false, errors.New("is_return is neither 0 nor 1")
	}
}

// orderNumbers are the names that the order may have with us: order_id, and what is left of it without the channel that
// Shiprocket may put before it.
func (b body) orderNumbers() []provider.ID {
	numbers := []provider.ID{b.OrderID}
	if bare, ok := strings.CutPrefix(string(b.OrderID), string(b.ChannelID)+"_"); ok && b.ChannelID != "" {
		numbers = append(numbers, provider.ID(bare))
	}
	return numbers
}

// newestScan is the scan with the newest date. Scans move nothing, so nothing in them stops anything.
func (b body) newestScan() scan {
	var scans []scan
	if len(b.Scans) == 0 || provider.Decode(b.Scans, &scans) != nil {
		return scan{}
	}
	var newest scan
	var newestAt time.Time
	for _, one := range scans {
		if at := provider.TextTime(string(one.Date)); at.After(newestAt) {
			newest, newestAt = one, at
		}
	}
	return newest
}

// wireLayout is how current_timestamp is written.
const wireLayout = "02 01 2006 15:04:05"

// timeText is current_timestamp as others write times.
func (b body) timeText() string {
	text := strings.TrimSpace(string(b.CurrentTimestamp))
	at, err := time.Parse(wireLayout, text)
	if err != nil {
		return text
	}
	return at.Format(time.DateTime)
}
