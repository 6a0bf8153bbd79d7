package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/waybillhq/waybill/server/provider"
)

// sampleValues are made from the order's number, so that samples of several providers are about one order. The id is
// new each time.
func sampleValues(number string, at time.Time) provider.SampleValues {
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(number))
	identity := strconv.FormatUint(digest.Sum64()>>12, 10) // 52 bits: a JSON number keeps it
	return provider.SampleValues{
		ID:          strings.ToLower(rand.Text()),
		OrderID:     identity,
		OrderNumber: number,
		Consignment: "WB" + identity,
		PaymentID:   "pay_" + identity,
		At:          at,
	}
}

// answer is what came back.
type answer struct {
	Status int    `json:"status"`
	Body   string `json:"-"`
}

// tell prints an answer. One outside of 2xx is a failure all the same: a script must notice.
func (s *sender) tell(out *output, got answer) error {
	if out.json {
		line := map[string]any{"provider": s.opened.Config.GetName(), "sample": s.sample.Name, "status": got.Status}
		line["answer"] = asJSON(got.Body)
		if err := out.object(line); err != nil {
			return err
		}
	} else {
		out.facts(
			fact{label: "Sent", text: s.sample.Name + " as " + s.opened.Config.GetName()},
			fact{label: "Answer", text: strings.TrimSpace(strconv.Itoa(got.Status) + " " + http.StatusText(got.Status))},
			fact{label: "Body", text: got.Body},
		)
	}
	if got.Status/100 == 2 {
		return nil
	}
	return refusal(got.Status)
}

func asJSON(body string) any {
	if json.Valid([]byte(body)) {
		return json.RawMessage(body)
	}
	return body
}

func refusal(status int) error {
	refused := &failure{
		exit: exitFailed, code: "http_" + strconv.Itoa(status),
		message: "the server answered " + strconv.Itoa(status) + " " + http.StatusText(status),
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		refused.exit = exitNotAllowed
		refused.next = "the configuration file that the server runs with: its secret is another"
	case http.StatusNotFound:
		refused.next = "the configuration file that the server runs with: it has no such account or provider"
	}
	return refused
}

// show prints the request without its proof, and what Waybill reads in it.
func (s *sender) show(out *output) error {
	headers := s.headers()
	events, problem := s.translated()
	if out.json {
		return out.object(map[string]any{"path": s.shownPath(), "headers": headers, "events": events, "problem": problem})
	}
	out.line("POST %s", s.shownPath())
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		out.line("%s: %s", name, headers[name])
	}
	out.gap()
	if problem != "" {
		out.line("Waybill reads no event in it: %s", problem)
	}
	for _, event := range events {
		out.line("%s", string(event))
	}
	return nil
}

const left = "(proof left out)"

func (s *sender) headers() map[string]string {
	shown := map[string]string{}
	for name, values := range s.request.Header {
		shown[name] = strings.Join(values, ", ")
		if slices.Contains(s.proof, name) {
			shown[name] = left
		}
	}
	return shown
}

func (s *sender) shownPath() string {
	path, query, _ := strings.Cut(s.path(), "?")
	if query == "" {
		return path
	}
	names := slices.Sorted(maps.Keys(s.request.Query))
	for i, name := range names {
		names[i] += "=" + s.request.Query.Get(name)
		if slices.Contains(s.proof, name) {
			names[i] = name + "=" + left
		}
	}
	return path + "?" + strings.Join(names, "&")
}

// translated is what the provider's kind reads in the body, as a server would. A probe has no events.
func (s *sender) translated() (events []json.RawMessage, problem string) {
	if _, probe := s.opened.Provider.Handshake(s.request); probe {
		return nil, "it is a probe, answered and not recorded"
	}
	requests, err := s.opened.Provider.Translate(s.request)
	if refused, ok := errors.AsType[*provider.Refusal](err); ok {
		return nil, refused.Message
	}
	if err != nil {
		return nil, err.Error()
	}
	for _, request := range requests {
		request.Account, request.Provider = s.opened.Account, s.opened.Config.GetName()
		request.TranslatorVersion = s.opened.Kind.Version
		text, err := protojson.Marshal(request)
		if err != nil {
			return nil, err.Error()
		}
		events = append(events, compact(text))
	}
	return events, ""
}
