package custom_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

// noting is a description whose one fact tells what an expression gives.
func noting(expression string) string {
	return proven + "custom:\n  id: \"'fixed-' + item.id\"\n  changes:\n    - kind: fact\n      name: told\n      description: " +
		fmt.Sprintf("%q", expression) + "\n"
}

// told is what an expression gives for a body; the problem where the event is undecoded.
func told(t *testing.T, expression, body string) string {
	t.Helper()
	event := translateAll(t, made(t, noting(expression)), body)[0]
	if undecoded := event.GetChanges()[0].GetUndecoded(); undecoded != nil {
		return "undecoded: " + undecoded.GetProblem()
	}
	return event.GetChanges()[0].GetFact().GetDetail()
}

func TestExpressionsSeeABodyAsItIsWritten(t *testing.T) {
	t.Parallel()
	const path = "custom.changes[0].description"
	for name, c := range map[string]struct{ expression, body, want string }{
		"an id beyond 2^53":             {"item.n", `{"id":1,"n":9007199254740993}`, "9007199254740993"},
		"an id beyond 2^64":             {"item.n", `{"id":1,"n":123456789012345678901234567890}`, "123456789012345678901234567890"},
		"a decimal, to its last digit":  {"item.n", `{"id":1,"n":0.10000000000000000000}`, "0.10000000000000000000"},
		"an exponent, as it is written": {"item.n", `{"id":1,"n":1E3}`, "1E3"},
		"minus zero":                    {"item.n", `{"id":1,"n":-0}`, "-0"},
		"counting is whole and exact":   {"int(item.n) + 1", `{"id":1,"n":9007199254740993}`, "9007199254740994"},
		"counting too far":              {"int(item.n) + 1", `{"id":1,"n":9223372036854775807}`, "undecoded: " + path + ": a number is too large"},
		"counting what is no number":    {"int(item.n) + 1", `{"id":1,"n":"private"}`, "undecoded: " + path + ": a value can't be converted"},
		"a decimal is no whole number":  {"int(item.n) + 1", `{"id":1,"n":1.5}`, "undecoded: " + path + ": a value can't be converted"},
		"true":                          {"item.b ? 'yes' : 'no'", `{"id":1,"b":true}`, "yes"},
		"text is no truth":              {"item.b ? 'yes' : 'no'", `{"id":1,"b":"true"}`, "undecoded: " + path + ": a value has another type than the expression takes"},
		"a member that is missing":      {"item.gone", `{"id":1}`, "undecoded: " + path + ": gone is missing"},
		"null is as good as absent":     {"item.gone", `{"id":1,"gone":null}`, "undecoded: " + path + ": gone is missing"},
		"has of null":                   {"has(item.gone) ? 'there' : 'gone'", `{"id":1,"gone":null}`, "gone"},
		"one that may be missing":       {"item.?gone", `{"id":1}`, ""},
		"deep down":                     {"item.?a.?b.?c.orValue('none')", `{"id":1,"a":{"b":{}}}`, "none"},
		"the first that is there":       {"item.?a.or(item.?b).orValue('none')", `{"id":1,"a":null,"b":"b"}`, "b"},
		"a list's place":                {"item.l[1]", `{"id":1,"l":["a","b"]}`, "b"},
		"beyond a list":                 {"item.l[2]", `{"id":1,"l":["a","b"]}`, "undecoded: " + path + ": a list is shorter than the expression takes it to be"},
		"the last of a list":            {"item.l.last().orValue('none')", `{"id":1,"l":["a","b"]}`, "b"},
		"a list put together":           {"item.l.map(x, x.n).join('+')", `{"id":1,"l":[{"n":1},{"n":2}]}`, "1+2"},
		"a list sifted":                 {"item.l.filter(x, x.k == 'b').map(x, x.n).join(',')", `{"id":1,"l":[{"k":"a","n":1},{"k":"b","n":2}]}`, "2"},
		"members, in their order":       {"item.m.map(k, k).join(',')", `{"id":1,"m":{"z":1,"a":2,"m":3,"b":4,"y":5}}`, "z,a,m,b,y"},
		"a map made here, in its order": {"{'z': '1', 'a': '2', 'm': '3', 'b': '4', 'y': '5'}.map(k, k).join(',')", `{"id":1}`, "a,b,m,y,z"},
		"JSON in a text":                {"parse_json(item.s).a[0]", `{"id":1,"s":"{\"a\":[9007199254740993]}"}`, "9007199254740993"},
		"no JSON in a text":             {"parse_json(item.s).a", `{"id":1,"s":"{private"}`, "undecoded: " + path + ": a text is not JSON"},
		"a member twice in a text":      {"parse_json(item.s).a", `{"id":1,"s":"{\"a\":1,\"a\":2}"}`, "undecoded: " + path + ": a text is not JSON"},
		"a value as JSON":               {"to_json({'b': item.n, 'a': [item.t, true, 1]})", `{"id":1,"n":1.50,"t":"\"<"}`, `{"a":["\"<",true,1],"b":"1.50"}`},
		"a part of a text":              {"item.s.split('/')[1].substring(2).upperAscii()", `{"id":1,"s":"a/b-c"}`, "C"},
		"a pattern":                     {"item.s.matches('^ORD-[0-9]+$') ? 'order' : 'else'", `{"id":1,"s":"ORD-1"}`, "order"},
		"a word of ours":                {"delivered", `{"id":1}`, "delivered"},
		"a zero byte in shown text":     {"item.s", `{"id":1,"s":"a\u0000b"}`, "a\uFFFDb"},
		"two objects":                   {"item.a == item.b ? 'y' : 'n'", `{"id":1,"a":{},"b":{}}`, "undecoded: " + path + ": objects and lists can't be compared"},
		"two lists":                     {"item.a == item.b ? 'y' : 'n'", `{"id":1,"a":[],"b":[]}`, "undecoded: " + path + ": objects and lists can't be compared"},
		"an object and a text":          {"item.a == 'x' ? 'y' : 'n'", `{"id":1,"a":{}}`, "n"},
		"a text in a list":              {"'x' in item.a ? 'y' : 'n'", `{"id":1,"a":[{},[],1,"x"]}`, "y"},
		"an object for a text":          {"item.a", `{"id":1,"a":{"private":1}}`, "undecoded: " + path + " gives no text"},
		"a key out of the body":         {"item.m[item.k]", `{"id":1,"m":{},"k":"private"}`, "undecoded: " + path + ": a member is missing"},
		"a value that is missing":       {"item.?gone.value()", `{"id":1}`, "undecoded: " + path + ": a value is missing"},
		"a scalar's member":             {"item.s.deeper", `{"id":1,"s":"private"}`, "undecoded: " + path + ": deeper is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := told(t, c.expression, c.body); got != c.want {
				t.Errorf("%s of %s gives %q, want %q", c.expression, c.body, got, c.want)
			}
		})
	}
}

