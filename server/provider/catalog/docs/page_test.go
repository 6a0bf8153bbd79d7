package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

func TestThePageIsTheOneThatTheFoldersMake(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "..")
	want, err := page(catalog.Kinds(), os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "providers.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/providers.md is another than the folders make: make generate")
	}
	for line := range strings.Lines(want) {
		if _, rest, isRow := strings.Cut(line, "]("); isRow && strings.HasPrefix(line, "| [") {
			link, _, _ := strings.Cut(rest, ")")
			if _, err := os.Stat(filepath.Join(root, "docs", filepath.FromSlash(link))); err != nil {
				t.Errorf("a row links to nothing: %v", err)
			}
		}
	}
}

// plain is a provider with a fixed token and events of the given making.
type plain struct {
	keys    provider.Keys
	derived bool
}

var token = provider.Proof{Scheme: provider.Bearer}

func (plain) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }
func (p plain) Verify(r *provider.Request) error                  { return token.Verify(p.keys, r) }
func (plain) Answer(res provider.Result) provider.Answer          { return provider.DefaultAnswer(res) }

func (p plain) Translate(*provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	return []*waybillv1.IngestEventRequest{{
		EventId: "e", EventIdDerived: p.derived, Changes: []*waybillv1.Change{provider.IgnoredChange("a test")},
	}}, nil
}

func plainKind() provider.Kind {
	return provider.Kind{
		Name: "two-words", Proof: "a token | a promise",
		New: func(cfg *configv1.Provider) (provider.Provider, error) {
			return plain{keys: provider.NewKeys(cfg), derived: true}, nil
		},
		Sign:    func(r *provider.Request, secret string, _ time.Time) { token.Sign(r, secret) },
		Samples: []provider.Sample{{Name: "one", Text: "Content-Type: application/json\n\n{}"}},
	}
}

func TestARowSaysWhatTheCodeDoes(t *testing.T) {
	t.Parallel()
	folders := fstest.MapFS{"twowords/README.md": {Data: []byte("# Two words\n\nA sender,\nwith words. More of it.\n")}}
	text, err := page([]provider.Kind{plainKind()}, folders)
	want := "| [Two words](../server/provider/twowords/README.md) | `two-words` | A sender, with words | a token \\| a promise | **no** | what the body says | 200, 429 |\n"
	if err != nil || !strings.Contains(text, want) || !strings.Contains(text, "\n- `two-words`: `one`\n") {
		t.Errorf("page %s, %v, want in it %s", text, err, want)
	}
}

func TestAKindThatCannotBeDescribedIsAFault(t *testing.T) {
	t.Parallel()
	sound := fstest.MapFS{"twowords/README.md": {Data: []byte("# T\n\nA sender.\n")}}
	for name, test := range map[string]struct {
		folders fstest.MapFS
		change  func(*provider.Kind)
	}{
		"no page":             {fstest.MapFS{}, func(*provider.Kind) {}},
		"a page of no title":  {fstest.MapFS{"twowords/README.md": {Data: []byte("A sender.\n")}}, func(*provider.Kind) {}},
		"a page of no text":   {fstest.MapFS{"twowords/README.md": {Data: []byte("# T\n\n## Set it up\n")}}, func(*provider.Kind) {}},
		"no samples":          {sound, func(k *provider.Kind) { k.Samples = nil }},
		"an unsigned sample":  {sound, func(k *provider.Kind) { k.Sign = func(*provider.Request, string, time.Time) {} }},
		"a sample of no form": {sound, func(k *provider.Kind) { k.Samples[0].Text = "{{.Nothing}}" }},
	} {
		kind := plainKind()
		test.change(&kind)
		if _, err := page([]provider.Kind{kind}, test.folders); err == nil {
			t.Errorf("%s: a page was made of it", name)
		}
	}
}
