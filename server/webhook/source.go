package webhook

import (
	"net/http"
	"net/netip"
	"strings"
)

const forwardedFor = "X-Forwarded-For"

// blocks are ranges of addresses.
type blocks []netip.Prefix

// parseBlocks reads blocks and single addresses, which the schema has checked. What it can't read holds no address, so
// that a list is never empty for want of sound entries. Nil: there is no list.
func parseBlocks(texts []string) blocks {
	if len(texts) == 0 {
		return nil
	}
	list := make(blocks, 0, len(texts))
	for _, text := range texts {
		block, err := netip.ParsePrefix(text)
		if address, single := netip.ParseAddr(text); single == nil {
			block, err = address.Prefix(address.BitLen())
		}
		if err == nil {
			list = append(list, plainBlock(block))
		}
	}
	return list
}

// plainBlock is a block of IPv4 addresses where it is one in IPv6's clothes, as addresses are compared.
func plainBlock(block netip.Prefix) netip.Prefix {
	const clothes = 96
	if block.Addr().Is4In6() && block.Bits() >= clothes {
		return netip.PrefixFrom(block.Addr().Unmap(), block.Bits()-clothes)
	}
	return block
}

func (b blocks) hold(address netip.Addr) bool {
	for _, block := range b {
		if block.Contains(address) {
			return true
		}
	}
	return false
}

// sender is the address that a request comes from: who opened the connection, or, as far back as only the given proxies
// have written, whom they name. It is invalid where nobody can say.
func sender(r *http.Request, proxies blocks) netip.Addr {
	at := parseAddress(r.RemoteAddr)
	named := r.Header.Values(forwardedFor)
	if len(named) == 0 {
		return at
	}
	hops := strings.Split(strings.Join(named, ","), ",")
	for last := len(hops) - 1; last >= 0 && proxies.hold(at); last-- {
		at = parseAddress(strings.TrimSpace(hops[last]))
	}
	return at
}

// parseAddress reads an address with or without a port.
func parseAddress(text string) netip.Addr {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return both.Addr().Unmap().WithZone("")
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		return netip.Addr{}
	}
	return address.Unmap().WithZone("")
}
