package testkit

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// Pretend is a web in memory: every name leads to it, over TLS on port 443. It needs
// no socket, so it also works where the clock is fake ([testing/synctest]).
type Pretend struct {
	// Addresses gives what a name resolves to; nil leads every name but localhost
	// to one public address.
	Addresses func(host string) []netip.Addr

	roots *x509.CertPool
	ca    *x509.Certificate
	key   *ecdsa.PrivateKey
	open  chan net.Conn

	mu     sync.Mutex
	dialed []string
}

// NewPretend serves a web until the test ends. The handler tells sites apart by the
// request's Host.
func NewPretend(t testing.TB, handler http.Handler) *Pretend {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &Pretend{key: key, roots: x509.NewCertPool(), open: make(chan net.Conn),
		ca: &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "pretend web"}, IsCA: true, BasicConstraintsValid: true,
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour), KeyUsage: x509.KeyUsageCertSign}}
	raw, err := x509.CreateCertificate(rand.Reader, p.ca, p.ca, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	root, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	p.roots.AddCert(root)
	var busy sync.WaitGroup
	tracked := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		busy.Add(1)
		defer busy.Done()
		handler.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: tracked, ErrorLog: log.New(t.Output(), "", 0)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(&listener{open: p.open, done: make(chan struct{})}) // always the error of a closed server
	}()
	t.Cleanup(func() {
		_ = server.Close() // closes connections in memory, which cannot fail
		<-ended
		busy.Wait()
	})
	return p
}

// Roots vouch for the sites.
func (p *Pretend) Roots() *x509.CertPool { return p.roots }

// Resolve looks a name up.
func (p *Pretend) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	if p.Addresses != nil {
		return p.Addresses(host), nil
	}
	if host == "localhost" {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

// Dial connects to the web, whatever the address.
func (p *Pretend) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	p.mu.Lock()
	p.dialed = append(p.dialed, address)
	p.mu.Unlock()
	mine, theirs := net.Pipe()
	if _, port, _ := net.SplitHostPort(address); port == "443" {
		theirs = tls.Server(theirs, &tls.Config{GetCertificate: p.certificate, NextProtos: []string{"http/1.1"}})
	}
	select {
	case p.open <- theirs:
		return mine, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Dialed lists the addresses that were connected to, in order.
func (p *Pretend) Dialed() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.dialed...)
}

func (p *Pretend) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: hello.ServerName}, DNSNames: []string{hello.ServerName},
		NotBefore: p.ca.NotBefore, NotAfter: p.ca.NotAfter}
	raw, err := x509.CreateCertificate(rand.Reader, leaf, p.ca, p.key.Public(), p.key)
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: p.key}, err
}

// listener accepts connections that were dialed in memory.
type listener struct {
	open chan net.Conn
	done chan struct{}
	once sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.open:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error { l.once.Do(func() { close(l.done) }); return nil }

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "pretend", Net: "memory"} }
