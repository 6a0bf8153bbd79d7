package config

import (
	"fmt"
	"regexp"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// unset is a field that names a variable which can't be put in.
type unset struct{ path, message string }

// variable is $${ (a literal ${), ${NAME}, or a ${ that is neither.
var variable = regexp.MustCompile(`\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{`)

// expand replaces ${NAME} in every string field. It works on the fields and not on the text, so that a variable's
// value can't add fields and no error can quote it.
func expand(message protoreflect.Message, path string, env func(string) (string, bool)) []unset {
	var problems []unset
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		here := join(path, string(field.Name()))
		switch {
		case field.IsMap():
			problems = append(problems, expandMap(value.Map(), here, env)...)
		case field.IsList():
			problems = append(problems, expandList(field, value.List(), here, env)...)
		case field.Message() != nil:
			problems = append(problems, expand(value.Message(), here, env)...)
		case field.Kind() == protoreflect.StringKind:
			text, faults := expandText(value.String(), here, env)
			message.Set(field, protoreflect.ValueOfString(text))
			problems = append(problems, faults...)
		}
		return true
	})
	return problems
}

func expandList(
	field protoreflect.FieldDescriptor, list protoreflect.List, path string, env func(string) (string, bool),
) []unset {
	var problems []unset
	for i := range list.Len() {
		here := fmt.Sprintf("%s[%d]", path, i)
		if field.Message() != nil {
			problems = append(problems, expand(list.Get(i).Message(), here, env)...)
			continue
		}
		if field.Kind() == protoreflect.StringKind {
			text, faults := expandText(list.Get(i).String(), here, env)
			list.Set(i, protoreflect.ValueOfString(text))
			problems = append(problems, faults...)
		}
	}
	return problems
}

// expandMap replaces in the values of a map of texts.
func expandMap(entries protoreflect.Map, path string, env func(string) (string, bool)) []unset {
	var problems []unset
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		if text, ok := value.Interface().(string); ok {
			expanded, faults := expandText(text, entry(path, key.String()), env)
			entries.Set(key, protoreflect.ValueOfString(expanded))
			problems = append(problems, faults...)
		}
		return true
	})
	return problems
}

func expandText(text, path string, env func(string) (string, bool)) (string, []unset) {
	var problems []unset
	expanded := variable.ReplaceAllStringFunc(text, func(found string) string {
		if found == "$${" {
			return "${"
		}
		if found == "${" {
			problems = append(problems, unset{path, "write ${NAME} for an environment variable, or $${ for the text ${"})
			return found
		}
		name := found[2 : len(found)-1]
		value, ok := env(name)
		if !ok {
			problems = append(problems, unset{path, "the environment variable " + name + " is not set"})
		}
		return value
	})
	return expanded, problems
}
