package webhook

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestASenderIsWhoOpenedTheConnectionUnlessATrustedProxyNamesAnother(t *testing.T) {
	t.Parallel()
	proxies := parseBlocks([]string{"10.0.0.0/8", "::1", "fd00::/8"})
	for _, test := range []struct {
		remote string
		named  []string
		want   string
	}{
		{"203.0.113.9:4711", nil, "203.0.113.9"},
		{"[2001:db8::9]:4711", nil, "2001:db8::9"},
		{"[::ffff:203.0.113.9]:4711", nil, "203.0.113.9"},
		{"[fe80::1%eth0]:4711", nil, "fe80::1"},
		{"203.0.113.9:4711", []string{"198.51.100.1"}, "203.0.113.9"}, // anybody can write the header
		{"10.1.2.3:4711", nil, "10.1.2.3"},
		{"10.1.2.3:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"[::1]:4711", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.1.2.3:4711", []string{"192.0.2.66, 198.51.100.1"}, "198.51.100.1"}, // what stands before it is hearsay
		{"10.1.2.3:4711", []string{"192.0.2.66", " 198.51.100.1 , 10.9.9.9"}, "198.51.100.1"},
		{"10.1.2.3:4711", []string{"198.51.100.1", "fd00::7"}, "198.51.100.1"},
		{"10.1.2.3:4711", []string{"10.0.0.1, 10.0.0.2"}, "10.0.0.1"},
		{"10.1.2.3:4711", []string{"198.51.100.1:8080"}, "198.51.100.1"},
		{"10.1.2.3:4711", []string{"[2001:db8::9]:8080"}, "2001:db8::9"},
		{"10.1.2.3:4711", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"10.1.2.3:4711", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"10.1.2.3:4711", []string{""}, ""},
		{"10.1.2.3:4711", []string{"198.51.100.1,"}, ""},
		{"10.1.2.3:4711", []string{"unknown"}, ""},
		{"10.1.2.3:4711", []string{"198.51.100.1, _hidden"}, ""},
		{"10.1.2.3:4711", []string{"203.0.113.0/24"}, ""},
		{"@", nil, ""},
		{"", nil, ""},
	} {
		r := &http.Request{RemoteAddr: test.remote, Header: http.Header{forwardedFor: test.named}}
		want := netip.Addr{}
		if test.want != "" {
			want = netip.MustParseAddr(test.want)
		}
		if got := sender(r, proxies); got != want {
			t.Errorf("%s, named %q: %s, want %s", test.remote, test.named, got, want)
		}
		if len(test.named) > 0 && sender(r, nil) != parseAddress(test.remote) {
			t.Errorf("%s, named %q: believed although no proxy is trusted", test.remote, test.named)
		}
	}
}

func TestBlocksHoldWhatIsInThem(t *testing.T) {
	t.Parallel()
	list := parseBlocks([]string{"203.0.113.0/24", "198.51.100.7", "2001:db8::/32", "::ffff:192.0.2.0/120", "10.9.8.7/16"})
	for address, want := range map[string]bool{
		"203.0.113.0": true, "203.0.113.255": true, "203.0.114.0": false, "198.51.100.7": true, "198.51.100.8": false,
		"2001:db8:ffff::1": true, "2001:db9::": false, "192.0.2.200": true, "192.0.3.0": false, "10.9.255.1": true, "10.8.0.1": false,
		"::": false, "0.0.0.0": false,
	} {
		if got := list.hold(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t, want %t", address, got, want)
		}
	}
	if list.hold(netip.Addr{}) {
		t.Error("a list holds the address that nobody knows")
	}
	if parseBlocks(nil) != nil {
		t.Error("no list is a list")
	}
	if odd := parseBlocks([]string{"somewhere"}); odd == nil || odd.hold(netip.MustParseAddr("203.0.113.1")) {
		t.Error("a list of unsound entries lets everybody in")
	}
}
