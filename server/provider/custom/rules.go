package custom

import (
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// allowed are the functions of expressions. What is not here is either not exact (double), tells the time or a zone, or
// does more work than a body should cause.
var allowed = []string{
	operators.Conditional, operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Equals,
	operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.Add,
	operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate, operators.Index,
	operators.OptIndex, operators.OptSelect, operators.In, operators.NotStrictlyFalse,
	"size", "int", "string", "startsWith", "endsWith", "contains", "matches",
	"optional.of", "optional.ofNonZeroValue", "optional.none", "hasValue", "value", "or", "orValue", "first", "last",
	"split", "join", "replace", "substring", "trim", "lowerAscii", "upperAscii", "indexOf", "lastIndexOf", "charAt",
	"slice", "flatten", "parse_json", "to_json",
}

// fixed are functions whose arguments, but for what they are asked of, must be written out: from a body, a separator or
// a pattern could make any amount of work of a short text.
var fixed = []string{"matches", "replace", "split", "join"}

var comparisons = []string{
	operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
}

// fault is something wrong with an expression, and which part of it.
type fault struct {
	node    int64
	message string
}

// inspect looks for what CEL allows and we don't, and collects what the expression looks at.
func inspect(checked *cel.Ast) (looks, []fault) {
	seen := looks{names: make(map[string]bool), members: make(map[string]bool)}
	var faults []fault
	for _, node := range ast.MatchDescendants(ast.NavigateAST(checked.NativeRep()), ast.AllMatcher()) {
		if message := objection(node); message != "" {
			faults = append(faults, fault{node.ID(), message})
		}
		seen.add(node)
	}
	seen.last = lastMember(checked.NativeRep().Expr())
	return seen, faults
}

func objection(node ast.NavigableExpr) string {
	switch node.Kind() {
	case ast.LiteralKind:
		if _, inexact := node.AsLiteral().(types.Double); inexact {
			return "a number with a point loses digits: write it as text, '1.5'"
		}
	case ast.StructKind:
		return "messages can't be made here"
	case ast.CallKind:
		return callObjection(node)
	default:
	}
	return ""
}

func callObjection(node ast.NavigableExpr) string {
	call := node.AsCall()
	name := call.FunctionName()
	if !slices.Contains(allowed, name) {
		return "there is no function " + name + " here"
	}
	args := node.Children()
	if slices.Contains(comparisons, name) && (number(args[0]) && dynamic(args[1]) || dynamic(args[0]) && number(args[1])) {
		return "numbers of a body are text here: compare with text, '7', or count with int(…)"
	}
	if name == operators.In && dynamic(args[0]) && numbers(args[1].Type()) {
		return "numbers of a body are text here: look for text, ['7'], or count with int(…)"
	}
	if !slices.Contains(fixed, name) {
		return ""
	}
	for _, arg := range call.Args() {
		if arg.Kind() != ast.LiteralKind {
			return name + " takes only what is written out here, like 'this'"
		}
	}
	return ""
}

func dynamic(node ast.NavigableExpr) bool { return node.Type().Kind() == types.DynKind }

func number(node ast.NavigableExpr) bool { return numeric(node.Type()) }

func numeric(of *types.Type) bool {
	return slices.Contains([]types.Kind{types.IntKind, types.UintKind, types.DoubleKind}, of.Kind())
}

func numbers(of *types.Type) bool {
	return of.Kind() == types.ListKind && len(of.Parameters()) == 1 && numeric(of.Parameters()[0])
}

// looks are what an expression looks at.
type looks struct {
	// names are variables, members what stands after a point or is written out as text.
	names   map[string]bool
	members map[string]bool
	// last is the member that it ends with, for people who want to know where a word came from.
	last string
}

func (l *looks) add(node ast.NavigableExpr) {
	switch node.Kind() {
	case ast.IdentKind:
		l.names[node.AsIdent()] = true
	case ast.SelectKind:
		l.members[node.AsSelect().FieldName()] = true
	case ast.LiteralKind:
		if text, ok := node.AsLiteral().(types.String); ok {
			l.members[string(text)] = true
		}
	default:
	}
}

// lastMember is the member that an expression ends with: status, of item.parcel.status and of item.?status.orValue(”).
func lastMember(of ast.Expr) string {
	switch of.Kind() {
	case ast.SelectKind:
		return of.AsSelect().FieldName()
	case ast.CallKind:
		call := of.AsCall()
		if name := call.FunctionName(); name == operators.OptSelect || name == operators.Index || name == operators.OptIndex {
			text, _ := call.Args()[1].AsLiteral().(types.String)
			return string(text)
		}
		if call.IsMemberFunction() {
			return lastMember(call.Target())
		}
		if len(call.Args()) > 0 {
			return lastMember(call.Args()[0])
		}
		return ""
	default:
		return ""
	}
}
