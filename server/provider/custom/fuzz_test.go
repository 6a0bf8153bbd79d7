package custom_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

func FuzzVerify(f *testing.F) { providertest.FuzzVerify(f, described(f, custom.Example()), options()) }

func FuzzTranslate(f *testing.F) {
	providertest.FuzzTranslate(f, described(f, custom.Example()), options())
}

// FuzzExpressions compiles whatever stands in the settings: it is a fault that names its field, or it reads every body,
// the same one always the same.
func FuzzExpressions(f *testing.F) {
	for _, text := range []string{
		"item.a", "item.?a.?b.orValue('x')", "has(item.a) ? [item] : body.list", "body.list.map(x, {'a': x, 'b': [x]})",
		"item.a.split('-')[0].replace('a', 'bb')", "parse_json(item.a).b[0]", "to_json({'b': item, 'a': 1})", "int(item.n) * 7",
		"item.m.map(k, k + k).join(',')", "item.a.matches('^(a|b)+$')", "[[1], [2]].flatten().map(x, string(x))", "delivered",
		"item.list.exists(x, x == 'a') && !(item.a in ['b'])", "{'a': {'b': item}}.a.b.a", "item[item.a]", "item.a == 7", "\"", "((((",
	} {
		f.Add(text, `{"a":"a-b","n":"12","m":{"y":1,"x":2},"list":["a",{"b":null}]}`)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		if len(text) > 2000 { // the schema refuses it
			return
		}
		cfg := &configv1.Provider{
			Secrets: []*configv1.Secret{{Value: "key"}},
			Proof:   &configv1.Proof{Header: "X-Sig"},
			Custom: &configv1.Custom{
				Items: text, Identity: []string{"item.a", text}, Type: text,
				References: &configv1.CustomReferences{OrderNumber: text},
				Changes:    []*configv1.CustomChange{{Kind: "fact", Name: "told", When: text, Description: text}},
			},
		}
		problems := custom.Kind().Check(cfg)
		for _, problem := range problems {
			if !strings.HasPrefix(problem.Field, "custom") || problem.Message == "" || len(problem.Message) > 800 {
				t.Fatalf("problem %q", problem)
			}
		}
		mustReadAlike(t, text, body)
	})
}

// mustReadAlike reads a body twice by an expression, in each place that takes it.
func mustReadAlike(t *testing.T, text, body string) {
	t.Helper()
	for _, set := range []*configv1.Custom{
		{Identity: []string{text, "item"}, Changes: []*configv1.CustomChange{{Kind: "fact", Name: "told", Description: text}}},
		{Items: text, Identity: []string{"to_json(item)"}, Changes: []*configv1.CustomChange{{Kind: "fact", Name: "told"}}},
		{Id: "to_json(item)", Changes: []*configv1.CustomChange{{Kind: "fact", Name: "told", When: text}}},
	} {
		opened, err := custom.Kind().New(&configv1.Provider{Proof: &configv1.Proof{Header: "X-Sig"}, Custom: set})
		if err != nil {
			continue
		}
		r := &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()}
		first, err1 := providertest.Translate(t, opened, r)
		second, err2 := providertest.Translate(t, opened, r)
		same := slices.EqualFunc(first, second, func(a, b *waybillv1.IngestEventRequest) bool { return proto.Equal(a, b) })
		if err1 != nil || err2 != nil || !same {
			t.Fatalf("%v, %v: the same body reads otherwise the second time", err1, err2)
		}
	}
}
