package main

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is rows under titles.
type grid struct {
	// kind is the first column of every line where a program reads, so that mixed lines stay apart. Empty: none.
	kind    string
	columns []column
	rows    [][]string
}

// column is a title and how its cells stand.
type column struct {
	title string
	// right aligns numbers.
	right bool
	// wraps takes the width that the other columns leave.
	wraps bool
	// outcome colours the cell's word.
	outcome bool
	// spare columns leave a terminal that is too narrow, 1 first. 0 stays.
	spare int
}

// oneLine keeps a cell in its line and its column.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

func (g *grid) add(cells ...string) {
	for i, cell := range cells {
		cells[i] = printable(oneLine.Replace(cell))
	}
	g.rows = append(g.rows, cells)
}

// leastWrap keeps a wrapping column readable where the others leave it nothing.
const leastWrap = 24

func (o *output) grid(g *grid) {
	if len(g.rows) == 0 {
		return
	}
	if !o.terminal {
		o.lines(g)
		return
	}
	shown, missing := g.fitting(o.width)
	o.print(o.writer(shown).Render() + "\n")
	if len(missing) > 0 {
		o.line("Too narrow for: %s. A wider terminal, | cat, or --json shows all.", strings.Join(missing, ", "))
	}
}

// fitting is the grid without the spare columns for which there is no room, and their titles.
func (g *grid) fitting(width int) (shown *grid, missing []string) {
	shown = g
	for shown.fixedWidth()+shown.leastRest() > width {
		at := shown.mostSpare()
		if at < 0 {
			break
		}
		missing = append(missing, shown.columns[at].title)
		shown = shown.without(at)
	}
	return shown, missing
}

func (g *grid) mostSpare() int {
	most := -1
	for i, column := range g.columns {
		if column.spare > 0 && (most < 0 || column.spare < g.columns[most].spare) {
			most = i
		}
	}
	return most
}

func (g *grid) without(at int) *grid {
	less := &grid{kind: g.kind, columns: slices.Delete(slices.Clone(g.columns), at, at+1)}
	for _, row := range g.rows {
		less.rows = append(less.rows, slices.Delete(slices.Clone(row), at, at+1))
	}
	return less
}

// leastRest is what the wrapping column needs at least.
func (g *grid) leastRest() int {
	for i, column := range g.columns {
		if column.wraps {
			return min(leastWrap, g.widest(i))
		}
	}
	return 0
}

// lines prints tab separated cells, nothing cut.
func (o *output) lines(g *grid) {
	var prefix []string
	if g.kind != "" {
		prefix = []string{g.kind}
	}
	if o.header {
		titles := slices.Clone(prefix)
		for _, column := range g.columns {
			titles = append(titles, column.title)
		}
		o.print(strings.Join(titles, "\t") + "\n")
	}
	for _, row := range g.rows {
		o.print(strings.Join(slices.Concat(prefix, o.tinted(g, row)), "\t") + "\n")
	}
}

func (o *output) tinted(g *grid, row []string) []string {
	tinted := make([]string, len(row))
	for i, cell := range row {
		if g.columns[i].outcome {
			cell = o.tint(cell)
		}
		tinted[i] = cell
	}
	return tinted
}

func (o *output) writer(g *grid) *table.Table {
	writer := &table.Table{}
	style := table.StyleDefault
	style.Box = table.BoxStyle{PaddingRight: "  "}
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	writer.SetStyle(style)
	writer.SuppressTrailingSpaces()

	titles := make(table.Row, 0, len(g.columns))
	for _, column := range g.columns {
		title := column.title
		if o.color && title != "" {
			title = bold(title)
		}
		titles = append(titles, title)
	}
	writer.AppendHeader(titles)
	for _, row := range g.rows {
		cells := make(table.Row, 0, len(row))
		for _, cell := range o.tinted(g, row) {
			cells = append(cells, cell)
		}
		writer.AppendRow(cells)
	}
	writer.SetColumnConfigs(o.columnConfigs(g))
	return writer
}

func (o *output) columnConfigs(g *grid) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, 0, len(g.columns))
	rest := max(leastWrap, o.width-g.fixedWidth())
	for i, column := range g.columns {
		config := table.ColumnConfig{Number: i + 1}
		if column.right {
			config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
		}
		if column.wraps {
			config.WidthMax, config.WidthMaxEnforcer = rest, text.WrapSoft
		}
		configs = append(configs, config)
	}
	return configs
}

// fixedWidth is what the columns that do not wrap take, gaps included.
func (g *grid) fixedWidth() int {
	total := 0
	for i, column := range g.columns {
		if column.wraps {
			continue
		}
		total += g.widest(i) + 2
	}
	return total
}

func (g *grid) widest(column int) int {
	widest := text.StringWidth(g.columns[column].title)
	for _, row := range g.rows {
		widest = max(widest, text.StringWidth(row[column]))
	}
	return widest
}

// fact is a labelled line: an outcome's word, text, or both.
type fact struct{ label, word, text string }

// facts prints labelled lines. Those that say nothing are left out.
func (o *output) facts(facts ...fact) {
	facts = slices.DeleteFunc(facts, func(f fact) bool { return f.word+f.text == "" })
	widest := 0
	for _, f := range facts {
		widest = max(widest, text.StringWidth(f.label))
	}
	for _, f := range facts {
		shown := strings.TrimSpace(o.tint(printable(f.word)) + " " + printable(oneLine.Replace(f.text)))
		if !o.terminal {
			o.print(strings.ToLower(strings.ReplaceAll(f.label, " ", "_")) + "\t" + shown + "\n")
			continue
		}
		label := f.label
		if o.color {
			label = bold(label)
		}
		o.print(label + strings.Repeat(" ", widest-text.StringWidth(f.label)+2) + shown + "\n")
	}
}

// The sixteen named colours only, on the outcome's word alone.
var tints = map[string]text.Color{
	"applied": text.FgGreen, "completed": text.FgGreen, "delivered": text.FgGreen, "paid": text.FgGreen,
	"accepted": text.FgGreen, "translated": text.FgGreen, "ok": text.FgGreen,
	"shipped": text.FgBlue, "in_transit": text.FgBlue, "out_for_delivery": text.FgBlue,
	"parked": text.FgYellow, "conflicting": text.FgYellow, "disputed": text.FgYellow,
	"failed": text.FgRed, "failed_delivery": text.FgRed, "illegal": text.FgRed, "refused": text.FgRed,
	"returning": text.FgMagenta, "returned": text.FgMagenta, "refunded": text.FgMagenta,
	"partially_refunded": text.FgMagenta,
}

// tint colours an outcome's word. The word stays: colour is never the only sign.
func (o *output) tint(word string) string {
	color, known := tints[word]
	if !o.color || !known {
		return word
	}
	return color.EscapeSeq() + word + text.Reset.EscapeSeq()
}

func bold(word string) string { return text.Bold.EscapeSeq() + word + text.Reset.EscapeSeq() }
