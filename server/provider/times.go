package provider

import (
	"fmt"
	"time"
	_ "time/tzdata" // a container without zone files must read the same times

	"google.golang.org/protobuf/types/known/timestamppb"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// Moment is when something happened, and how sure that is.
type Moment struct {
	At        time.Time
	Certainty waybillv1.OccurredAtCertainty
}

// Timestamp is the moment on the wire. Unset where it is missing.
func (m Moment) Timestamp() *timestamppb.Timestamp {
	if m.At.IsZero() {
		return nil
	}
	return timestamppb.New(m.At)
}

var (
	zonedLayouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z0700"}
	naiveLayouts = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"}
	// latestZone is where the day begins first. A time of unknown zone read there is never too late, so it can't
	// push anything newer aside.
	latestZone = time.FixedZone("UTC+14", 14*60*60)
)

// ParseMoment reads a time. One without a zone is read in the given zone, or as UTC+14 where nobody configured one, and
// marked. Text that is no time is missing: a wrong time would be worse.
func ParseMoment(text string, zone *time.Location) Moment {
	for _, layout := range zonedLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return within(at, waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT)
		}
	}
	if zone == nil {
		zone = latestZone
	}
	for _, layout := range naiveLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return within(at, waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED)
		}
	}
	return missing()
}

// UnixMoment is a time in seconds since 1970.
func UnixMoment(seconds int64) Moment {
	const year10000 = 253402300800
	if seconds <= 0 || seconds >= year10000 {
		return missing()
	}
	return Moment{
		At:        time.Unix(seconds, 0).UTC(),
		Certainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT,
	}
}

// TextTime reads a time's own text as if it were UTC, for DerivedID. The zero time where it is none.
func TextTime(text string) time.Time { return ParseMoment(text, time.UTC).At }

func missing() Moment {
	return Moment{Certainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING}
}

// within drops times that no shop has: a year of 0 or of five digits is a fault of the sender.
func within(at time.Time, certainty waybillv1.OccurredAtCertainty) Moment {
	utc := at.UTC()
	if utc.Year() < 1970 || utc.Year() > 9999 {
		return missing()
	}
	return Moment{At: utc, Certainty: certainty}
}

// Zone is the configured zone, or the fallback where none is configured. With neither it is the zone where the day
// begins first; see ParseMoment.
func Zone(cfg *configv1.Provider, fallback string) (*time.Location, error) {
	name := cfg.GetTimeZone()
	if name == "" {
		name = fallback
	}
	if name == "" {
		return latestZone, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time_zone %q is not a zone: write one like Asia/Dhaka", name)
	}
	return zone, nil
}

// CheckZone reports a time zone that does not exist.
func CheckZone(cfg *configv1.Provider) []Problem {
	if _, err := Zone(cfg, ""); err != nil {
		return []Problem{{Field: "time_zone", Message: err.Error()}}
	}
	return nil
}
