package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// output is stdout as a command sees it: for a person at a terminal, for a program that reads lines, or as JSON.
type output struct {
	stdout io.Writer
	json   bool
	// terminal is true where a person reads. Else lines are tab separated and nothing is cut.
	terminal bool
	// width is the terminal's.
	width  int
	header bool
	color  bool
	now    func() time.Time
	zone   *time.Location
	// failed is the first error of writing. The rest is not written, and the command fails at its end.
	failed error
}

// print writes to stdout.
func (o *output) print(text string) {
	if o.failed == nil {
		_, o.failed = io.WriteString(o.stdout, text)
	}
}

const defaultWidth = 80

func newOutput(g *globals, stdout *os.File) *output {
	terminal := term.IsTerminal(int(stdout.Fd()))
	out := &output{
		stdout:   stdout,
		json:     g.JSON,
		terminal: terminal,
		width:    defaultWidth,
		header:   terminal || g.Header,
		color:    colored(g.Color, terminal, os.Getenv),
		now:      time.Now,
		zone:     time.Now().Location(),
	}
	if width, _, err := term.GetSize(int(stdout.Fd())); err == nil && width > 0 {
		out.width = width
	}
	return out
}

// colored says whether to colour. An explicit flag wins over the environment, the environment over the terminal.
func colored(mode string, terminal bool, env func(string) string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// message prints a message as one line of JSON, with the proto's JSON names. Fields that are empty are there too, so
// that a program finds what it asks for.
func (o *output) message(message proto.Message) error {
	text, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(message)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	o.print(string(compact(text)) + "\n")
	return nil
}

// compact takes out the blanks that protojson puts in as it pleases.
func compact(text []byte) []byte {
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return text
	}
	return line.Bytes()
}

// object prints anything else as one line of JSON.
func (o *output) object(value any) error {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	o.print(line.String())
	return nil
}

// line prints a line for people. What stands in args may come from anybody; the format is ours.
func (o *output) line(format string, args ...any) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			shown[i] = printable(arg)
		case error:
			shown[i] = printable(arg.Error())
		case fmt.Stringer:
			shown[i] = printable(arg.String())
		default:
			shown[i] = arg
		}
	}
	o.print(fmt.Sprintf(format, shown...) + "\n")
}

// gap parts two blocks on a terminal. Programs need no empty lines.
func (o *output) gap() {
	if o.terminal {
		o.print("\n")
	}
}

// printable shows what would move the cursor, colour the screen or turn the reading direction, instead of doing it:
// much of what is printed was written by others.
func printable(text string) string {
	if !strings.ContainsFunc(text, unsafeRune) {
		return text
	}
	var out strings.Builder
	for _, letter := range text {
		if unsafeRune(letter) {
			fmt.Fprintf(&out, "\\u%04x", letter)
			continue
		}
		out.WriteRune(letter)
	}
	return out.String()
}

func unsafeRune(letter rune) bool {
	return unicode.IsControl(letter) || unicode.Is(unicode.Bidi_Control, letter) || letter == '\u2028' || letter == '\u2029'
}

// at writes a time: for people in their zone, for programs in UTC.
func (o *output) at(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	if o.terminal {
		return at.In(o.zone).Format(time.DateTime)
	}
	return at.UTC().Format(time.RFC3339)
}

// when writes a time and, for people, its zone and how long ago it is.
func (o *output) when(at time.Time) string {
	if at.IsZero() || !o.terminal {
		return o.at(at)
	}
	return o.exactly(at) + ", " + o.span(at) + " ago"
}

// exactly writes a time that stands alone, so for people with its zone.
func (o *output) exactly(at time.Time) string {
	if at.IsZero() || !o.terminal {
		return o.at(at)
	}
	return at.In(o.zone).Format("2006-01-02 15:04:05 MST")
}

// zoned is a column's title with the zone that its times are in.
func (o *output) zoned(title string) string {
	if !o.terminal {
		return title
	}
	return title + ", " + o.now().In(o.zone).Format("MST")
}

// span is how long something has lasted.
func (o *output) span(since time.Time) string { return span(max(0, o.now().Sub(since))) }

// span writes a duration in its two largest units: 3 h 12 min.
func span(d time.Duration) string {
	units := []struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}
	for i, unit := range units {
		if d < unit.size {
			continue
		}
		text := fmt.Sprintf("%d %s", d/unit.size, unit.name)
		rest := d % unit.size
		if i+1 < len(units) && rest >= units[i+1].size && unit.name != "min" {
			text += fmt.Sprintf(" %d %s", rest/units[i+1].size, units[i+1].name)
		}
		return text
	}
	return "0 s"
}
