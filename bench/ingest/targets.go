package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// target is a promise about figures and what became of it.
type target struct {
	database string
	what     string
	want     string
	got      string
	reached  bool
}

// The targets.
const (
	wantFaster    = 2.5
	wantAlone     = 1.15
	wantOpen      = 0.7
	wantDecided50 = 50 * time.Millisecond
	wantDecided99 = 500 * time.Millisecond
	wantMemory    = 40 << 20
	many          = 64
)

// targets judges one database's figures. What was not measured is not judged.
func (r *report) targets(database string) []target {
	b := r.bench.book
	at := func(who, load string, connections int) key { return key{database, who, load, connections} }
	var all []target
	judge := func(needs key, what, want, got string, reached bool) {
		if b.has(needs) {
			all = append(all, target{database, what, want, got, reached})
		}
	}

	faster := ratio(b, at(waybill, firsts, many), at(naive, firsts, many), perSecond)
	judge(at(waybill, firsts, many), "64 connections, throughput over naive", "≥ 2.5 ×", times(faster), hundredths(faster) >= wantFaster)
	tail := ratio(b, at(waybill, firsts, many), at(naive, firsts, many), p99)
	judge(at(waybill, firsts, many), "64 connections, p99 over naive", "≤ 1 ×", times(tail), hundredths(tail) <= 1)
	alone := ratio(b, at(waybill, firsts, 1), at(naive, firsts, 1), p50)
	judge(at(waybill, firsts, 1), "1 connection, p50 over naive", "≤ 1.15 ×", times(alone), hundredths(alone) <= wantAlone)
	open := ratio(b, at(waybill, openLoop, openConnections), at(naive, openLoop, openConnections), p99)
	judge(at(waybill, openLoop, openConnections), "open loop at 0.75 × naive's maximum, p99 over naive", "≤ 0.7 ×",
		times(open), hundredths(open) <= wantOpen)
	for _, connections := range r.bench.Connections {
		storm := ratio(b, at(waybill, duplicates, connections), at(waybill, firsts, connections), perSecond)
		judge(at(waybill, duplicates, connections), count(connections, "connection")+", duplicates over first deliveries",
			"≥ 1 ×", times(storm), hundredths(storm) >= 1)
	}

	for _, load := range []string{decisions, sustained} {
		busy := at(waybillWorker, load, openConnections)
		half := median(b, busy, func(f figures) time.Duration { return f.p50 })
		judge(busy, load+", median", "≤ 50 ms", short(half), half <= wantDecided50)
		slow := median(b, busy, func(f figures) time.Duration { return f.p99 })
		judge(busy, load+", p99", "≤ 500 ms", short(slow), slow <= wantDecided99)
	}
	for _, who := range []string{waybill, waybillWorker} {
		grown := r.growth(database, who)
		judge(at(who, firsts, many), "memory over idle, "+who, "≤ 40 MB", megabytes(grown), grown <= wantMemory)
	}
	return all
}

// growth is the most that a contender's memory was above its idle one, the median of the repetitions.
func (r *report) growth(database, who string) float64 {
	var grown []float64
	for k, cells := range r.bench.book.cells {
		if k.database != database || k.who != who {
			continue
		}
		for n, f := range cells {
			if n == len(grown) {
				grown = append(grown, 0)
			}
			grown[n] = max(grown[n], f.peak-f.idle)
		}
	}
	return middle(slices.Clone(grown))
}

// hundredths is a ratio as precise as it is printed: more than that no run repeats.
func hundredths(ratio float64) float64 { return math.Round(ratio*100) / 100 }

func times(ratio float64) string { return fmt.Sprintf("%.2f ×", ratio) }

func short(d time.Duration) string {
	switch {
	case d >= 100*time.Millisecond:
		return fmt.Sprintf("%.0f ms", d.Seconds()*1000)
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	default:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1000)
	}
}

func megabytes(bytes float64) string { return fmt.Sprintf("%.0f MB", bytes/(1<<20)) }
