package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// report puts the book into words, for a terminal and for a page.
type report struct {
	bench *bench
	about []string
}

func newReport(b *bench, about []string) *report { return &report{bench: b, about: about} }

// The lines between which a page's measured part stands.
const (
	beginMark = "<!-- measured: begin -->"
	endMark   = "<!-- measured: end -->"
)

// write prints the report and puts it into the page, if there is one.
func (r *report) write(out io.Writer, page string) error {
	plain := r.text(func(t table.Writer) string { return t.Render() })
	if _, err := io.WriteString(out, "\n"+plain); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if page == "" {
		return nil
	}
	file, err := os.OpenFile(page, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return errors.Join(r.insert(file), file.Close())
}

// insert writes the measured part of a page anew, and leaves the rest as it is.
func (r *report) insert(page *os.File) error {
	old, err := io.ReadAll(page)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	before, rest, found := bytes.Cut(old, []byte(beginMark))
	_, after, ended := bytes.Cut(rest, []byte(endMark))
	if !found || !ended {
		return fmt.Errorf("report: %s has no measured part: %s … %s", page.Name(), beginMark, endMark)
	}
	measured := r.text(func(t table.Writer) string { return t.RenderMarkdown() })
	fresh := fmt.Sprintf("%s%s\n\n%s\n%s%s", before, beginMark, strings.TrimSpace(measured), endMark, after)
	if err := page.Truncate(0); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := page.WriteAt([]byte(fresh), 0); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// text is the whole report, with tables as the caller draws them.
func (r *report) text(draw func(table.Writer) string) string {
	var out strings.Builder
	for _, line := range r.about {
		fmt.Fprintf(&out, "- %s\n", line)
	}
	section := func(title string, t table.Writer) { fmt.Fprintf(&out, "\n### %s\n\n%s\n", title, draw(t)) }
	section("Targets", r.targetTable())
	section("Floors", r.floorTable())
	for _, server := range r.bench.servers {
		section("Closed loop, "+server.Name(), r.closedTable(server.Name()))
		section("Open loop, "+server.Name(), r.openTable(server.Name()))
	}
	return out.String()
}

func newTable(numbers int, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header)
	configs := make([]table.ColumnConfig, 0, len(header))
	for column := range header {
		if column >= len(header)-numbers {
			configs = append(configs, table.ColumnConfig{Number: column + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	return t
}

func (r *report) targetTable() table.Writer {
	t := newTable(0, "database", "target", "wanted", "measured", "")
	for _, server := range r.bench.servers {
		for _, each := range r.targets(server.Name()) {
			verdict := "reached"
			if !each.reached {
				verdict = "**not reached**"
			}
			t.AppendRow(table.Row{each.database, each.what, each.want, each.got, verdict})
		}
	}
	return t
}

// floorTable shows what can't be beaten, and how near Waybill comes.
func (r *report) floorTable() table.Writer {
	b := r.bench.book
	t := newTable(4, "what", "at", "a second", "p99", "µs CPU/event", "database µs")
	for _, k := range b.order {
		if k.who != bare && k.who != direct {
			continue
		}
		row := table.Row{
			k.who, count(k.connections, "connection"), rounded(median(b, k, perSecond)),
			short(median(b, k, func(f figures) time.Duration { return f.p99 })),
			median(b, k, func(f figures) int64 { return f.serverCPU.Microseconds() }),
		}
		if k.who == direct {
			row = table.Row{
				k.database + ", " + k.who + ", " + k.load, count(k.connections, "writer"), rounded(median(b, k, perSecond)),
				"", "", r.costs(k)[1],
			}
		}
		t.AppendRow(row)
	}
	for _, server := range r.bench.servers {
		floor := r.combined(server.Name())
		if floor == 0 {
			continue
		}
		reached := median(b, key{server.Name(), waybill, firsts, many}, perSecond)
		t.AppendRow(table.Row{
			fmt.Sprintf("%s, both floors one after the other; Waybill reaches %.0f %%", server.Name(), 100*reached/floor),
			count(many, "connection"), rounded(floor),
		})
	}
	return t
}

// combined is what both floors come to when one pays them one after the other.
func (r *report) combined(database string) float64 {
	b := r.bench.book
	http := median(b, key{who: bare, load: firsts, connections: many}, perSecond)
	for _, writers := range []int{4, 1} {
		if k := (key{database, direct, hundreds, writers}); b.has(k) && http > 0 {
			return 1 / (1/http + 1/median(b, k, perSecond))
		}
	}
	return 0
}

func (r *report) closedTable(database string) table.Writer {
	b := r.bench.book
	t := newTable(10, "load", "connections", "who", "a second", "over naive", "refused", "p50", "p99", "p99.9",
		"µs CPU/event", "database µs", "log B/event", "decided/s")
	for _, kind := range []string{firsts, duplicates} {
		for _, connections := range r.bench.Connections {
			for _, who := range []string{naive, waybill, waybillWorker} {
				k := key{database, who, kind, connections}
				done := ""
				if rate := median(b, k, decided); rate > 0 {
					done = rounded(rate)
				}
				over := times(ratio(b, k, key{database, naive, kind, connections}, perSecond))
				refused := rounded(median(b, k, func(f figures) float64 { return f.refused }))
				t.AppendRow(append(table.Row{kind, connections, who, rounded(median(b, k, perSecond)), over, refused},
					append(r.latencies(k), append(r.costs(k), done)...)...))
			}
		}
	}
	return t
}

func (r *report) latencies(k key) table.Row {
	b := r.bench.book
	return table.Row{
		short(median(b, k, func(f figures) time.Duration { return f.p50 })),
		short(median(b, k, func(f figures) time.Duration { return f.p99 })),
		short(median(b, k, func(f figures) time.Duration { return f.p999 })),
	}
}

func (r *report) costs(k key) table.Row {
	b := r.bench.book
	return table.Row{
		median(b, k, func(f figures) int64 { return f.serverCPU.Microseconds() }),
		median(b, k, func(f figures) int64 { return f.databaseCPU.Microseconds() }),
		rounded(median(b, k, func(f figures) float64 { return f.logged })),
	}
}

func (r *report) openTable(database string) table.Writer {
	b := r.bench.book
	t := newTable(7, "load", "who", "offered/s", "taken/s", "refused", "p50", "p99", "p99.9", "peak memory")
	for _, k := range b.order {
		if k.database != database || k.load != openLoop && k.load != decisions && k.load != sustained {
			continue
		}
		row := table.Row{
			k.load, k.who, rounded(median(b, k, func(f figures) float64 { return f.offered })), rounded(median(b, k, perSecond)),
			rounded(median(b, k, func(f figures) float64 { return f.refused })),
		}
		memory := fmt.Sprintf("%s, idle %s", megabytes(median(b, k, func(f figures) float64 { return f.peak })),
			megabytes(median(b, k, func(f figures) float64 { return f.idle })))
		t.AppendRow(append(append(row, r.latencies(k)...), memory))
	}
	return t
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func rounded(value float64) string {
	digits := fmt.Sprintf("%.0f", value)
	var out strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}