func TestAnEvaluationIsBounded(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("a", 100_000) + `"`
	numbers := strings.TrimSuffix(strings.Repeat("1,", 200_000), ",")
	for name, c := range map[string]struct{ expression, body, want string }{
		"a loop over a long list":        {"item.l.map(x, x + x).join('')", `{"id":1,"l":[` + numbers + `]}`, "steps for this body"},
		"loops in loops":                 {"item.l.map(x, item.l.map(y, x + y).join('')).join('')", `{"id":1,"l":[` + numbers[:2001] + `]}`, "steps for this body"},
		"a text that grows":              {"item.l.map(x, item.s + item.s + x).join('')", `{"id":1,"s":` + long + `,"l":[1,2,3,4,5,6,7,8,9]}`, "steps for this body"},
		"a long text read again":         {"item.l.map(x, parse_json(item.s)).map(x, 'x').join('')", `{"id":1,"s":"[` + strings.Repeat("1,", 40_000) + `1]","l":[1,2,3,4]}`, "steps for this body"},
		"a deep body":                    {"'x'", `{"id":1,"a":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, "nested more than 64 deep"},
		"a deep text in a body":          {"to_json(parse_json(item.s))", `{"id":1,"s":"` + strings.Repeat("[", 66) + strings.Repeat("]", 66) + `"}`, "not JSON"},
		"more values than are looked at": {"'x'", `{"id":1,"l":[` + numbers + "," + numbers + `]}`, "more than 250000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := told(t, c.expression, c.body); !strings.HasPrefix(got, "undecoded: ") || !strings.Contains(got, c.want) {
				t.Errorf("gives %q, want undecoded: …%s", provider.Short(got, 200), c.want)
			}
		})
	}
}

// All items of a body share its steps: what they leave of them is the others'.
func TestTheStepsOfABodyAreSharedByItsItems(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`custom:
  items: body.list
  id: item.id
  changes:
    - kind: fact
      name: told
      description: body.words.map(w, w + item.id).join('')
`)
	body := `{"words":[` + strings.TrimSuffix(strings.Repeat(`"w",`, 2000), ",") + `],"list":[`
	for i := range provider.MaxItems {
		body += fmt.Sprintf(`{"id":%d},`, i)
	}
	events := translateAll(t, opened, strings.TrimSuffix(body, ",")+"]}")
	read, parked := 0, 0
	for _, event := range events {
		problem := event.GetChanges()[0].GetUndecoded().GetProblem()
		switch {
		case problem == "":
			read++
		case strings.Contains(problem, "too many steps"):
			parked++
		default:
			t.Fatalf("problem %s", problem)
		}
	}
	if len(events) != provider.MaxItems || read == 0 || parked == 0 {
		t.Errorf("%d events, %d read and %d parked", len(events), read, parked)
	}
}

func TestBodiesAreReadSideBySide(t *testing.T) {
	t.Parallel()
	opened := made(t, noting("item.n + item.m"))
	bodies := []string{`{"id":1,"n":"a","m":"b"}`, `{"id":1,"n":"a","m":true}`, `{"id":1,"n":"a"}`, `{"id":1,"n":{},"m":[]}`}
	want := make([]*waybillv1.IngestEventRequest, len(bodies))
	for i, body := range bodies {
		want[i] = translateAll(t, opened, body)[0]
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i, body := range bodies {
				events, err := opened.Translate(&provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()})
				if err != nil || !proto.Equal(events[0], want[i]) {
					t.Errorf("%s reads otherwise: %v, %v", body, events, err)
				}
			}
		})
	}
	all.Wait()
}

func TestAnItemThatAnExpressionMakesIsKnownByWhatItIs(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`custom:
  items: "body.orders.map(o, o.parcels.map(p, {'order': o.number, 'parcel': p})).flatten()"
  identity: [item.parcel.id, item.parcel.status]
  references:
    order_number: item.order
    consignment_id: item.parcel.id
  changes: [{kind: status_changed, status: item.parcel.status}]
`)
	body := `{"orders":[{"number":"1","parcels":[{"id":"A","status":"shipped"},{"id":"B"}]},{"number":"2","parcels":[{"id":"C","status":"delivered"}]}]}`
	events := translateAll(t, opened, body)
	if got := says(events); !slices.Equal(got, []string{"status_changed shipped", "undecoded", "status_changed delivered"}) {
		t.Fatalf("says %q", got)
	}
	if got := events[2].GetReferences()[0].GetValue(); got != "2" {
		t.Errorf("order %s, want 2", got)
	}
	if want := provider.Undecoded([]byte(`{"order":"1","parcel":{"id":"B"}}`), "x").GetEventId(); events[1].GetEventId() != want {
		t.Errorf("identity %s, want %s", events[1].GetEventId(), want)
	}
	twice := strings.Replace(body, `{"id":"B"}`, `{"id":"B","id":"B"}`, 1)
	if got := says(translateAll(t, opened, twice)); !slices.Equal(got, []string{"undecoded"}) {
		t.Errorf("a member that comes twice in what items are made of says %q", got)
	}
}

func TestAListOfTextsMakesEventsToo(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`custom:
  items: body.parcels
  identity: [item, body.status]
  references: {tracking_number: item}
  changes: [{kind: status_changed, status: body.status}]
`)
	events := translateAll(t, opened, `{"status":"delivered","parcels":["A", 9007199254740993, ""]}`)
	if got := says(events); !slices.Equal(got, []string{"status_changed delivered", "status_changed delivered", "undecoded"}) {
		t.Fatalf("says %q", got)
	}
	if got := events[1].GetReferences()[0].GetValue(); got != "9007199254740993" {
		t.Errorf("parcel %s", got)
	}
	if want := provider.Undecoded([]byte(`""`), "x").GetEventId(); events[2].GetEventId() != want {
		t.Errorf("identity %s, want that of the item's own bytes", events[2].GetEventId())
	}
}

func TestAnEventWithoutAnIDIsKnownByItsParts(t *testing.T) {
	t.Parallel()
	const described = `custom:
  headers: [x-topic]
  id: item.?id
  identity: [item.a, item.b, "header[?'x-topic']"]
  time: item.t
  references: {tracking_number: item.a}
  changes: [{kind: status_changed, status: delivered}]
`
	opened := made(t, proven+described)
	at := func(opened provider.Provider, topic, body string) *waybillv1.IngestEventRequest {
		r := &provider.Request{Header: http.Header{"X-Topic": {topic}}, Body: []byte(body), ReceivedAt: providertest.Now()}
		events, err := providertest.Translate(t, opened, r)
		if err != nil {
			t.Fatal(err)
		}
		return events[0]
	}
	const body = `{"a":"x","b":"yz","t":"2026-01-15 12:30:05"}`
	first := at(opened, "t", body)
	for name, c := range map[string]struct {
		topic, body string
		same        bool
	}{
		"the same, spaced":       {"t", strings.ReplaceAll(body, ",", " , "), true},
		"another topic":          {"u", body, false},
		"a letter over a border": {"t", `{"a":"xy","b":"z","t":"2026-01-15 12:30:05"}`, false},
		"another time":           {"t", strings.Replace(body, "05", "06", 1), false},
		"an empty id":            {"t", strings.Replace(body, "{", `{"id":" ",`, 1), true},
	} {
		event := at(opened, c.topic, c.body)
		if (event.GetEventId() == first.GetEventId()) != c.same || !event.GetEventIdDerived() {
			t.Errorf("%s: %s, first %s, want the same %t", name, event.GetEventId(), first.GetEventId(), c.same)
		}
	}
	if zoned := at(made(t, proven+"time_zone: Asia/Dhaka\n"+described), "t", body); zoned.GetEventId() != first.GetEventId() {
		t.Error("another zone made another event")
	}
	if own := at(opened, "t", strings.Replace(body, "{", `{"id":9007199254740993,`, 1)); own.GetEventId() != "9007199254740993" || own.GetEventIdDerived() {
		t.Errorf("its own id: %s, derived %t", own.GetEventId(), own.GetEventIdDerived())
	}
}

func TestTheVersionMovesOnWithWhatBearsOnABody(t *testing.T) {
	t.Parallel()
	version := func(text string) string {
		return described(t, settings(t, text)).Version
	}
	base := version(proven + plainBody)
	for name, c := range map[string]struct {
		text string
		same bool
	}{
		"nothing":           {proven + plainBody, true},
		"another proof":     {"proof: {header: X-Other}\n" + plainBody, true},
		"an answer":         {proven + plainBody + "  answer: {status: 202}\n", true},
		"a handshake":       {proven + plainBody + "  handshake: {when: has(body.challenge)}\n", true},
		"an expression":     {proven + strings.Replace(plainBody, "item.id", "item.nr", 1), false},
		"a word":            {proven + plainBody + "  status_map: {here: delivered}\n", false},
		"the zone":          {proven + "time_zone: Asia/Dhaka\n" + plainBody, false},
		"the currency":      {proven + "currency: BDT\n" + plainBody, false},
		"smallest units":    {proven + "minor_units: true\n" + plainBody, false},
		"another meaning":   {proven + plainBody + "  status_map: {here: shipped}\n", false},
		"a header":          {proven + strings.Replace(plainBody, "  id:", "  headers: [x-a]\n  id:", 1), false},
		"another reference": {proven + strings.Replace(plainBody, "consignment_id", "tracking_number", 1), false},
	} {
		if got := version(c.text); (got == base) != c.same {
			t.Errorf("%s: version %s, before %s, want the same %t", name, got, base, c.same)
		}
	}
	if len(base) > 64 {
		t.Errorf("version %s is longer than an event keeps", base)
	}
}

func TestWithoutADescriptionEveryBodyIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	opened, err := custom.Kind().New(settings(t, proven+plainBody))
	if err != nil {
		t.Fatal(err)
	}
	if got := says(translateAll(t, opened, `{"id":1}`)); !slices.Equal(got, []string{"undecoded"}) {
		t.Errorf("says %q", got)
	}
	bare := open(t, nil)
	if got := says(translateAll(t, bare, `{"id":1}`)); !slices.Equal(got, []string{"undecoded"}) {
		t.Errorf("without a description it says %q", got)
	}
	if bare.Verify(&provider.Request{Header: http.Header{}}) == nil {
		t.Error("without a description and secrets a body is taken")
	}
}

func TestEveryFunctionOfTheReadmeIsThere(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"'a' != 'b' && !(size(item.l) < 2) || false ? 'y' : 'n'":                 "y",
		"2 <= 2 && 3 > 2 && 3 >= 2 ? string(7 / 2 + 7 % 2 - 1 * 2) : 'n'":        "2",
		"'a' in item.l ? 'y' : 'n'":                                              "y",
		"item.l.all(x, size(x) == 1) ? 'y' : 'n'":                                "y",
		"item.l.exists(x, x == 'b') ? 'y' : 'n'":                                 "y",
		"item.l.exists_one(x, x == 'b') ? 'y' : 'n'":                             "y",
		"item.s.startsWith(' O') && item.s.endsWith('7 ') ? 'y' : 'n'":           "y",
		"item.s.contains('RD') ? 'y' : 'n'":                                      "y",
		"item.s.trim().lowerAscii().replace('ord', 'o')":                         "o-7",
		"item.s.substring(item.s.indexOf('-') + 1, item.s.lastIndexOf('7') + 1)": "7",
		"item.s.charAt(1)":                                      "O",
		"item.l.slice(0, 1)[0]":                                 "a",
		"[[item.l[0]], ['c']].flatten().join('')":               "ac",
		"item.l.first().value() + item.l.last().orValue('')":    "ab",
		"item.?gone.or(item.?s).hasValue() ? 'y' : 'n'":         "y",
		"item.?s.optMap(x, x.trim()).orValue('none')":           "ORD-7",
		"item.?s.optFlatMap(x, optional.of(x)).orValue('none')": "ORD-7",
		"optional.ofNonZeroValue(item.e).orValue('empty')":      "empty",
		"optional.none().orValue('none')":                       "none",
		"item.l.map(x, x == 'b', x + x)[0]":                     "bb",
	} {
		if got := strings.TrimSpace(told(t, expression, `{"id":1,"l":["a","b"],"s":" ORD-7 ","e":""}`)); got != want {
			t.Errorf("%s gives %q, want %q", expression, got, want)
		}
	}
}
