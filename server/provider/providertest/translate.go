package providertest

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Summary writes an event's changes in short: status_changed delivered, fact on_hold!, refund_reported 1050 BDT.
func Summary(event *waybillv1.IngestEventRequest) []string {
	says := make([]string, 0, len(event.GetChanges()))
	for _, change := range event.GetChanges() {
		says = append(says, summary(change))
	}
	return says
}

func summary(change *waybillv1.Change) string {
	switch c := change.GetChange().(type) {
	case *waybillv1.Change_OrderPlaced:
		return "order_placed " + c.OrderPlaced.GetOrderNumber()
	case *waybillv1.Change_StatusChanged:
		return "status_changed " + plain(c.StatusChanged.GetStatus().String(), "SHIPMENT_STATUS_") +
			onReturn(c.StatusChanged.GetShipment())
	case *waybillv1.Change_ShipmentAnnounced:
		return "shipment_announced" + onReturn(c.ShipmentAnnounced.GetShipment())
	case *waybillv1.Change_PaymentReported:
		return plain(c.PaymentReported.GetEvidence().String(), "PAYMENT_EVIDENCE_") + " " +
			plain(c.PaymentReported.GetState().String(), "PAYMENT_STATE_")
	case *waybillv1.Change_RefundReported:
		if c.RefundReported.GetRunningTotal() {
			return "refund_total"
		}
		return "refund_step"
	case *waybillv1.Change_DisputeReported:
		return "dispute " + plain(c.DisputeReported.GetState().String(), "DISPUTE_STATE_")
	case *waybillv1.Change_OrderCancelled:
		return "order_cancelled"
	case *waybillv1.Change_Checkpoint:
		return "checkpoint"
	case *waybillv1.Change_Fact:
		if c.Fact.GetNeedsAttention() {
			return "fact " + c.Fact.GetName() + "!"
		}
		return "fact " + c.Fact.GetName()
	case *waybillv1.Change_Unrecognised:
		return "unrecognised " + c.Unrecognised.GetField()
	case *waybillv1.Change_Undecoded:
		return "undecoded"
	case *waybillv1.Change_Ignored:
		return "ignored"
	default:
		return "nothing"
	}
}

func onReturn(shipment *waybillv1.ShipmentReference) string {
	if shipment.GetReturnParcel() {
		return " on the return parcel"
	}
	return ""
}

func plain(name, prefix string) string { return strings.ToLower(strings.TrimPrefix(name, prefix)) }

// Translate translates and checks what every translation must keep: it gives sound events or a refusal, leaves alone
// what the caller fills in, and tells no secret.
func Translate(tb testing.TB, opened provider.Provider, r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	tb.Helper()
	events, err := opened.Translate(r)
	if err != nil {
		refusal, ok := errors.AsType[*provider.Refusal](err)
		if !ok || len(events) > 0 {
			tb.Fatalf("translate: %T with %d events, want a refusal and none", err, len(events))
		}
		if refusal.Message == "" {
			tb.Error("the refusal says nothing")
		}
		return nil, err
	}
	if len(events) == 0 {
		tb.Fatal("translate gave no event and no refusal")
	}
	for _, event := range events {
		checkEvent(tb, event)
	}
	return events, nil
}

func checkEvent(tb testing.TB, event *waybillv1.IngestEventRequest) {
	tb.Helper()
	if event.GetAccount()+event.GetProvider()+event.GetTranslatorVersion() != "" || event.GetRaw() != nil {
		tb.Error("account, provider, raw and translator_version are the caller's to fill in")
	}
	whole := proto.CloneOf(event)
	whole.Account, whole.Provider = "shop", "sender"
	if err := protovalidate.Validate(whole); err != nil {
		tb.Errorf("event breaks our own rules: %v", err)
	}
	wire, err := proto.Marshal(whole)
	if err != nil {
		tb.Errorf("event can't be sent: %v", err)
	}
	if bytes.ContainsRune(wire, 0) && strings.Contains(whole.String(), `\x00`) {
		tb.Error("event holds U+0000, which text columns refuse")
	}
	for _, secret := range []string{currentSecret, nextSecret, retiredSecret} {
		if bytes.Contains(wire, []byte(secret)) {
			tb.Error("event holds a secret")
		}
	}
}

