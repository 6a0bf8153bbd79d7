package custom

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/waybillhq/waybill/server/provider"
)

// shape is what an expression must give.
type shape int

const (
	aText    shape = iota // text or a whole number, or nothing
	texts                 // the same, or a list of them
	aBool                 // true or false
	aList                 // a list of anything
	someRows              // a list of maps, or of texts
)

var shapeWords = map[shape]string{
	aText: "text", texts: "text or a list of texts", aBool: "true or false", aList: "a list", someRows: "a list",
}

// expression is a compiled one. nil is one that the settings leave out: it gives nothing.
type expression struct {
	// path is where it stands in the settings, for messages.
	path    string
	program cel.Program
	looks   looks
	// constant is the word of ours that it is, where it is no more than that.
	constant string
}

// compiler compiles settings and collects what is wrong with them.
type compiler struct {
	problems []provider.Problem
	// headers and signedID say whether there is anything under these names.
	headers, signedID bool
}

func (c *compiler) report(path, message string) {
	c.problems = append(c.problems, provider.Problem{Field: path, Message: message})
}

// expression compiles one. Its path is below custom.
func (c *compiler) expression(path, text string, from view, want shape) *expression {
	if text == "" {
		return nil
	}
	made, err := compile(path, text, from, want)
	if err != nil {
		c.report(path, err.Error())
		return nil
	}
	if made.looks.names[headerName] && !c.headers {
		c.report(path, "no header is kept: name in custom.headers those that it looks at")
	}
	if made.looks.names[webhookIDName] && !c.signedID {
		c.report(path, "only the preset standard_webhooks signs an id")
	}
	return made
}

// compiling lets one expression be compiled at a time: cel-go's environments fill in what they lack while they check, so
// two compilations of one environment race. It happens at the start only.
var compiling sync.Mutex

func compile(path, text string, from view, want shape) (*expression, error) {
	compiling.Lock()
	defer compiling.Unlock()

	all, err := languages()
	if err != nil {
		return nil, err
	}
	checked, issues := all[from].Compile(text)
	if issues.Err() != nil {
		return nil, errors.New(complaint(issues, from))
	}
	seen, faults := inspect(checked)
	if len(faults) > 0 {
		return nil, located(checked, faults[0])
	}
	if !gives(checked.OutputType(), want) {
		return nil, fmt.Errorf("it gives %s, and %s is needed", cel.FormatCELType(checked.OutputType()), shapeWords[want])
	}
	planned, err := program(all[from], checked)
	if err != nil {
		return nil, errors.New("it can't be run")
	}
	return &expression{path: path, program: planned, looks: seen, constant: constantOf(checked)}, nil
}

// constantOf is the text that an expression is, where it is written out.
func constantOf(checked *cel.Ast) string {
	root := checked.NativeRep().Expr()
	value := ref.Val(nil)
	switch root.Kind() {
	case ast.LiteralKind:
		value = root.AsLiteral()
	case ast.IdentKind:
		if known := checked.NativeRep().ReferenceMap()[root.ID()]; known != nil {
			value = known.Value
		}
	default:
	}
	text, _ := value.(types.String)
	return string(text)
}

// gives says whether a type may be what is wanted. Of what comes out of a body nobody knows it before.
func gives(from *types.Type, want shape) bool {
	if from.Kind() == types.DynKind {
		return true
	}
	if from.Kind() == types.OpaqueKind && len(from.Parameters()) == 1 { // an optional
		return gives(from.Parameters()[0], want)
	}
	if want == aBool {
		return from.Kind() == types.BoolKind
	}
	switch from.Kind() {
	case types.StringKind, types.IntKind, types.UintKind, types.NullTypeKind:
		return want == aText || want == texts
	case types.ListKind:
		element := from.Parameters()[0]
		return want == aList || (want == texts || want == someRows) && gives(element, aText) ||
			want == someRows && element.Kind() == types.MapKind
	default:
		return false
	}
}

// quoted finds what CEL repeats of an expression. Only names, operators and types are passed on: the rest may be any text.
var (
	quoted  = regexp.MustCompile(`'[^']*'`)
	passed  = regexp.MustCompile(`^'([A-Za-z_][A-Za-z0-9_.]{0,40}|[^A-Za-z0-9]{1,5}|\([a-z_(), ]*\)(\.\([a-z_(), ]*\))?)'$`)
	mistake = regexp.MustCompile(`^Syntax error: (.*)$`)
)

