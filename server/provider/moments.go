package provider

import (
	"strconv"
	"strings"
	"time"
)

// AnyMoment reads a time whose format nobody has published: text as ParseMoment does, whole numbers as seconds or
// milliseconds since 1970.
func AnyMoment(text Number, zone *time.Location) Moment {
	number, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return ParseMoment(string(text), zone)
	}
	const earliestMilliseconds = 100_000_000_000 // in seconds this would be the year 5138
	if number < earliestMilliseconds {
		return UnixMoment(number)
	}
	moment := UnixMoment(number / 1000)
	if !moment.At.IsZero() {
		moment.At = moment.At.Add(time.Duration(number%1000) * time.Millisecond)
	}
	return moment
}

// AnyTextTime reads such a time for DerivedID, as TextTime does.
func AnyTextTime(text Number) time.Time { return AnyMoment(text, time.UTC).At }

// FirstMoment is the first of several moments that is one.
func FirstMoment(moments ...Moment) Moment {
	for _, moment := range moments {
		if !moment.At.IsZero() {
			return moment
		}
	}
	return missing()
}

// FoldWords is a word as tables list it that couriers write in several ways: lower case, with an underscore for every
// run of spaces, underscores and dashes.
func FoldWords(w Word) string {
	parts := strings.FieldsFunc(w.Fold(), func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '\t' })
	return strings.Join(parts, "_")
}
