package custom

import (
	"net/http"
	"strings"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Bounds of a probe. It may come from anybody, and what it says may be sent back.
const (
	maxProbe = 16 << 10
	maxEcho  = 1024
)

// handshake is a probe and its answer.
type handshake struct {
	when, echo  *expression
	status      int
	contentType string
	body        string
	unproven    bool
}

func newHandshake(c *compiler, set *configv1.CustomHandshake) handshake {
	if set == nil {
		return handshake{}
	}
	made := handshake{
		when:        c.expression("custom.handshake.when", set.GetWhen(), picks, aBool),
		echo:        c.expression("custom.handshake.echo", set.GetEcho(), facts, aText),
		status:      int(set.GetStatus()),
		contentType: set.GetContentType(),
		body:        set.GetBody(),
		unproven:    set.GetUnproven(),
	}
	checkBody(c, "custom.handshake", set.GetStatus(), set.GetBody(), set.GetEcho())
	if made.when != nil && !made.when.looks.names[bodyName] && !made.when.looks.names[headerName] {
		c.report("custom.handshake.when", "it looks at no body and no header, so every delivery would be taken for the probe and be lost")
	}
	if strings.ContainsAny(strings.ToLower(set.GetContentType()), "<") || active(set.GetContentType()) {
		c.report("custom.handshake.content_type", "what somebody sends is sent back: write text/plain or application/json, nothing that a browser runs")
	}
	return made
}

// active says that a browser would run what comes as this type.
func active(contentType string) bool {
	lower := strings.ToLower(contentType)
	return strings.Contains(lower, "html") || strings.Contains(lower, "xml") || strings.Contains(lower, "script")
}

// answerTo answers a probe. It reports false for everything else.
func (h handshake) answerTo(p *plan, r *provider.Request) (provider.Answer, bool) {
	if h.when == nil || len(r.Body) > maxProbe {
		return provider.Answer{}, false
	}
	s, doc, err := p.scope(r)
	if err != nil || len(doc.twice) > 0 {
		return provider.Answer{}, false
	}
	if probe, err := h.when.holds(s); err != nil || !probe {
		return provider.Answer{}, false
	}

	made := provider.Answer{Status: http.StatusOK, Header: typed(h.contentType), Body: []byte(h.body)}
	made.Header.Set("X-Content-Type-Options", "nosniff")
	if h.status != 0 {
		made.Status = h.status
	}
	if h.echo == nil {
		return made, true
	}
	text, err := h.echo.text(s)
	if err != nil || len(text) > maxEcho {
		return provider.Answer{}, false
	}
	made.Body = []byte(text)
	return made, true
}
