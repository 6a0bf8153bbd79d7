package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readDocument parses the one document of a configuration. protoyaml would take an empty text for an empty
// configuration and pass over everything after the first document.
func readDocument(text []byte) (*yaml.Node, *Problem) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, &Problem{Line: 1, Column: 1, Message: "the file is empty; it needs at least one account"}
	}
	if err != nil {
		return nil, syntaxProblem(err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, &Problem{Line: root.Line, Column: root.Column, Message: "write fields, one a line: name: value"}
	}

	err = decoder.Decode(&second)
	if err == nil {
		return nil, &Problem{
			Line: second.Line, Column: second.Column,
			Message: "a second document begins here; the configuration is one document, take the --- away",
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, syntaxProblem(err)
	}
	return root, nil
}

var (
	syntaxPlace   = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)
	unknownAnchor = regexp.MustCompile(`unknown anchor '.*' referenced`)
	longQuote     = regexp.MustCompile(`(?s)'[^']{2,}'|"[^"]{2,}"|` + "`[^`]{2,}`")
)

// syntaxProblem words an error of the YAML parser, without the text that the parser quotes: a secret that begins with
// * or & is an alias or anchor to it.
func syntaxProblem(err error) *Problem {
	message := err.Error()
	place := syntaxPlace.FindStringSubmatch(message)
	message = message[len(place[0]):]
	if unknownAnchor.MatchString(message) {
		message = "a value that begins with * is an alias to YAML; put it in quotes"
	}
	message = longQuote.ReplaceAllString(message, "…")

	line, _ := strconv.Atoi(place[1])
	line = max(line, 1)
	return &Problem{Line: line, Column: 1, Message: "not YAML: " + strings.TrimSpace(message)}
}
