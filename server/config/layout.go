package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// spot is a place in the text that holds the value of a field.
type spot struct {
	path  string
	node  *yaml.Node
	field protoreflect.FieldDescriptor
}

// place is a line and column, from 1.
type place struct{ line, column int }

// layout says where which field stands, and what is wrong with the shape of the text.
type layout struct {
	byPath   map[string]spot
	byPlace  map[place]spot
	problems []Problem
}

// survey walks a document along its schema.
func survey(root *yaml.Node, schema protoreflect.MessageDescriptor) *layout {
	l := &layout{byPath: make(map[string]spot), byPlace: make(map[place]spot)}
	l.byPath[""] = spot{node: root}
	l.message(root, schema, "")
	return l
}

// at makes a problem at a field, or at what stands closest above it.
func (l *layout) at(path, message string) Problem {
	node := l.byPath[""].node
	for above := path; above != ""; above = parent(above) {
		if found, ok := l.byPath[above]; ok {
			node = found.node
			break
		}
	}
	return Problem{Line: node.Line, Column: node.Column, Path: path, Message: message}
}

func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

func (l *layout) add(node *yaml.Node, path, message string) {
	l.problems = append(l.problems, Problem{Line: node.Line, Column: node.Column, Path: path, Message: message})
}

func (l *layout) message(node *yaml.Node, schema protoreflect.MessageDescriptor, path string) {
	seen := make(map[string]bool)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		field := schema.Fields().ByName(protoreflect.Name(key.Value))
		switch {
		case key.Kind != yaml.ScalarNode || field == nil:
			l.add(key, path, unknownField(key, schema))
		case seen[key.Value]:
			l.add(key, join(path, key.Value), "the field is written twice")
		default:
			seen[key.Value] = true
			l.value(value, field, join(path, key.Value))
		}
	}
}

func (l *layout) value(node *yaml.Node, field protoreflect.FieldDescriptor, path string) {
	here := spot{path: path, node: node, field: field}
	l.byPath[path] = here
	l.byPlace[place{node.Line, node.Column}] = here

	if fault := here.unsupported(); fault != "" {
		l.add(node, path, fault)
		return
	}
	if field.IsMap() {
		l.entries(node, field, path)
		return
	}
	if field.IsList() && !here.isItem() {
		if node.Kind == yaml.SequenceNode {
			for i, item := range node.Content {
				l.value(item, field, fmt.Sprintf("%s[%d]", path, i))
			}
		}
		return
	}
	if field.Message() != nil && node.Kind == yaml.MappingNode {
		l.message(node, field.Message(), path)
	}
}

// entries walks a field whose names the writer of the configuration chooses.
func (l *layout) entries(node *yaml.Node, field protoreflect.FieldDescriptor, path string) {
	if node.Kind != yaml.MappingNode {
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "<<":
			l.add(key, path, "write one word, a colon and what it means")
		case seen[key.Value]:
			l.add(key, path, "the word is written twice")
		default:
			seen[key.Value] = true
			l.value(value, field.MapValue(), entry(path, key.Value))
		}
	}
}

// entry is the path of a map's entry, as protovalidate writes it.
func entry(path, key string) string { return path + "[" + strconv.Quote(key) + "]" }

const nullTag = "!!null"

// known are the tags that mean what YAML means without them.
var known = []string{"!!str", "!!int", "!!float", "!!bool", nullTag, "!!seq", "!!map", "!!timestamp"}

// isItem says whether the spot is an item of a list.
func (s spot) isItem() bool { return strings.HasSuffix(s.path, "]") }

// unsupported says why a value can't be what its writer meant. YAML and protoyaml would take it for something else
// without a word.
func (s spot) unsupported() string {
	null := s.node.Kind == yaml.ScalarNode && s.node.Tag == nullTag
	switch {
	case s.node.Kind == yaml.AliasNode:
		return "aliases are not supported; a value that begins with * must stand in quotes"
	case s.node.Anchor != "":
		return "anchors are not supported; a value that begins with & must stand in quotes"
	case s.node.Style&yaml.TaggedStyle != 0 && !slices.Contains(known, s.node.ShortTag()):
		return "tags are not supported: ${NAME} reads the environment, and a value that begins with ! must stand in quotes"
	case null && s.isItem():
		return "the item is empty"
	case null && s.node.Value != "" && s.field.Kind() == protoreflect.StringKind:
		return "this is YAML's word for nothing; put it in quotes if the word itself is meant"
	}
	return ""
}

// ordinary is what a field's name looks like. Anything else that stands where a name belongs may be a secret.
var ordinary = regexp.MustCompile(`^[A-Za-z][a-z_]{0,31}$`)

func unknownField(key *yaml.Node, schema protoreflect.MessageDescriptor) string {
	what := "unknown field"
	switch {
	case key.Value == "<<":
		return "merge keys (<<) are not supported"
	case ordinary.MatchString(key.Value) && schema.FullName() != secretName:
		what += " " + key.Value
	}
	names := make([]string, schema.Fields().Len())
	for i := range names {
		names[i] = string(schema.Fields().Get(i).Name())
	}
	return what + "; known here: " + strings.Join(names, ", ")
}

func join(path, field string) string {
	if path == "" || field == "" {
		return path + field
	}
	return path + "." + field
}
