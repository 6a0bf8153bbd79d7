package custom

import (
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"
)

// Bounds on an expression. A step is what CEL counts as one: a look-up, a comparison, ten characters of a new text.
const (
	// maxSteps is how many an evaluation may take, and maxBodySteps all those that a body needs.
	maxSteps     = 50_000
	maxBodySteps = 1_000_000
	// maxRegex bounds the program that a pattern becomes, maxNesting the loops inside loops.
	maxRegex   = 1000
	maxNesting = 3
)

// The names that expressions know.
const (
	bodyName   = "body"
	itemName   = "item"
	headerName = "header"
	// webhookIDName is the id that the headers carry and the proof covers.
	webhookIDName = "webhook_id"
	eventsName    = "events"
	firstName     = "first_delivery"
)

// view is what an expression may look at. It keeps facts to what is signed.
type view int

const (
	facts    view = iota // what is signed: body and item
	identity             // what is signed, and the signed id of the headers
	picks                // the headers too, which nobody signs
	answers              // what was recorded
)

// languages are what each view compiles with. They are made once: making one takes milliseconds.
var languages = sync.OnceValues(func() (map[view]*cel.Env, error) {
	options := []cel.EnvOption{
		cel.OptionalTypes(),
		ext.Strings(),
		ext.Lists(),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateComprehensionNestingLimit(maxNesting)),
		cel.RegexProgramSizeLimit(maxRegex),
		cel.ExpressionNodeLimit(2000),
		cel.ParserRecursionLimit(64),
		function("parse_json", cel.StringType, cel.DynType, parseJSON),
		function("to_json", cel.DynType, cel.StringType, toJSON),
	}
	for _, word := range ourWords {
		options = append(options, cel.Constant(word, cel.StringType, types.String(word)))
	}
	base, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}

	body := []cel.EnvOption{cel.Variable(bodyName, cel.DynType), cel.Variable(itemName, cel.DynType)}
	id := cel.Variable(webhookIDName, cel.StringType)
	made := make(map[view]*cel.Env)
	for of, options := range map[view][]cel.EnvOption{
		facts:    body,
		identity: append([]cel.EnvOption{id}, body...),
		picks:    append([]cel.EnvOption{id, cel.Variable(headerName, cel.MapType(cel.StringType, cel.StringType))}, body...),
		answers: {
			cel.Variable(eventsName, cel.ListType(cel.MapType(cel.StringType, cel.DynType))),
			cel.Variable(firstName, cel.BoolType),
		},
	} {
		if made[of], err = base.Extend(options...); err != nil {
			return nil, err
		}
	}
	// CEL keeps one error for all operators that meet a wrong type, and writes into it where it was met first. Written
	// here, once, it is only read when bodies are translated side by side.
	types.LabelErrNode(1, types.NoSuchOverloadErr())
	return made, nil
})

func function(name string, from, to *cel.Type, does func(ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload(name, []*cel.Type{from}, to, cel.UnaryBinding(does)))
}

func parseJSON(text ref.Val) ref.Val {
	from, ok := text.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(text)
	}
	value, err := readNested(string(from))
	if err != nil {
		return types.NewErr("a text is not JSON")
	}
	return value
}

func toJSON(value ref.Val) ref.Val {
	text, err := appendJSON(nil, value, 0)
	if err != nil {
		return types.NewErr("a value can't be written as JSON")
	}
	return types.String(text)
}

// charges are the steps of our own functions: their work grows with the text.
type charges struct{}

// CallCost implements cost.ActualCostEstimator. nil leaves the call to CEL.
func (charges) CallCost(name, _ string, args []ref.Val, result ref.Val) *uint64 {
	of := result
	switch name {
	case "parse_json":
		of = args[0]
	case "to_json":
	default:
		return nil
	}
	text, _ := of.(types.String)
	steps := 1 + uint64(len(text))/2
	return &steps
}

var _ cost.ActualCostEstimator = charges{}

// program plans a checked expression, with all its bounds.
func program(language *cel.Env, checked *cel.Ast) (cel.Program, error) {
	return language.Program(checked,
		cel.CostTracking(charges{}),
		cel.CostLimit(maxSteps),
		cel.OptimizeRegex(interpreter.MatchesRegexOptimization),
		cel.CustomDecoratorV2(inOrder),
	)
}

// inOrder gives the maps that an expression makes an order.
func inOrder(made interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	if constructor, ok := made.(interpreter.InterpretableConstructor); ok && constructor.Type() == types.MapType {
		return orderedMap{constructor}, nil
	}
	return made, nil
}

type orderedMap struct{ interpreter.InterpretableV2 }

// Exec implements interpreter.InterpretableV2.
func (m orderedMap) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	value := m.InterpretableV2.Exec(frame)
	if made, ok := value.(traits.Mapper); ok {
		return ordered(made)
	}
	return value
}

// Eval implements interpreter.Interpretable.
func (m orderedMap) Eval(vars interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(vars, m.Exec)
}
