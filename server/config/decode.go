package config

import (
	"errors"
	"fmt"

	"buf.build/go/protovalidate"
	"buf.build/go/protoyaml"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

var (
	secretName  = (&configv1.Secret{}).ProtoReflect().Descriptor().FullName()
	fixtureName = (&configv1.Fixture{}).ProtoReflect().Descriptor().FullName()
)

// decode reads the text into the message, expands ${NAME} and validates. It gives back which rules are broken, and
// what keeps the text from being read at all.
func decode(text []byte, cfg *configv1.Config, layout *layout, env func(string) (string, bool)) (
	*protovalidate.ValidationError, []Problem,
) {
	hook := &validator{env: env}
	err := protoyaml.UnmarshalOptions{
		Validator:         hook,
		CustomUnmarshaler: plainText{},
		// The survey has told of unknown fields already, in better words.
		DiscardUnknown: true,
	}.Unmarshal(text, cfg)

	problems := misreadings(err, layout)
	for _, unset := range hook.unset {
		problems = append(problems, layout.at(unset.path, unset.message))
	}
	if hook.err != nil && len(problems) == 0 {
		problems = append(problems, layout.at("", "the rules can't be checked: "+hook.err.Error()))
	}
	return hook.broken, problems
}

// plainText reads a secret, or a fixture's path, that is written as a plain string.
type plainText struct{}

// Unmarshal implements protoyaml.CustomUnmarshaler.
func (plainText) Unmarshal(node *yaml.Node, message proto.Message) (bool, error) {
	if node.Kind != yaml.ScalarNode || node.Tag == nullTag {
		return false, nil
	}
	switch plain := message.(type) {
	case *configv1.Secret:
		plain.Value = node.Value
		return true, nil
	case *configv1.Fixture:
		plain.File = node.Value
		return true, nil
	default:
		return false, nil
	}
}

// validator runs when protoyaml has read everything. It keeps what it finds instead of handing it back, because
// protoyaml's errors quote the line of the text, secrets and all.
type validator struct {
	env    func(string) (string, bool)
	unset  []unset
	broken *protovalidate.ValidationError
	err    error
}

// Validate implements protoyaml.Validator. protovalidate's own method takes options, so it doesn't.
func (v *validator) Validate(message proto.Message) error {
	v.unset = expand(message.ProtoReflect(), "", v.env)
	err := protovalidate.Validate(message)
	if err != nil && !errors.As(err, &v.broken) {
		v.err = err
	}
	return nil
}

// misreadings turn protoyaml's errors into problems. Only their places are used: their words quote values.
func misreadings(err error, layout *layout) []Problem {
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	var problems []Problem
	for _, one := range list {
		var at place
		if _, scanErr := fmt.Sscanf(one.Error(), ":%d:%d ", &at.line, &at.column); scanErr != nil {
			problems = append(problems, layout.at("", "the text can't be read as a configuration"))
			continue
		}
		here := layout.byPlace[at]
		if here.field == nil {
			problems = append(problems, Problem{Line: at.line, Column: at.column, Message: "a value of another shape belongs here"})
			continue
		}
		// A list whose items are all commented out is an empty list.
		if here.node.Tag == nullTag && here.field.IsList() {
			continue
		}
		problems = append(problems, Problem{
			Line: at.line, Column: at.column, Path: here.path, Message: "write " + shape(here),
		})
	}
	return problems
}

// shape says in words what belongs into a field.
func shape(here spot) string {
	if here.field.IsMap() {
		return "words and what they mean, one a line: word: meaning"
	}
	if here.field.IsList() && !here.isItem() {
		return "a list, one item a line, each after a dash"
	}
	switch here.field.Kind() {
	case protoreflect.BoolKind:
		return "true or false"
	case protoreflect.StringKind:
		return "one value, not a list or fields"
	case protoreflect.MessageKind:
		return messageShape(here.field.Message())
	default:
		return "a whole number"
	}
}

func messageShape(schema protoreflect.MessageDescriptor) string {
	switch schema.FullName() {
	case "google.protobuf.Duration":
		return "a duration, for example 48h or 30m"
	case "google.protobuf.Timestamp":
		return "a time with its zone, for example 2026-01-31T00:00:00Z"
	case secretName:
		return "the secret as one value, or its fields value and not_after"
	case fixtureName:
		return "the file's path as one value, or the fields name and text"
	}
	return "fields, one a line: name: value"
}

// violations turn broken rules into problems.
func violations(broken *protovalidate.ValidationError, cfg *configv1.Config, layout *layout) []Problem {
	if broken == nil {
		return nil
	}
	var problems []Problem
	for _, violation := range broken.Violations {
		path := protovalidate.FieldPathString(violation.Proto.GetField())
		for _, exact := range offenders(violation.Proto, cfg, path) {
			problem := layout.at(exact, violation.Proto.GetMessage())
			problem.Rule = violation.Proto.GetRuleId()
			problems = append(problems, problem)
		}
	}
	return problems
}
