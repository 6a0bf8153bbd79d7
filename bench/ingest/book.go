package main

import (
	"cmp"
	"slices"
	"time"
)

// The contenders.
const (
	bare          = "HTTP and HMAC only"
	naive         = "naive writer"
	waybill       = "Waybill"
	waybillWorker = "Waybill, worker on"
	direct        = "inserts only"
)

// The kinds of load.
const (
	firsts     = "first deliveries"
	duplicates = "duplicates"
	openLoop   = "open loop"
	decisions  = "until decided, at half of what it acknowledges"
	sustained  = "until decided, at half of what it decides"
	oneByOne   = "one a commit"
	hundreds   = "100 a commit"
)

// key names a cell: who, on what, under which load.
type key struct {
	database, who, load string
	connections         int
}

// figures are what a cell measured.
type figures struct {
	perSecond      float64
	p50, p99, p999 time.Duration
	refused        float64
	// offered is the rate of an open loop.
	offered float64
	// CPU is per event: the server's own and the database server's.
	serverCPU, databaseCPU time.Duration
	// logged is bytes of write-ahead log per event; for an embedded database all bytes written.
	logged float64
	// decided is events decided in a second.
	decided float64
	// idle and peak are resident memory in bytes.
	idle, peak float64
}

// book holds the figures of every repetition.
type book struct {
	cells map[key][]figures
	order []key
}

func newBook() *book { return &book{cells: make(map[key][]figures)} }

func (b *book) add(k key, f figures) {
	if _, known := b.cells[k]; !known {
		b.order = append(b.order, k)
	}
	b.cells[k] = append(b.cells[k], f)
}

// last is what the cell measured in this repetition.
func (b *book) last(k key) figures {
	cells := b.cells[k]
	if len(cells) == 0 {
		return figures{}
	}
	return cells[len(cells)-1]
}

func (b *book) has(k key) bool { return len(b.cells[k]) > 0 }

// median is the median of one figure of a cell over the repetitions.
func median[T cmp.Ordered](b *book, k key, figure func(figures) T) T {
	var values []T
	for _, f := range b.cells[k] {
		values = append(values, figure(f))
	}
	return middle(values)
}

// ratio is the median of what one cell measured over what another did in the same repetition.
func ratio(b *book, over, under key, figure func(figures) float64) float64 {
	var values []float64
	for n := range min(len(b.cells[over]), len(b.cells[under])) {
		if below := figure(b.cells[under][n]); below > 0 {
			values = append(values, figure(b.cells[over][n])/below)
		}
	}
	return middle(values)
}

func middle[T cmp.Ordered](values []T) T {
	if len(values) == 0 {
		var none T
		return none
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func perSecond(f figures) float64 { return f.perSecond }
func decided(f figures) float64   { return f.decided }
func p50(f figures) float64       { return float64(f.p50) }
func p99(f figures) float64       { return float64(f.p99) }
