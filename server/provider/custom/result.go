package custom

import (
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/waybillhq/waybill/server/provider"
)

// missing is the error of something that an event can't do without.
func (e *expression) missing() error { return fmt.Errorf("%s gives nothing", e.path) }

func (e *expression) wrong(want string) error { return fmt.Errorf("%s gives no %s", e.path, want) }

// text gives free text. U+0000, which databases refuse, becomes U+FFFD.
func (e *expression) text(s *scope) (string, error) {
	value, err := e.value(s)
	if err != nil || value == types.NullValue {
		return "", err
	}
	text, ok := scalarText(value)
	if !ok {
		return "", e.wrong("text")
	}
	return strings.ReplaceAll(text, "\x00", "\uFFFD"), nil
}

// name gives a name of something, without white space around it. Text that two names could share is refused.
func (e *expression) name(s *scope) (provider.ID, error) {
	value, err := e.value(s)
	if err != nil || value == types.NullValue {
		return "", err
	}
	return e.asName(value)
}

func (e *expression) asName(value ref.Val) (provider.ID, error) {
	text, err := e.sound(value)
	return provider.ID(strings.TrimSpace(text)), err
}

// verbatim gives a part of an identity, as the provider writes it.
func (e *expression) verbatim(s *scope) (string, error) {
	value, err := e.value(s)
	if err != nil || value == types.NullValue {
		return "", err
	}
	return e.sound(value)
}

func (e *expression) sound(value ref.Val) (string, error) {
	text, ok := scalarText(value)
	if !ok {
		return "", e.wrong("text")
	}
	if strings.ContainsAny(text, "\x00\uFFFD") {
		return "", fmt.Errorf("%s gives text that is not proper Unicode", e.path)
	}
	return text, nil
}

// names gives one name or a list of them. The empty ones are left out.
func (e *expression) names(s *scope) ([]provider.ID, error) {
	value, err := e.value(s)
	if err != nil || value == types.NullValue {
		return nil, err
	}
	values := []ref.Val{value}
	if several, ok := value.(traits.Lister); ok {
		values = valuesOf(several)
	}
	var names []provider.ID
	for _, one := range values {
		if one == types.NullValue {
			continue
		}
		name, err := e.asName(one)
		if err != nil {
			return nil, err
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// holds gives true or false; false where there is nothing.
func (e *expression) holds(s *scope) (bool, error) {
	value, err := e.value(s)
	if err != nil || value == types.NullValue {
		return false, err
	}
	held, ok := value.(types.Bool)
	if !ok {
		return false, e.wrong("true or false")
	}
	return bool(held), nil
}

// row is an element of a list of lines or units: a map, or a bare name.
type row struct {
	from    *expression
	members traits.Mapper
	bare    provider.ID
}

func (e *expression) rows(s *scope) ([]row, error) {
	value, err := e.value(s)
	if err != nil || value == types.NullValue {
		return nil, err
	}
	several, ok := value.(traits.Lister)
	if !ok {
		return nil, e.wrong("list")
	}
	var rows []row
	for _, one := range valuesOf(several) {
		made := row{from: e}
		if made.members, ok = one.(traits.Mapper); !ok {
			if made.bare, err = e.asName(one); err != nil {
				return nil, err
			}
		}
		rows = append(rows, made)
	}
	return rows, nil
}

// member gives a member's text. Empty: there is none.
func (r row) member(name string) (provider.ID, error) {
	if r.members == nil {
		return "", fmt.Errorf("%s gives a list without %s", r.from.path, name)
	}
	value, known := r.members.Find(types.String(name))
	if optional, ok := value.(*types.Optional); ok {
		known = optional.HasValue()
		if known {
			value = optional.GetValue()
		}
	}
	if !known || value == types.NullValue {
		return "", nil
	}
	return r.from.asName(value)
}

// quantity gives a whole number of units, which can't be missing.
func (r row) quantity() (int64, error) {
	text, err := r.member("quantity")
	if err != nil {
		return 0, err
	}
	quantity, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || quantity < 0 || quantity > maxQuantity {
		return 0, fmt.Errorf("%s: quantity is no whole number up to %d", r.from.path, maxQuantity)
	}
	return quantity, nil
}

// maxQuantity is how many units of a line there may be.
const maxQuantity = 1_000_000

// member is the name of what the expression looks at, for people who want to know where a word came from.
func (e *expression) member(otherwise string) string {
	if e == nil || strings.TrimSpace(e.looks.last) == "" {
		return otherwise
	}
	return provider.Short(e.looks.last, 255)
}
