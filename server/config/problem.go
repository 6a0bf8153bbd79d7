package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is something wrong with a configuration. It never holds the value of a field.
type Problem struct {
	File string
	// Line and Column count from 1. 0: the problem has no place.
	Line, Column int
	// Path is the field, for example accounts[0].providers[1].secrets[0].value.
	Path string
	// Rule is the broken rule's id, where the schema has a rule for it.
	Rule string
	// Message says what is wrong and what to write instead.
	Message string
	// Warning: Waybill starts all the same.
	Warning bool
}

// String is the problem on one line: file:line:column: path: message (rule).
func (p Problem) String() string {
	var text strings.Builder
	text.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&text, ":%d:%d", p.Line, p.Column)
	}
	text.WriteString(": ")
	if p.Warning {
		text.WriteString("warning: ")
	}
	if p.Path != "" {
		text.WriteString(p.Path + ": ")
	}
	text.WriteString(p.Message)
	if p.Rule != "" {
		text.WriteString(" (" + p.Rule + ")")
	}
	return text.String()
}

// Faults are the problems that keep Waybill from starting.
func Faults(problems []Problem) []Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Warning })
}

func sortProblems(problems []Problem) {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
