package providertest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/provider"
)

// unsoundForms are the bodies of unsoundBodiesAreDefined, for a kind that sends forms.
func unsoundForms(t *testing.T, kind provider.Kind, opts Options) {
	opened := Open(t, kind, opts)
	whole := sample(t, kind, opts)
	body := string(whole.Body)
	first, _, _ := strings.Cut(body, "&")

	for name, changed := range map[string]string{
		"the same field twice":       body + "&" + first,
		"nothing":                    "",
		"a zero byte":                "\x00",
		"an unfinished escape":       body + "&x=%4",
		"an escape of no digits":     body + "&x=%zz",
		"a semicolon between fields": strings.ReplaceAll(body, "&", ";"),
		"JSON":                       `{"a":1}`,
		"text that is not Unicode":   strings.Replace(body, "=", "=%FF", 1),
		"a zero byte in a field":     strings.Replace(body, "=", "=%00", 1),
	} {
		r := copyOf(whole)
		r.Body = []byte(changed)
		mustNotRead(t, opened, r, opts, name)
	}
}

// wider is the body with a field, or a member, that nobody has heard of.
func wider(body []byte, opts Options) []byte {
	if opts.Form {
		return append([]byte("zz_new=%F0%9F%98%80&zz_new2=&"), body...)
	}
	return bytes.Replace(body, []byte("{"), []byte(`{"zz_new":{"a":[1,null,"\ud83d"],"ID":{}},"iD":7,`), 1)
}

// filled is the body, made long by what nobody needs.
func filled(body []byte, limit int64, opts Options) []byte {
	if opts.Form {
		const name = "zz_new="
		padding := bytes.Repeat([]byte("a"), int(limit)-len(body)-len(name)-1)
		return bytes.Join([][]byte{[]byte(name), padding, []byte("&"), body}, nil)
	}
	return append(bytes.Repeat([]byte(" "), int(limit)-len(body)), body...)
}
