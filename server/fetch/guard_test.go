package fetch

import (
	"net/netip"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

func TestOnlyPublicAddressesArePublic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1",
		"172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1",
		"239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1",
		"ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1",
		"2001:db8::1", "2002:7f00:1::1", "3fff::1",
	} {
		if public(netip.MustParseAddr(address)) {
			t.Errorf("%s is called public", address)
		}
	}
	for _, address := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "223.255.255.254", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8"} {
		if !public(netip.MustParseAddr(address)) {
			t.Errorf("%s is not called public", address)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address at all is called public")
	}
	for _, dialled := range []string{"", "sender.test:443", "127.0.0.1:443", "[::1]:443"} {
		if publicOnly("tcp", dialled, nil) == nil {
			t.Errorf("%q may be dialled", dialled)
		}
	}
	if err := publicOnly("tcp", "8.8.8.8:443", nil); err != nil {
		t.Errorf("a public address: %v", err)
	}
}

func TestTheReplyThatEndsFirstMakesRoom(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	k := kept{replies: make(map[string]entry)}
	for i := range maxKept {
		k.put(string(rune('a'+i)), provider.Reply{Status: i}, now.Add(time.Duration(i+1)*time.Hour))
	}
	k.put("new", provider.Reply{Status: 1000}, now.Add(time.Hour))
	if len(k.replies) != maxKept {
		t.Errorf("%d replies are kept, want %d", len(k.replies), maxKept)
	}
	if _, ok := k.get("a", now); ok {
		t.Error("the one that ends first is still there")
	}
	if reply, ok := k.get("new", now); !ok || reply.Status != 1000 {
		t.Error("the new one is not there")
	}
	k.put("new", provider.Reply{Status: 1001}, now.Add(time.Hour))
	if reply, _ := k.get("new", now); reply.Status != 1001 || len(k.replies) != maxKept {
		t.Error("a known one was not replaced in its place")
	}
}