func sameBytesSameEvents(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened, again := Open(t, kind, opts), Open(t, kind, opts)
	for _, s := range kind.Samples {
		first, err1 := Translate(t, opened, signed(kind, sampleRequest(t, s), currentSecret, Now()))
		later := signed(kind, sampleRequest(t, s), nextSecret, Now().AddDate(0, 0, 10))
		later.ReceivedAt = Now().AddDate(0, 0, 10)
		second, err2 := Translate(t, again, later)
		if err1 != nil || err2 != nil || !sameEvents(first, second) {
			t.Errorf("sample %s reads otherwise when it comes again ten days later", s.Name)
		}
	}
}

func wordsAreRead(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	if len(opts.Words) == 0 {
		t.Fatal("no words: the mapping table is untested")
	}
	opened := Open(t, kind, opts)
	for _, word := range opts.Words {
		mustSay(t, opened, word)
	}
}

func unknownWordIsKept(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	mustSay(t, Open(t, kind, opts), opts.UnknownWord)
}

func mustSay(t *testing.T, opened provider.Provider, word Word) {
	t.Helper()
	events, err := Translate(t, opened, word.request())
	if err != nil || len(events) != 1 {
		t.Errorf("%s: %d events, %v, want one", word.Name, len(events), err)
		return
	}
	if says := Summary(events[0]); !slices.Equal(says, word.Says) {
		t.Errorf("%s says %q, want %q", word.Name, says, word.Says)
	}
}

func unknownMemberChangesNothing(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	r := sample(t, kind, opts)
	more := copyOf(r)
	more.Body = wider(r.Body, opts)
	events, err := Translate(t, opened, more)
	if opts.Refuses {
		if err == nil {
			t.Error("an unknown member was taken by a contract that lists its members")
		}
		return
	}
	plainly, plainErr := Translate(t, opened, r)
	if opts.KnownByBytes {
		for _, event := range slices.Concat(events, plainly) {
			event.EventId = "known by its bytes"
		}
	}
	if err != nil || plainErr != nil || !sameEvents(events, plainly) {
		t.Errorf("an unknown member changed the events: %v, %v", err, plainErr)
	}
}

func truncatedBodyIsNotRead(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	for _, s := range kind.Samples {
		whole := sampleRequest(t, s)
		if isEventFree(t, opened, whole) {
			continue
		}
		for end := range len(whole.Body) {
			cut := copyOf(whole)
			cut.Body = cut.Body[:end]
			mustNotRead(t, opened, cut, opts, s.Name+", cut")
		}
	}
}

// isEventFree reports a sample whose body isn't looked at: nobody needs its type.
func isEventFree(t *testing.T, opened provider.Provider, r *provider.Request) bool {
	t.Helper()
	empty := copyOf(r)
	empty.Body = nil
	events, err := Translate(t, opened, empty)
	return err == nil && slices.Equal(Summary(events[0]), []string{"ignored"})
}

// mustNotRead wants the undecoded event of exactly these bytes, or a refusal where the contract allows one.
func mustNotRead(t *testing.T, opened provider.Provider, r *provider.Request, opts Options, what string) {
	t.Helper()
	events, err := Translate(t, opened, r)
	if opts.Refuses {
		if err == nil {
			t.Errorf("%s: taken, want a refusal", what)
		}
		return
	}
	if err != nil || len(events) != 1 || !slices.Equal(Summary(events[0]), []string{"undecoded"}) {
		t.Errorf("%s: %v, %v, want one undecoded event", what, events, err)
		return
	}
	if id := provider.Undecoded(r.Body, "x").GetEventId(); events[0].GetEventId() != id {
		t.Errorf("%s: identity %s, want %s", what, events[0].GetEventId(), id)
	}
	problem := events[0].GetChanges()[0].GetUndecoded().GetProblem()
	if values := Values(); strings.Contains(problem, values.OrderNumber) || strings.Contains(problem, values.Consignment) {
		t.Errorf("%s: the problem quotes the body", what)
	}
}

