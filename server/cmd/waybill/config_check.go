package main

import (
	"context"

	"github.com/waybillhq/waybill/server/config"
)

type configCommand struct {
	Check configCheckCommand `cmd:"" help:"Say what is wrong with a configuration file, line by line."`
}

type configCheckCommand struct {
	File string `arg:"" help:"The file. Default: --config." optional:""`
}

// problemLine is a problem as JSON.
type problemLine struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Path    string `json:"path"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Warning bool   `json:"warning"`
}

// Run checks a configuration file. Warnings alone leave the exit code 0.
func (c *configCheckCommand) Run(_ context.Context, g *globals, out *output) error {
	file := c.File
	if file == "" {
		file = g.Config
	}
	if file == "" {
		return usage("which file?", "waybill config check FILE")
	}
	_, problems, err := config.Load(file, checkProviders)
	if err != nil {
		return &failure{exit: exitFailed, code: "config", message: err.Error(), next: "waybill config check FILE"}
	}
	for _, problem := range problems {
		if err := out.problem(problem); err != nil {
			return err
		}
	}
	if len(config.Faults(problems)) > 0 {
		return exitError(exitFailed)
	}
	if !out.json {
		out.line("%s: sound", file)
	}
	return nil
}

func (o *output) problem(problem config.Problem) error {
	if o.json {
		return o.object(problemLine(problem))
	}
	o.line("%s", problem.String())
	return nil
}
