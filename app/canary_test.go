package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fairlead/app"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/server"
)

// Two keys that no pattern recognises: only the exact value can give them away.
const (
	savedCanary = "plumage-of-the-saved-canary"
	namedCanary = "plumage-of-the-named-canary"
)

// TestAKeyIsInNoSink saves one key through the API and names another one by its
// variable, lets servers, tools and defects repeat both wherever they can, and looks
// for them in every place that anything is written to or answered from: the log of a
// session, blobs, catalog, settings, configuration, what the process logs about itself, exports,
// HTTP answers, the page, and what children are given.
func TestAKeyIsInNoSink(t *testing.T) {
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "found.txt")
	if err := os.WriteFile(outside, []byte(savedCanary+" "+namedCanary+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(&gossip{t: t, file: outside})
	defer model.Close()
	var own lockedBuffer
	environ := map[string]string{"MY_KEY": namedCanary, "HOME": t.TempDir()}
	a := boot(t, app.Options{Profile: "web", Version: "test",
		Environ: func(name string) string { return environ[name] },
		Env:     []string{"PATH=" + os.Getenv("PATH"), "MY_KEY=" + namedCanary, "OTHER_API_KEY=" + namedCanary},
		Log:     slog.New(slog.NewTextHandler(&own, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Flags:   fmt.Sprintf(`{"rows":[{"id":"server","config":{"addr":"127.0.0.1:0","folder":%q}}]}`, work)})
	door, ok := graph.Lookup(a.Graph().Root().Realm(), server.Key)
	if !ok {
		t.Fatal("there is no server")
	}
	c := &caller{t: t, base: "http://" + door.Addr(), token: door.LocalToken()}

	c.do("POST", "commands", `{"name":"connection.add","args":{"name":"saved","baseUrl":"`+model.URL+`/v1","default":"m","prefer":true,"key":"`+savedCanary+`"}}`)
	c.do("POST", "commands", `{"name":"connection.add","args":{"name":"named","baseUrl":"`+model.URL+`/v1","default":"m","keyEnv":"MY_KEY"}}`)
	c.do("POST", "commands", `{"name":"connection.test","args":{"name":"saved"}}`)
	c.do("POST", "commands", `{"name":"connection.test","args":{"name":"unsaved","baseUrl":"`+model.URL+`/v1","key":"`+savedCanary+`"}}`)
	c.do("POST", "commands", `{"name":"credential.save","args":{"name":"OTHER","value":"`+savedCanary+`"}}`)
	c.do("POST", "commands", `{"name":"settings.change","args":{"revision":"stale","changes":{"models.default":"`+savedCanary+`"}}}`)
	var made struct{ ID string }
	c.into(c.do("POST", "sessions", `{"folder":"`+work+`"}`), &made)
	for _, route := range []string{"saved/m", "named/m", "saved/m"} {
		c.do("POST", "sessions/"+made.ID+"/turns", `{"text":"Show me what you see.","mode":"bypass","model":"`+route+`"}`)
	}
	crash(t, a)

	for _, name := range []string{"status", "sessions", "settings", "openapi.json", "views", "commands", "approvals", "search?q=canary", "sessions/" + made.ID,
		"sessions/" + made.ID + "/events?before=100000&limit=1000", "sessions/" + made.ID + "/export?as=md", "sessions/" + made.ID + "/export?as=html",
		"sessions/" + made.ID + "/export?as=json", "sessions/" + made.ID + "/export?as=zip"} {
		c.do("GET", name, "")
	}
	for scope, place := range map[string]string{"host": "views/", "session": "sessions/" + made.ID + "/views/"} {
		var views struct {
			Views []struct{ Name, Scope string }
		}
		c.into(c.do("GET", "views", ""), &views)
		if len(views.Views) == 0 {
			t.Fatal("no views are listed")
		}
		for _, v := range views.Views {
			if v.Scope == scope {
				c.do("GET", place+v.Name, "")
			}
		}
	}
	page, err := http.Get(c.base + "/")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(page.Body)
	if err = errors.Join(err, page.Body.Close()); err != nil {
		t.Fatal(err)
	}
	c.heard.Write(text)

	if heard := c.heard.String(); !strings.Contains(heard, "[redacted") || !strings.Contains(heard, "ENV-BEGIN") {
		t.Error("no answer shows that something was taken out, or what a child sees: the canary was never let out")
	} else if env := between(heard, "ENV-BEGIN", "ENV-END"); strings.Contains(env, "MY_KEY") || strings.Contains(env, "API_KEY") {
		t.Errorf("a child was given a key: %s", env)
	}
	look(t, "an HTTP answer", c.heard.String())
	look(t, "what the process logs", own.String())
	look(t, "the configuration", a.Tree().Dump())
	lookIn(t, string(a.Home()))
	lookIn(t, work)
}

// look fails where a canary is in a text.
func look(t *testing.T, where, text string) {
	t.Helper()
	for _, canary := range []string{savedCanary, namedCanary} {
		if i := strings.Index(text, canary); i >= 0 {
			t.Errorf("%s holds %q: …%s…", where, canary, text[max(0, i-120):min(len(text), i+60)])
		}
	}
}

// lookIn looks into every file of a folder; the one that keeps keys is readable by
// its owner alone.
func lookIn(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Name() == "credentials.json" {
			info, err := d.Info()
			if err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %v", path, info.Mode())
			}
			return err
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		look(t, path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// crash lets a part of the product panic with a key in its mouth.
func crash(t *testing.T, a *app.App) {
	t.Helper()
	f, err := a.Graph().Root().Plug("crashing", graph.Plugin{Name: "crashing", Apply: func(f *graph.Fiber, _ any) error {
		f.Log().Error("about to crash", "key", savedCanary, "error", fault.New(fault.Internal, "test", "the key is %s", namedCanary))
		panic("with the key " + savedCanary)
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(t.Context()); err == nil {
		t.Error("a plugin that panics is ready")
	}
}

// caller asks the host, and keeps all it hears.
type caller struct {
	t     *testing.T
	base  string
	token string
	heard bytes.Buffer
}

func (c *caller) do(method, path, body string) []byte {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/api/v1/"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/json")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		c.t.Fatal(err)
	}
	fmt.Fprintf(&c.heard, "\n%s %s: %d\n%v\n%s\n", method, path, resp.StatusCode, resp.Header, text)
	return text
}

func (c *caller) into(text []byte, v any) {
	c.t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		c.t.Fatalf("%v: %s", err, text)
	}
}

// gossip is a server of models that repeats the key it was given in every way there
// is: as a refusal, as an error in a stream, and by having a tool look for it.
type gossip struct {
	t     *testing.T
	file  string // has both keys in it
	asked atomic.Int32
}

func (g *gossip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if key != savedCanary && key != namedCanary {
		g.t.Errorf("the server was asked with %q", key)
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, key)
		return
	}
	say := func(delta string) { fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s}]}\n\n", delta) }
	switch g.asked.Add(1) {
	case 1:
		w.Header().Set("WWW-Authenticate", "Bearer key="+key)
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"%s"}}`, key, key)
	case 2:
		w.Header().Set("Content-Type", "text/event-stream")
		say(`{"content":"Half "}`)
		fmt.Fprintf(w, "data: {\"error\":{\"message\":\"key %s has no credit\",\"code\":\"insufficient_quota\"}}\n\n", key)
	case 3:
		w.Header().Set("Content-Type", "text/event-stream")
		look := `echo ENV-BEGIN; env; echo ENV-END; cat ` + g.file
		args, err := json.Marshal(map[string]string{"command": look})
		if err != nil {
			g.t.Error(err)
		}
		call, err := json.Marshal(map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "c1", "function": map[string]string{"name": "shell", "arguments": string(args)}}}})
		if err != nil {
			g.t.Error(err)
		}
		say(string(call))
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n")
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		say(`{"content":"That is all."}`)
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}
}

// lockedBuffer is a buffer that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
