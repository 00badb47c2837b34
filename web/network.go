package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"fairlead/fault"
)

// Network is the way out. The zero value is the machine's own; tests put a pretend
// web in its place.
type Network struct {
	// Resolve gives the addresses of a name; nil asks the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address "ip:port" that was judged; nil uses TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Roots vouch for servers; nil means the system's.
	Roots *x509.CertPool
}

// CodeAddress is the code of a refused address.
const CodeAddress = "ADDRESS_REFUSED"

const (
	dialLimit    = 10 * time.Second
	mostHops     = 5
	mostAddress  = 2048 // bytes of an address
	headerBytes  = 256 << 10
	idleConns    = 8
	idleLimit    = 60 * time.Second
	headersLimit = 20 * time.Second
)

// client makes an HTTP client that dials judged addresses only, and near ones only
// where may allows their "host:port". It keeps no cookies, sends no referrer and uses
// no proxy: a proxy would resolve names where we cannot see it. Redirects are followed
// up to [mostHops] times and judged like the first address. Two calls with different
// permissions must not share a client: an open connection is not judged again.
func (n Network) client(may func(hostPort string) bool) *http.Client {
	if n.Resolve == nil {
		n.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if n.Dial == nil {
		n.Dial = (&net.Dialer{Timeout: dialLimit}).DialContext
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: n.dialer(may), ForceAttemptHTTP2: true, MaxIdleConns: idleConns, IdleConnTimeout: idleLimit,
			TLSHandshakeTimeout: dialLimit, ResponseHeaderTimeout: headersLimit, MaxResponseHeaderBytes: headerBytes,
			TLSClientConfig: &tls.Config{RootCAs: n.Roots, MinVersion: tls.VersionTLS12},
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			next.Header.Del("Referer")
			if len(before) > mostHops {
				return fault.New(fault.Invalid, "web.redirect", "The address redirects more than %d times; it was given up.", mostHops)
			}
			return checkAddress(next.URL)
		},
	}
}

// dialer resolves once, judges every address that came, and connects to one of them.
func (n Network) dialer(may func(hostPort string) bool) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		addrs, err := n.addresses(ctx, host)
		if err != nil {
			return nil, err
		}
		for _, a := range addrs {
			far := judge(a)
			if far == nowhere || far == near && !may(net.JoinHostPort(strings.ToLower(host), port)) {
				return nil, refusedAddress(host, a)
			}
		}
		var conn net.Conn
		for _, a := range addrs {
			if conn, err = n.Dial(ctx, network, net.JoinHostPort(a.Unmap().String(), port)); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}
}

func (n Network) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addrs, err := n.Resolve(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, err
}

func refusedAddress(host string, a netip.Addr) error {
	return fault.New(fault.Denied, "web.dial", "%s leads to %s, which is not on the open web, so it was not contacted. The person can allow a host and port of their own network in Settings → Web.", host, a).
		WithCode(CodeAddress)
}

// checkAddress holds an address against what may be fetched at all.
func checkAddress(u *url.URL) error {
	refuse := func(why string) error {
		return fault.New(fault.Invalid, "web.address", "This address is not fetched: %s. Nothing was sent.", why).WithCode(CodeAddress)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("only http and https are")
	case u.Hostname() == "":
		return refuse("it names no host")
	case u.User != nil:
		return refuse("it holds a name or password")
	case len(u.String()) > mostAddress:
		return refuse("it is longer than 2048 bytes")
	}
	return nil
}

// parseAddress reads an address that a model or a page wrote. A missing scheme means https.
func parseAddress(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "web.address", err, "%.200q is no address. Nothing was sent.", text).WithCode(CodeAddress)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, checkAddress(u)
}

// hostPort names where a request to an address goes, lower case.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
