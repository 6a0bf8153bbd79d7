package webhook

import (
	"net/http"
	"strings"

	"github.com/waybillhq/waybill/server/provider"
)

// address is where a provider posts to.
type address struct{ account, provider string }

// route is a configured provider behind its address, with what its sender must keep to.
type route struct {
	provider.Opened

	gate *gate
	// sources are the addresses that it sends from. Nil: any.
	sources blocks
}

func newRoute(opened provider.Opened) route {
	return route{
		Opened:  opened,
		gate:    newGate(opened.Config.GetLimits()),
		sources: parseBlocks(opened.Config.GetSourceAddresses()),
	}
}

// byAddress makes something for each provider and puts it at its address. Under its former name it is still reached:
// the sender learns of the new one later than we do.
func byAddress[T any](providers []provider.Opened, build func(provider.Opened) T) map[address]T {
	table, former := map[address]T{}, map[address]T{}
	for _, opened := range providers {
		made := build(opened)
		table[address{opened.Account, opened.Config.GetName()}] = made
		if name := opened.Config.GetRenamedFrom(); name != "" {
			former[address{opened.Account, name}] = made
		}
	}
	for at, made := range former { // a name in use is stronger than a former one
		if _, taken := table[at]; !taken {
			table[at] = made
		}
	}
	return table
}

func (h *Handler) find(r *http.Request) (route, bool) {
	segments := segments(r)
	if len(segments) != 3 || segments[0] != firstSegment {
		return route{}, false
	}
	found, ok := h.routes[address{segments[1], segments[2]}]
	return found, ok
}

// segments are the parts of the path as it was sent. Empty ones are left out: an address saved with a slash too many
// is the same address, and never worth a redirect. Nothing is unescaped: the names need no escapes.
func segments(r *http.Request) []string {
	var parts []string
	for part := range strings.SplitSeq(r.URL.EscapedPath(), "/") {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}
