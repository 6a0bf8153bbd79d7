package aftership

import (
	"cmp"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// envelope is what Waybill reads of every event.
type envelope struct {
	Event   provider.Word   `json:"event"`
	EventID provider.ID     `json:"event_id"`
	TS      provider.Number `json:"ts"`
	Msg     jsontext.Value  `json:"msg"`
}

// tracking is a parcel with all that is known of its way.
type tracking struct {
	TrackingNumber provider.ID    `json:"tracking_number"`
	Slug           provider.Text  `json:"slug"`
	Tag            provider.Word  `json:"tag"`
	Subtag         provider.Word  `json:"subtag"`
	SubtagMessage  provider.Text  `json:"subtag_message"`
	OrderNumber    provider.ID    `json:"order_number"`
	OrderID        provider.ID    `json:"order_id"`
	Checkpoints    jsontext.Value `json:"checkpoints"`
}

// orderNumber is the order's number. Shops that know no other name put their number into order_id.
func (t tracking) orderNumber() provider.ID { return cmp.Or(t.OrderNumber, t.OrderID) }

// meaning is what tag and subtag say.
func (t tracking) meaning() (provider.Meaning, bool) {
	if found, ok := subtags[t.Subtag.Fold()]; ok && t.Tag.Fold() == exception {
		return found, true
	}
	found, ok := tags[t.Tag.Fold()]
	return found, ok
}

// checkpoint is a scan.
type checkpoint struct {
	Time     provider.Text `json:"checkpoint_time"`
	Message  provider.Text `json:"message"`
	Location provider.Text `json:"location"`
}

// newestCheckpoint is the newest scan, the last of several of one time. Scans move nothing, so nothing in them stops
// anything.
func (t tracking) newestCheckpoint() checkpoint {
	var checkpoints []checkpoint
	if len(t.Checkpoints) == 0 || provider.Decode(t.Checkpoints, &checkpoints) != nil {
		return checkpoint{}
	}
	var newest checkpoint
	var newestAt time.Time
	for _, one := range checkpoints {
		if at := provider.TextTime(string(one.Time)); !at.IsZero() && !at.Before(newestAt) {
			newest, newestAt = one, at
		}
	}
	return newest
}
