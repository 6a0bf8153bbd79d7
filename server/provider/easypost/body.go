package easypost

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// envelope is what Waybill reads of every event. Its own status, the state of the webhook's delivery, is not read.
type envelope struct {
	ID          provider.ID    `json:"id"`
	Description provider.Word  `json:"description"`
	Mode        provider.Word  `json:"mode"`
	CreatedAt   provider.Word  `json:"created_at"`
	Result      jsontext.Value `json:"result"`
}

// tracker is a parcel with all that is known of its way.
type tracker struct {
	TrackingCode    provider.ID    `json:"tracking_code"`
	Status          provider.Word  `json:"status"`
	StatusDetail    provider.Text  `json:"status_detail"`
	Carrier         provider.Text  `json:"carrier"`
	UpdatedAt       provider.Word  `json:"updated_at"`
	IsReturn        *bool          `json:"is_return"`
	TrackingDetails jsontext.Value `json:"tracking_details"`
}

// detail is a scan.
type detail struct {
	Message  provider.Text `json:"message"`
	Datetime provider.Text `json:"datetime"`
	Location struct {
		City    provider.Text `json:"city"`
		State   provider.Text `json:"state"`
		Country provider.Text `json:"country"`
	} `json:"tracking_location"`
}

func (d detail) moment() provider.Moment { return provider.ParseMoment(string(d.Datetime), nil) }

// place is where the scan was made.
func (d detail) place() provider.Text {
	var parts []string
	for _, part := range []provider.Text{d.Location.City, d.Location.State, d.Location.Country} {
		if text := strings.TrimSpace(string(part)); text != "" {
			parts = append(parts, text)
		}
	}
	return provider.Text(strings.Join(parts, ", "))
}

// newestDetail is the newest scan, the last of several of one time. Scans move nothing, so nothing in them stops anything.
func (t tracker) newestDetail() detail {
	var details []detail
	if len(t.TrackingDetails) == 0 || provider.Decode(t.TrackingDetails, &details) != nil {
		return detail{}
	}
	var newest detail
	var newestAt time.Time
	for _, one := range details {
		if at := one.moment().At; !at.IsZero() && !at.Before(newestAt) {
			newest, newestAt = one, at
		}
	}
	return newest
}
