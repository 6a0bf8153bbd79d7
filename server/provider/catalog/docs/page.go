package main

import (
	_ "embed" // the page around the tables
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"

	"github.com/waybillhq/waybill/server/provider"
)

//go:embed page.md.tmpl
var pageText string

// row is what the page says of a kind.
type row struct {
	Kind    string
	Title   string
	About   string
	Link    string
	Proof   string
	Covers  string
	Event   string
	Answers string
	Samples string
}

// page writes the index of the kinds. folders holds their folders, with a README.md in each.
func page(kinds []provider.Kind, folders fs.FS) (string, error) {
	rows := make([]row, 0, len(kinds))
	for _, kind := range kinds {
		made, err := describe(kind, folders)
		if err != nil {
			return "", fmt.Errorf("%s: %w", kind.Name, err)
		}
		rows = append(rows, made)
	}
	tmpl, err := template.New("page").Parse(pageText)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := tmpl.Execute(&text, rows); err != nil {
		return "", err
	}
	return text.String(), nil
}

func describe(kind provider.Kind, folders fs.FS) (row, error) {
	folder := strings.ReplaceAll(kind.Name, "-", "") // as the catalogue's test wants it
	readme, err := fs.ReadFile(folders, path.Join(folder, "README.md"))
	if err != nil {
		return row{}, err
	}
	title, about, err := opening(string(readme))
	if err != nil {
		return row{}, err
	}
	asked, err := ask(kind)
	if err != nil {
		return row{}, err
	}
	made := row{
		Kind:    "`" + kind.Name + "`",
		Title:   title,
		About:   cell(about),
		Link:    path.Join("..", "server", "provider", folder, "README.md"),
		Proof:   cell(asked.proof()),
		Covers:  map[bool]string{true: "yes", false: "**no**"}[asked.covers],
		Event:   asked.identity(),
		Answers: fmt.Sprintf("%d, %d", asked.accepted, asked.limited),
		Samples: "`" + strings.Join(asked.samples, "`, `") + "`",
	}
	if kind.Configured { // what its example says is not what others say
		const open = "as the settings say"
		made.Covers, made.Event, made.Answers = open, open, open
	}
	return made, nil
}

// opening is a page's title, and the first sentence under it.
func opening(readme string) (title, about string, err error) {
	title, rest, _ := strings.Cut(readme, "\n")
	title, isTitle := strings.CutPrefix(title, "# ")
	paragraph, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
	about, _, _ = strings.Cut(strings.Join(strings.Fields(paragraph), " "), ". ")
	if !isTitle || about == "" || strings.HasPrefix(about, "#") {
		return "", "", errors.New("README.md begins without a title and a sentence about the sender")
	}
	return title, strings.TrimSuffix(about, "."), nil
}

// cell is text that may stand in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