// complaint words what CEL has to say: the place in the expression and the cause, at most three of them.
func complaint(issues *cel.Issues, from view) string {
	var said []string
	for _, issue := range issues.Errors() {
		said = append(said, place(issue.Location.Line(), issue.Location.Column())+cause(issue.Message)+hint(issue.Message, from))
		if len(said) == 3 {
			break
		}
	}
	if len(said) == 0 {
		return "it can't be read"
	}
	return strings.Join(said, "; ")
}

func cause(message string) string {
	if found := mistake.FindStringSubmatch(message); found != nil {
		return syntaxCause(found[1])
	}
	message, _, _ = strings.Cut(message, " (in container")
	message = quoted.ReplaceAllStringFunc(message, func(part string) string {
		if passed.MatchString(part) {
			return part
		}
		return "…"
	})
	return provider.Short(message, 200)
}

// syntaxCause words a mistake in the syntax. CEL's own words repeat what stands there.
func syntaxCause(message string) string {
	switch {
	case strings.HasPrefix(message, "mismatched input '<EOF>'"):
		return "the expression ends too early"
	case strings.HasPrefix(message, "token recognition error"):
		return "a character has no place here, or a text is not closed"
	default:
		return "what stands here has no place here"
	}
}

// place is a place in an expression. Columns count from 1 as those of the file do.
func place(line, column int) string {
	if line > 1 {
		return fmt.Sprintf("line %d, column %d: ", line, column+1)
	}
	return fmt.Sprintf("column %d: ", column+1)
}

var undeclared = regexp.MustCompile(`undeclared reference to '([a-z_]+)'`)

// hint says why a name that is good elsewhere is none here.
func hint(message string, from view) string {
	found := undeclared.FindStringSubmatch(message)
	if found == nil || from == answers {
		return ""
	}
	switch found[1] {
	case headerName:
		return ": nobody signs headers, so no fact comes from them"
	case webhookIDName:
		return ": it is for id and identity"
	default:
		return ""
	}
}

func located(checked *cel.Ast, found fault) error {
	at := checked.NativeRep().SourceInfo().GetStartLocation(found.node)
	if at == nil || at.Line() < 1 {
		return errors.New(found.message)
	}
	return errors.New(place(at.Line(), at.Column()) + found.message)
}

// scope is what expressions look at while an event is read.
type scope struct {
	vars map[string]any
	// left are the steps that remain for the body.
	left *uint64
}

var errTooMuch = errors.New("the expressions take too many steps for this body")

// value evaluates. An expression that was left out, an empty optional and null give types.NullValue: nothing.
func (e *expression) value(s *scope) (ref.Val, error) {
	if e == nil {
		return types.NullValue, nil
	}
	if *s.left == 0 {
		return nil, errTooMuch
	}
	value, details, err := e.program.Eval(s.vars)
	s.spend(details)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.path, e.explain(err))
	}
	if optional, ok := value.(*types.Optional); ok {
		if !optional.HasValue() {
			return types.NullValue, nil
		}
		value = optional.GetValue()
	}
	return value, nil
}

func (s *scope) spend(details *cel.EvalDetails) {
	if details == nil || details.ActualCost() == nil {
		return
	}
	*s.left -= min(*s.left, *details.ActualCost())
}

// causes are what CEL says and what we say for it, the first that fits.
var causes = []struct{ cel, ours string }{
	{"no such overload", "a value has another type than the expression takes"},
	{"type conversion error", "a value can't be converted"},
	{"index out of bounds", "a list is shorter than the expression takes it to be"},
	{"optional.none() dereference", "a value is missing"},
	{"integer overflow", "a number is too large"},
	{"can't be compared", "objects and lists can't be compared"},
	{"a text is not JSON", "a text is not JSON"},
}

// explain words an error of an evaluation without anything from the body: CEL's own words may quote it.
func (e *expression) explain(err error) error {
	if cancelled, ok := errors.AsType[interpreter.EvalCancelledError](err); ok && cancelled.Cause == interpreter.CostLimitExceeded {
		return fmt.Errorf("it takes more than %d steps for this body", maxSteps)
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "no such key: "); ok {
		if e.looks.members[name] {
			return fmt.Errorf("%s is missing", name)
		}
		return errors.New("a member is missing")
	}
	for _, known := range causes {
		if strings.Contains(text, known.cel) {
			return errors.New(known.ours)
		}
	}
	return errors.New("it can't be evaluated for this body")
}
