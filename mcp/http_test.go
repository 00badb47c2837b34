package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/fault"
	"fairlead/mcp"
)

// remote serves an MCP server over HTTP; before sees each request and may answer it.
type remote struct {
	*httptest.Server
	mu     sync.Mutex
	before func(w http.ResponseWriter, r *http.Request) bool
	serve  http.Handler
}

func newRemote(t *testing.T) *remote {
	r := &remote{}
	r.forget()
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		before, serve := r.before, r.serve
		r.mu.Unlock()
		if before == nil || !before(w, q) {
			serve.ServeHTTP(w, q)
		}
	}))
	t.Cleanup(r.CloseClientConnections)
	return r
}

// forget makes the server lose its sessions, as a restart does.
func (r *remote) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := good(false)
	r.serve = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

func (r *remote) set(before func(http.ResponseWriter, *http.Request) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = before
}

func TestServerIsReachedOverHTTPWithItsKeyAlone(t *testing.T) {
	r := newRemote(t)
	r.set(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Header.Get("Authorization") != "Bearer its-key" {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	h := newHouse(t, map[string]map[string]any{"far": {"url": r.URL, "key": "FAR_KEY"}})
	if _, err := h.servers.Approve(t.Context(), "far", h.state("far").Digest); err == nil {
		t.Fatal("it was reached without the key")
	}
	h.keys["FAR_KEY"] = "its-key"
	h.approve("far")
	says(t, h.run("mcp__far__echo", map[string]any{"text": "hello"}), "you said: hello")
	says(t, h.run("mcp__far__slow", nil), "done")
	if s := h.state("far"); s.State != "ready" || s.Where != r.URL {
		t.Errorf("state %+v", s)
	}
	raw, err := json.Marshal(h.servers.List())
	if err != nil || strings.Contains(string(raw), "its-key") {
		t.Error("the key is in the view")
	}
}

func TestSessionThatTheServerForgotIsRenewed(t *testing.T) {
	r := newRemote(t)
	h := newHouse(t, map[string]map[string]any{"far": {"url": r.URL}})
	h.approve("far")
	says(t, h.run("mcp__far__echo", map[string]any{"text": "a"}), "you said: a")
	r.forget()
	says(t, h.run("mcp__far__echo", map[string]any{"text": "b"}), "you said: b")
}

func TestChangedListIsHeardOverHTTP(t *testing.T) {
	r := newRemote(t)
	h := newHouse(t, map[string]map[string]any{"far": {"url": r.URL}})
	h.approve("far")
	says(t, h.run("mcp__far__turn_bad", nil), "changed")
	h.wait("far", func(s mcp.State) bool { return s.Digest != "" })
	if r := h.run("mcp__far__echo", map[string]any{"text": "a"}); r.Code != mcp.CodeQuarantined {
		t.Errorf("code %q: %s", r.Code, plain(r))
	}
}

func TestAddressThatDoesNotAnswerIsSaidSo(t *testing.T) {
	r := newRemote(t)
	h := newHouse(t, map[string]map[string]any{"far": {"url": r.URL}})
	h.approve("far")
	r.Server.Close()
	if r := h.run("mcp__far__echo", map[string]any{"text": "a"}); r.Code != mcp.CodeServer {
		t.Errorf("code %q: %s", r.Code, plain(r))
	}
	if s := h.state("far"); s.State != "failed" || s.Reason == "" {
		t.Errorf("state %+v", s)
	}
}

// authority makes a remote ask for a token, and hands tokens out as OAuth has it:
// metadata, registration, a page that sends the browser back, tokens.
func authority(t *testing.T, r *remote) (issued func() []string) {
	var tokens []string
	var mu sync.Mutex
	answer := func(w http.ResponseWriter, v any) bool {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
		return true
	}
	r.set(func(w http.ResponseWriter, q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case strings.HasPrefix(q.URL.Path, "/.well-known/oauth-protected-resource"):
			return answer(w, map[string]any{"resource": r.URL, "authorization_servers": []string{r.URL}})
		case strings.HasPrefix(q.URL.Path, "/.well-known/"):
			return answer(w, map[string]any{"issuer": r.URL, "authorization_endpoint": r.URL + "/authorize", "token_endpoint": r.URL + "/token", "registration_endpoint": r.URL + "/register",
				"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"}})
		case q.URL.Path == "/register":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusCreated)
			return answer(w, map[string]any{"client_id": "fairlead-1", "redirect_uris": []string{"http://127.0.0.1:9/back"}, "token_endpoint_auth_method": "none"})
		case q.URL.Path == "/token":
			if err := q.ParseForm(); err != nil {
				t.Error(err)
			}
			if q.Form.Get("grant_type") == "authorization_code" && (q.Form.Get("code") != "the-code" || q.Form.Get("code_verifier") == "") {
				t.Errorf("asked for a token with %v", q.Form)
			}
			tokens = append(tokens, fmt.Sprintf("token-%d-%s", len(tokens)+1, q.Form.Get("grant_type")))
			return answer(w, map[string]any{"access_token": tokens[len(tokens)-1], "token_type": "Bearer", "refresh_token": "again", "expires_in": 3600})
		}
		if token, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer "); !ok || !strings.HasPrefix(token, "token-") {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+r.URL+`/.well-known/oauth-protected-resource"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	return func() []string { mu.Lock(); defer mu.Unlock(); return tokens }
}

func TestSigningInIsAPersonsActAndLasts(t *testing.T) {
	r := newRemote(t)
	issued := authority(t, r)
	h := newHouse(t, map[string]map[string]any{"far": {"url": r.URL}})
	if _, err := h.servers.Approve(t.Context(), "far", h.state("far").Digest); err == nil || !strings.Contains(fault.Person(err), "fairlead mcp login far") {
		t.Fatalf("without signing in: %v", err)
	}
	if len(issued()) > 0 {
		t.Fatal("a token was asked for without a person")
	}
	browse := func(_ context.Context, address string) (mcp.Returned, error) {
		u, err := url.Parse(address)
		if err != nil || u.Path != "/authorize" || u.Query().Get("code_challenge") == "" || u.Query().Get("redirect_uri") != "http://127.0.0.1:9/back" {
			t.Errorf("the browser is sent to %s, %v", address, err)
		}
		return mcp.Returned{Code: "the-code", State: u.Query().Get("state")}, nil
	}
	if err := h.servers.SignIn(t.Context(), "far", "http://127.0.0.1:9/back", browse); err != nil {
		t.Fatal(err)
	}
	h.approve("far")
	says(t, h.run("mcp__far__echo", map[string]any{"text": "a"}), "you said: a")
	again := open(t, h.home)
	says(t, again.run("mcp__far__echo", map[string]any{"text": "b"}), "you said: b")
	if got := issued(); len(got) != 1 {
		t.Errorf("tokens were asked for %d times: %v", len(got), got)
	}
}
