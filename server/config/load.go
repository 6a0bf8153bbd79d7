package config

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// Check looks for faults that the schema can't see: kinds of providers that don't exist, and what each kind asks of its
// settings.
type Check func(*configv1.Config) []Fault

// Fault is something wrong with a configuration, or a doubt about it.
type Fault struct {
	// Field is the field's path, for example accounts[0].providers[1].kind.
	Field string
	// Message says what is wrong. It quotes no value.
	Message string
}

// Loader reads configurations.
type Loader struct {
	// Check looks for further faults. Nil: there is nothing more to look for.
	Check Check
	// Env looks up what ${NAME} stands for. Nil: the process's environment.
	Env func(name string) (string, bool)
	// Now is the clock. Nil: the system's.
	Now func() time.Time
}

// Load reads a file. The error is about the file; what is wrong with its contents are the problems, in the order of
// their lines. The configuration is nil where one of them is more than a warning.
func Load(path string, check Check) (*configv1.Config, []Problem, error) {
	return Loader{Check: check}.Load(path)
}

// Load reads a file, as the function Load does.
func (l Loader) Load(path string) (*configv1.Config, []Problem, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("config: %w", err)
	}
	cfg, problems := l.Parse(path, text)
	return cfg, problems, nil
}

// Parse reads a configuration's text. The name stands in the problems as their file, and files that the configuration
// names lie beside it.
func (l Loader) Parse(name string, text []byte) (*configv1.Config, []Problem) {
	cfg, problems := l.withDefaults().parse(text, filepath.Dir(name))
	for i := range problems {
		problems[i].File = name
	}
	sortProblems(problems)
	if len(Faults(problems)) > 0 {
		return nil, problems
	}
	return cfg, problems
}

func (l Loader) withDefaults() Loader {
	if l.Env == nil {
		l.Env = os.LookupEnv
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	return l
}

// parse reads a text; the files that it names lie in the folder.
func (l Loader) parse(text []byte, folder string) (*configv1.Config, []Problem) {
	doc, problem := readDocument(text)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	cfg := &configv1.Config{}
	layout := survey(doc, cfg.ProtoReflect().Descriptor())

	broken, problems := decode(text, cfg, layout, l.Env)
	problems = append(layout.problems, problems...)
	if len(problems) > 0 {
		return nil, unrepeated(problems)
	}

	problems = append(violations(broken, cfg, layout), readFixtures(cfg, folder, layout)...)
	problems = append(problems, l.check(cfg, layout)...)
	return cfg, unrepeated(problems)
}

// unrepeated leaves out what a second check found wrong with a field: the first has said it.
func unrepeated(problems []Problem) []Problem {
	type spot struct {
		place

		path string
	}
	seen := make(map[spot]bool)
	var kept []Problem
	for _, problem := range problems {
		here := spot{place{problem.Line, problem.Column}, problem.Path}
		if !seen[here] {
			kept = append(kept, problem)
		}
		seen[here] = true
	}
	return kept
}
