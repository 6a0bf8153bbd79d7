package provider

import (
	"fmt"
	"strconv"
	"time"
)

// tolerance is how far a signed time may lie from now, on both sides. A captured request is worth nothing after it. The
// far side counts as well: a stamp from next year would be good until then, and no honest clock is five minutes ahead.
const tolerance = 300 * time.Second

// parseStamp reads a signed time: digits alone, seconds since 1970. Forty bits reach further than any clock, and keep
// what is far outside away from arithmetic with times.
func parseStamp(text string) (time.Time, error) {
	seconds, err := strconv.ParseUint(text, 10, 40)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(int64(seconds), 0), nil
}

// stampOf writes a signed time as senders do.
func stampOf(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// checkAge refuses a signed time too far from now.
func checkAge(header string, signed, now time.Time) error {
	if age := now.Sub(signed); age > tolerance || age < -tolerance {
		return fmt.Errorf("header %s carries a time more than 300 s from now", header)
	}
	return nil
}
