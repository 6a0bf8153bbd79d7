package shippo

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// envelope is what Waybill reads of every event.
type envelope struct {
	Event provider.Word  `json:"event"`
	Test  *bool          `json:"test"`
	Data  jsontext.Value `json:"data"`
}

// track is a parcel with its newest scan.
type track struct {
	Carrier        provider.Text  `json:"carrier"`
	TrackingNumber provider.ID    `json:"tracking_number"`
	Transaction    provider.ID    `json:"transaction"`
	Metadata       jsontext.Value `json:"metadata"`
	Scan           scan           `json:"tracking_status"`
}

type scan struct {
	ObjectID   provider.ID   `json:"object_id"`
	Status     provider.Word `json:"status"`
	StatusDate provider.Word `json:"status_date"`
	Details    provider.Text `json:"status_details"`
	Substatus  struct {
		Code provider.Word `json:"code"`
	} `json:"substatus"`
	Location struct {
		City    provider.Text `json:"city"`
		State   provider.Text `json:"state"`
		Country provider.Text `json:"country"`
	} `json:"location"`
}

// meaning is what status and substatus say.
func (s scan) meaning() (provider.Meaning, bool) {
	if found, ok := substatuses[s.Substatus.Code.Fold()]; ok && s.Status.Fold() == "transit" {
		return found, true
	}
	found, ok := statuses[s.Status.Fold()]
	return found, ok
}

// place is where the scan was made.
func (s scan) place() provider.Text {
	var parts []string
	for _, part := range []provider.Text{s.Location.City, s.Location.State, s.Location.Country} {
		if text := strings.TrimSpace(string(part)); text != "" {
			parts = append(parts, text)
		}
	}
	return provider.Text(strings.Join(parts, ", "))
}

// orderNumber is our order's number out of the free text that came with the label: the given member where the text is
// JSON, otherwise the text itself where it is one word. Metadata may hold anything, so it stops nothing.
func (t track) orderNumber(member string) provider.ID {
	var text provider.ID
	if len(t.Metadata) == 0 || provider.Decode(t.Metadata, &text) != nil {
		return ""
	}
	if member == "" {
		if strings.ContainsAny(string(text), " \t\r\n{[") {
			return ""
		}
		return text
	}
	var members map[string]jsontext.Value
	if provider.Decode([]byte(text), &members) != nil {
		return ""
	}
	var number provider.ID
	if len(members[member]) == 0 || provider.Decode(members[member], &number) != nil {
		return ""
	}
	return number
}
