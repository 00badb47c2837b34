package web

import (
	"net/netip"
	"testing"
)

func TestAddressesAreJudgedByWhatTheyReach(t *testing.T) {
	for address, want := range map[string]reach{
		"93.184.216.34": public, "1.1.1.1": public, "2606:4700::1111": public, "::ffff:1.1.1.1": public, "64:ff9b::101:101": public, "2002:101:101::1": public,
		"127.0.0.1": near, "127.8.8.8": near, "::1": near, "10.0.0.1": near, "172.16.0.1": near, "172.31.255.255": near, "192.168.1.1": near, "fd00::1": near,
		"::ffff:127.0.0.1": near, "64:ff9b::7f00:1": near, "2002:7f00:1::1": near, "64:ff9b:1::10.0.0.1": near, "::127.0.0.1": near,
		"0.0.0.0": nowhere, "::": nowhere, "0.1.2.3": nowhere, "169.254.169.254": nowhere, "fe80::1": nowhere, "fe80::1%eth0": nowhere, "1.1.1.1%x": nowhere,
		"100.64.0.1": nowhere, "100.100.100.200": nowhere, "192.0.0.1": nowhere, "192.0.2.1": nowhere, "198.18.0.1": nowhere, "198.51.100.1": nowhere, "203.0.113.9": nowhere,
		"224.0.0.1": nowhere, "240.0.0.1": nowhere, "255.255.255.255": nowhere, "ff02::1": nowhere, "2001:db8::1": nowhere, "2001::1": nowhere, "100::1": nowhere, "fec0::1": nowhere,
		"64:ff9b::a9fe:a9fe": nowhere, "::ffff:169.254.169.254": nowhere, "4000::1": nowhere,
	} {
		a, _ := netip.ParseAddr(address) // what does not parse is the zero address: nowhere
		if got := judge(a); got != want {
			t.Errorf("%s is judged %d, want %d", address, got, want)
		}
	}
}

func TestNamesOfThisMachineAreNear(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST.": true, "a.localhost": true, "127.0.0.1": true, "::1": true, "192.168.0.4": true,
		"localhost.example": false, "example.org": false, "169.254.169.254": false, "1.1.1.1": false} {
		if got := nearHost(host); got != want {
			t.Errorf("%s: near %t, want %t", host, got, want)
		}
	}
}