func unsoundBodiesAreDefined(t *testing.T, kind provider.Kind, opts Options) {
	if opts.Form {
		unsoundForms(t, kind, opts)
		return
	}
	t.Helper()
	opened := Open(t, kind, opts)
	whole := sample(t, kind, opts)
	body := string(whole.Body)
	member := body[1 : strings.Index(body, ":")+1] // the first member's name and colon

	for name, changed := range map[string]string{
		"the same member twice":    "{" + member + "null," + body[1:],
		"something after the end":  body + body,
		"an array":                 "[" + body + "]",
		"text":                     `"` + strings.Repeat("a", 10) + `"`,
		"deep nesting":             `{"a":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "," + body[1:],
		"deep nesting left open":   `{"a":` + strings.Repeat("[", 200_000),
		"nothing":                  "",
		"a zero byte":              "\x00",
		"an unfinished escape":     `{"a":"\u00`,
		"a comment":                "/* */" + body,
		"a trailing comma":         strings.TrimSuffix(body, "}") + ",}",
		"UTF-16":                   "\xff\xfe" + body,
		"a name that is not text":  "{1:2," + body[1:],
		"a number of no shape":     `{"a":01,` + body[1:],
		"a raw line break in text": "{\"a\":\"\n\"," + body[1:],
		"two byte order marks":     "\ufeff\ufeff" + body,
	} {
		r := copyOf(whole)
		r.Body = []byte(changed)
		mustNotRead(t, opened, r, opts, name)
	}

	marked := copyOf(whole)
	marked.Body = []byte("\ufeff" + body)
	events, err := Translate(t, opened, marked)
	plainly, plainErr := Translate(t, opened, whole)
	if err != nil || plainErr != nil || !slices.Equal(Summary(events[0]), Summary(plainly[0])) {
		t.Errorf("a byte order mark changed what the body says: %v, %v", err, plainErr)
	}
}

func fullSizeIsRead(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	limit := kind.MaxBodyBytes
	if limit == 0 {
		limit = 2 << 20
	}
	opened := Open(t, kind, opts)
	whole := sample(t, kind, opts)
	big := copyOf(whole)
	big.Body = filled(whole.Body, limit, opts)
	events, err := Translate(t, opened, big)
	plainly, plainErr := Translate(t, opened, whole)
	if err != nil || plainErr != nil || !slices.Equal(Summary(events[0]), Summary(plainly[0])) {
		t.Errorf("a body of %d bytes reads otherwise: %v, %v", limit, err, plainErr)
	}
}

func keptHeadersSuffice(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	for _, s := range kind.Samples {
		all := signed(kind, sampleRequest(t, s), currentSecret, Now())
		kept := copyOf(all)
		kept.Header = http.Header{}
		for _, name := range kind.KeptHeaders {
			if values := all.Header.Values(name); len(values) > 0 {
				kept.Header.Set(name, values[0])
			}
		}
		first, err1 := Translate(t, opened, all)
		second, err2 := Translate(t, opened, kept)
		if err1 != nil || err2 != nil || !sameEvents(first, second) {
			t.Errorf("sample %s reads otherwise with the kept headers only", s.Name)
		}
	}
}

func sameEvents(a, b []*waybillv1.IngestEventRequest) bool {
	return slices.EqualFunc(a, b, func(x, y *waybillv1.IngestEventRequest) bool { return proto.Equal(x, y) })
}
