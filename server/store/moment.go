package store

import "time"

// micros is a time as it is stored.
func micros(t time.Time) int64 { return t.UnixMicro() }

// moment is a stored time.
func moment(us int64) time.Time { return time.UnixMicro(us).UTC() }

// perhapsMicros is a time as it is stored where it may be unknown: the zero time is null.
func perhapsMicros(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	us := t.UnixMicro()
	return &us
}

func perhapsMoment(us *int64) time.Time {
	if us == nil {
		return time.Time{}
	}
	return moment(*us)
}

// whole is a time without what storage would lose, so that rules see the same time before and after.
func whole(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return moment(t.UnixMicro())
}
