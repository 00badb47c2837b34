//go:build linux

package crash_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"fairlead/llm/scripted"
	"fairlead/testkit"
)

// model is a server of a scripted model that outlives the hosts. Its script is
// exchanged between rounds; every request to it is judged.
type model struct {
	t      testing.TB
	server *httptest.Server

	mu       sync.Mutex
	judge    *testkit.Judge
	progress func(kind string)
	bodies   []string // hashes of the requests for replies that arrived in this round
	requests int
}

func newModel(t testing.TB) *model {
	m := &model{t: t, progress: func(string) {}}
	m.server = httptest.NewServer(m)
	t.Cleanup(func() {
		m.server.Close()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.check()
	})
	m.play("otherwise\nreply\n  say Ready.\n", nil)
	return m
}

func (m *model) url() string { return m.server.URL + "/v1" }

// play exchanges the script and says who hears of requests and pieces of replies.
func (m *model) play(text string, progress func(kind string)) {
	m.t.Helper()
	script, err := scripted.Parse(text)
	if err != nil {
		m.t.Fatalf("%v in\n%s", err, text)
	}
	if progress == nil {
		progress = func(string) {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.check()
	m.judge, m.progress, m.bodies = testkit.NewJudge(scripted.Handler(script)), progress, nil
}

// check passes on what the judge found. The lock is held.
func (m *model) check() {
	if m.judge == nil {
		return
	}
	for _, f := range m.judge.Faults() {
		m.t.Errorf("the model was sent what a provider would refuse: %s", f)
	}
}

// arrived are the hashes of this round's requests.
func (m *model) arrived() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bodies
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	judge, progress := m.judge, m.progress
	m.mu.Unlock()
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions") {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the host was killed while it sent
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		sum := sha256.Sum256(body)
		m.mu.Lock()
		m.bodies = append(m.bodies, hex.EncodeToString(sum[:]))
		m.requests++
		m.mu.Unlock()
		progress("request")
	}
	judge.ServeHTTP(&pieces{w, progress}, r)
}

// pieces counts what is written of a reply.
type pieces struct {
	http.ResponseWriter
	progress func(kind string)
}

func (p *pieces) Write(b []byte) (int, error) {
	n, err := p.ResponseWriter.Write(b)
	p.progress("piece")
	return n, err
}

func (p *pieces) Unwrap() http.ResponseWriter { return p.ResponseWriter }
