package fetch

import (
	"errors"
	"net/netip"
	"net/url"
	"syscall"
)

// notPublic are the blocks in which no provider lives: our own machine, the networks around it, the clouds' metadata
// services, and the blocks that carry an IPv4 address in disguise.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/3"), // multicast and everything reserved above it
	netip.MustParsePrefix("2001::/23"),   // Teredo and other protocol assignments
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("3fff::/20"),
}

// globalV6 is the only block from which public IPv6 addresses are given out.
var globalV6 = netip.MustParsePrefix("2000::/3")

// public says whether an address is one that the whole internet reaches.
func public(address netip.Addr) bool {
	address = address.Unmap().WithZone("")
	if !address.IsValid() || (address.Is6() && !globalV6.Contains(address)) {
		return false
	}
	for _, block := range notPublic {
		if block.Contains(address) {
			return false
		}
	}
	return true
}

var errAddress = errors.New("the address is not a public one")

// publicOnly looks at the address that is about to be dialled: after the name was resolved, so that no answer of a name
// server can send us to our own network.
func publicOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) {
		return errAddress
	}
	return nil
}

// checked is the call's address, if it may be called at all.
func checked(address string, named bool) (*url.URL, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Hostname() == "":
		return nil, errors.New("address is none")
	case parsed.Scheme != "https":
		return nil, errors.New("address is not https")
	case parsed.User != nil:
		return nil, errors.New("address holds a user")
	case named:
		return parsed, nil
	case parsed.Port() != "" && parsed.Port() != "443":
		return nil, errors.New("address names a port of its own")
	}
	if _, err := netip.ParseAddr(parsed.Hostname()); err == nil {
		return nil, errors.New("address is a number and not a name")
	}
	return parsed, nil
}
