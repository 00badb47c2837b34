package web

import (
	"net/netip"
	"strings"
)

// reach is how far away an address is.
type reach int

const (
	public  reach = iota // on the open web
	near                 // this machine or its own network: only with the person's word
	nowhere              // link-local, metadata, multicast, reserved: never
)

// special are the ranges of addresses that are not on the open web, beside those
// that [netip.Addr] knows itself (IANA special-purpose registries).
func special() []netip.Prefix {
	var list []netip.Prefix
	for text := range strings.FieldsSeq(`0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
		100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 fec0::/10`) {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// judge says how far away an address is. An address that holds another one (mapped,
// NAT64, 6to4) is as far away as the one inside.
func judge(a netip.Addr) reach {
	if !a.IsValid() || a.Zone() != "" {
		return nowhere
	}
	a = a.Unmap()
	if inner, ok := embedded(a); ok {
		return judge(inner)
	}
	switch {
	case a.IsLoopback(), a.IsPrivate():
		return near
	case a.IsUnspecified(), a.IsLinkLocalUnicast(), a.IsMulticast():
		return nowhere
	}
	for _, p := range special() {
		if p.Contains(a) {
			return nowhere
		}
	}
	if a.Is6() && !netip.MustParsePrefix("2000::/3").Contains(a) {
		return nowhere
	}
	return public
}

// embedded gives the IPv4 address inside an IPv6 one: NAT64 (64:ff9b::/96 and
// 64:ff9b:1::/48), 6to4 (2002::/16), and the deprecated IPv4-compatible form.
func embedded(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return netip.Addr{}, false
	}
	b := a.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a), netip.MustParsePrefix("64:ff9b:1::/48").Contains(a):
		return last, true
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case netip.MustParsePrefix("::/96").Contains(a) && !a.IsLoopback() && !a.IsUnspecified():
		return last, true
	}
	return netip.Addr{}, false
}

// nearHost reports whether a host's very name means this machine or its own
// network. What other names lead to is known only when they are dialled.
func nearHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return judge(a) == near
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
