package custom

import (
	"net/http"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

const plainText = "text/plain; charset=utf-8"

// answer is how what is recorded is answered.
type answer struct {
	status      int
	contentType string
	body        string
	expression  *expression
	// token stands in a header of every answer.
	header, token string
}

func newAnswer(c *compiler, cfg *configv1.Provider) answer {
	set := cfg.GetCustom().GetAnswer()
	made := answer{
		status:      int(set.GetStatus()),
		contentType: set.GetContentType(),
		body:        set.GetBody(),
		expression:  c.expression("custom.answer.expression", set.GetExpression(), answers, aText),
		header:      set.GetTokenHeader(),
		token:       cfg.GetAnswerToken(),
	}
	checkAnswer(c, cfg)
	return made
}

// reserved are headers that the answer needs for itself.
var reserved = []string{
	"Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Retry-After", "Allow",
	"Location", "Set-Cookie", "Date",
}

func checkAnswer(c *compiler, cfg *configv1.Provider) {
	set := cfg.GetCustom().GetAnswer()
	checkBody(c, "custom.answer", set.GetStatus(), set.GetBody(), set.GetExpression())
	if set.GetContentType() != "" && set.GetBody()+set.GetExpression() == "" {
		c.report("custom.answer.content_type", "there is no body that it could be of")
	}
	for _, name := range reserved {
		if strings.EqualFold(name, set.GetTokenHeader()) {
			c.report("custom.answer.token_header", "the answer needs this header for itself")
		}
	}
	if (set.GetTokenHeader() == "") != (cfg.GetAnswerToken() == "") {
		c.report("custom.answer.token_header", "a header and its value go together: write token_header here and answer_token beside custom")
	}
	for _, secret := range cfg.GetSecrets() {
		if cfg.GetAnswerToken() != "" && cfg.GetAnswerToken() == secret.GetValue() {
			c.report("answer_token", "it is the same as a secret, and every answer, refusals included, would tell it to anyone who asks: take it away")
		}
	}
}

// checkBody reports a body where there can be none, and two where there can be one.
func checkBody(c *compiler, path string, status int32, body, expression string) {
	bare := status == http.StatusNoContent || status == http.StatusResetContent
	if bare && body+expression != "" {
		c.report(path+".status", "an answer of this status has no body")
	}
	if body != "" && expression != "" {
		c.report(path, "the body is written out or an expression, not both")
	}
}

// word words a result. What isn't recorded is answered as everybody's is.
func (a answer) word(res provider.Result) provider.Answer {
	worded := provider.DefaultAnswer(res)
	if res.Verdict == provider.Accepted {
		worded = a.accepted(worded, res)
	}
	if a.header != "" {
		worded.Header.Set(a.header, a.token)
	}
	return worded
}

func (a answer) accepted(usual provider.Answer, res provider.Result) provider.Answer {
	if a.status != 0 {
		usual.Status = a.status
	}
	text := a.body
	if a.expression != nil {
		left := uint64(maxSteps)
		said, err := a.expression.text(&scope{vars: recorded(res), left: &left})
		if err != nil {
			return usual // it is recorded, whatever can be said about it
		}
		text = said
	}
	if usual.Status == http.StatusNoContent || usual.Status == http.StatusResetContent {
		return provider.Answer{Status: usual.Status, Header: http.Header{}}
	}
	if text == "" {
		return usual
	}
	return provider.Answer{Status: usual.Status, Header: typed(a.contentType), Body: []byte(text)}
}

// typed are the headers of a body.
func typed(contentType string) http.Header {
	if contentType == "" {
		contentType = plainText
	}
	return http.Header{"Content-Type": {contentType}}
}

// recorded are the variables of an answer's expression.
func recorded(res provider.Result) map[string]any {
	first := true
	events := make([]ref.Val, 0, len(res.Responses))
	for _, response := range res.Responses {
		event := newObject(5)
		event.add("id", types.String(response.GetEvent().GetId()))
		event.add("event_id", types.String(response.GetEvent().GetEventId()))
		event.add("state", types.String(provider.StateWord(response.GetEvent().GetState())))
		event.add("receipt", types.String(provider.ReceiptWord(response.GetReceipt())))
		event.add("first_delivery", types.Bool(response.GetFirstDelivery()))
		events = append(events, event)
		first = first && response.GetFirstDelivery()
	}
	return map[string]any{eventsName: newList(events, nil), firstName: first}
}
