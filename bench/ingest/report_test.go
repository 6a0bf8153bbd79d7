package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/bench/database"
)

// written is a bench with figures that nobody has measured.
func written(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		runCommand: &runCommand{Connections: []int{1, many}}, book: newBook(),
		servers: []database.Server{&database.SQLite{}},
	}
	cell := func(who, load string, connections int, rates ...float64) {
		for _, rate := range rates {
			b.book.add(key{"SQLite", who, load, connections}, figures{
				perSecond: rate, p50: time.Duration(float64(time.Second) / rate), p99: 2 * time.Millisecond, peak: 10 << 20,
			})
		}
	}
	cell(naive, firsts, 1, 100, 100, 100)
	cell(waybill, firsts, 1, 80, 80, 80)
	cell(naive, firsts, many, 1000, 2000, 3000)
	cell(waybill, firsts, many, 2600, 5200, 3000)
	cell(waybill, duplicates, many, 2600, 5199, 3000)
	return b
}

func verdicts(b *bench) map[string]target {
	found := make(map[string]target)
	for _, each := range newReport(b, nil).targets("SQLite") {
		found[each.what] = each
	}
	return found
}

func TestTargetsAreJudgedByTheMedianOfTheRatiosWithinARepetition(t *testing.T) {
	t.Parallel()
	found := verdicts(written(t))

	for what, want := range map[string]struct {
		got     string
		reached bool
	}{
		"64 connections, throughput over naive":            {"2.60 ×", true},
		"64 connections, p99 over naive":                   {"1.00 ×", true},
		"1 connection, p50 over naive":                     {"1.25 ×", false},
		"64 connections, duplicates over first deliveries": {"1.00 ×", true},
		"memory over idle, Waybill":                        {"10 MB", true},
	} {
		if got := found[what]; got.got != want.got || got.reached != want.reached {
			t.Errorf("%s: %s, reached %t; want %s, %t", what, got.got, got.reached, want.got, want.reached)
		}
	}
}

func TestWhatWasNotMeasuredIsNotJudged(t *testing.T) {
	t.Parallel()
	for what := range verdicts(written(t)) {
		if strings.Contains(what, "until decided") || strings.Contains(what, "open loop") {
			t.Errorf("%s was judged", what)
		}
	}
}

func TestOnlyTheMeasuredPartOfAPageIsWrittenAnew(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+beginMark+"\nold\n"+endMark+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := newReport(written(t), []string{"a machine"}).write(&out, page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	if !strings.HasPrefix(got, "before\n"+beginMark) || !strings.HasSuffix(got, endMark+"\nafter\n") || strings.Contains(got, "old") {
		t.Errorf("the page is\n%s", got)
	}
	if !strings.Contains(got, "- a machine") || !strings.Contains(got, "**not reached**") || out.Len() == 0 {
		t.Errorf("the page lacks what was measured:\n%s", got)
	}

	if err := os.WriteFile(page, []byte("no marks"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := newReport(written(t), nil).write(&out, page); err == nil {
		t.Error("a page without a measured part was written to")
	}
}
