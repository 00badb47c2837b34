package server_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairlead/server"
	"fairlead/ui"

	"github.com/google/go-cmp/cmp"
)

const addr = "127.0.0.1:4747"

// door is a server whose rooms are not there: what is turned away at the door
// never gets to them.
func door(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	o := server.Options{Addr: addr, Version: "1.2.3", Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&o)
	}
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask makes a request as a program would: right host, JSON, no token.
func ask(method, path, body string, change func(*http.Request)) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = addr
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	return r
}

func answer(s http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// signIn exchanges a fresh start token.
func signIn(t *testing.T, s *server.Server) string {
	t.Helper()
	w := answer(s, ask("POST", "/api/v1/login", `{"token":"`+s.StartToken()+`","name":"a test"}`, nil))
	var got server.DeviceToken
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK || len(got.DeviceToken) < 22 {
		t.Fatalf("login answers %d %s (%v)", w.Code, w.Body, err)
	}
	return got.DeviceToken
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func TestOnlyTheExactHostIsServed(t *testing.T) {
	s := door(t, func(o *server.Options) { o.Hosts = []string{"Fairlead.Example:8443"} })
	for host, served := range map[string]bool{
		addr: true, "localhost:4747": true, "LOCALHOST:4747": true, "[::1]:4747": true, "fairlead.example:8443": true,
		"": false, "127.0.0.1": false, "127.0.0.1:4748": false, "localhost": false, "localhost:80": false, "localhost.:4747": false,
		"localhost.evil.test:4747": false, "127.0.0.1.nip.io:4747": false, "evil.example:4747": false, "0.0.0.0:4747": false,
		"localhost:4747@evil": false, "127.1:4747": false, "2130706433:4747": false, "[::ffff:127.0.0.1]:4747": false, "localhost:4747.evil.test": false,
	} {
		for _, path := range []string{"/", "/api/v1/status", "/app.js", "/api/v1/login"} {
			w := answer(s, ask("GET", path, "", func(r *http.Request) { r.Host = host }))
			if turnedAway := w.Code == http.StatusMisdirectedRequest; turnedAway == served {
				t.Errorf("Host %q, %s: %d", host, path, w.Code)
			}
		}
	}
}

func TestAnotherOriginGetsNothing(t *testing.T) {
	s := door(t, nil)
	token := signIn(t, s)
	browser := map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for k, v := range browser {
			all[k] = v
		}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	for _, row := range []struct {
		name   string
		method string
		send   map[string]string
		let    bool
	}{
		{"program without either", "POST", nil, true},
		{"program that names our origin", "POST", map[string]string{"Origin": "http://" + addr}, true},
		{"our page, changing", "POST", with(map[string]string{"Origin": "http://" + addr}), true},
		{"our page, reading", "GET", browser, true},
		{"browser without origin, changing", "POST", browser, false},
		{"browser without origin, deleting", "DELETE", browser, false},
		{"null", "POST", with(map[string]string{"Origin": "null"}), false},
		{"null, no browser", "GET", map[string]string{"Origin": "null"}, false},
		{"empty", "POST", with(map[string]string{"Origin": ""}), false},
		{"other port", "POST", map[string]string{"Origin": "http://127.0.0.1:4748"}, false},
		{"no port", "POST", map[string]string{"Origin": "http://127.0.0.1"}, false},
		{"other scheme", "POST", map[string]string{"Origin": "https://" + addr}, false},
		{"other spelling of loopback", "POST", map[string]string{"Origin": "http://localhost:4747"}, false},
		{"prefix", "POST", map[string]string{"Origin": "http://" + addr + ".evil.test"}, false},
		{"userinfo", "POST", map[string]string{"Origin": "http://localhost:1@evil"}, false},
		{"userinfo that looks like us", "POST", map[string]string{"Origin": "http://" + addr + "@evil.test"}, false},
		{"path", "POST", map[string]string{"Origin": "http://" + addr + "/"}, false},
		{"evil", "GET", map[string]string{"Origin": "https://evil.test"}, false},
		{"cross-site reading", "GET", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, false},
		{"same-site other port", "GET", map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		{"address bar", "GET", map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, false},
	} {
		w := answer(s, ask(row.method, "/api/v1/nothing", "", func(r *http.Request) {
			bearer(token)(r)
			for k, v := range row.send {
				r.Header[k] = []string{v}
			}
		}))
		want := http.StatusForbidden
		if row.let {
			want = http.StatusNotFound
		}
		if w.Code != want {
			t.Errorf("%s: %d, want %d", row.name, w.Code, want)
		}
	}
	proxied := door(t, func(o *server.Options) { o.Hosts = []string{"fairlead.example"} })
	for origin, let := range map[string]bool{"https://fairlead.example": true, "http://fairlead.example": true, "https://fairlead.example:444": false, "https://" + addr: false} {
		w := answer(proxied, ask("POST", "/api/v1/nothing", "", func(r *http.Request) {
			r.Host = "fairlead.example"
			r.Header.Set("Origin", origin)
		}))
		if (w.Code == http.StatusUnauthorized) != let {
			t.Errorf("behind a proxy, %s: %d", origin, w.Code)
		}
	}
	two := answer(s, ask("POST", "/api/v1/nothing", "", func(r *http.Request) {
		bearer(token)(r)
		r.Header["Origin"] = []string{"http://" + addr, "https://evil.test"}
	}))
	if two.Code != http.StatusForbidden {
		t.Errorf("two origins: %d", two.Code)
	}
}

func TestEveryRouteWantsAToken(t *testing.T) {
	s := door(t, nil)
	open := 0
	for _, pattern := range s.Routes() {
		method, path, _ := strings.Cut(pattern, " ")
		path = strings.NewReplacer("{id}", "0198c0de-0000-7000-8000-000000000000", "{call}", "c1", "{name}", "tools", "{n}", "1", "{sha256}", strings.Repeat("a", 64)).Replace(path)
		if path == "/api/v1/login" {
			open++
			continue
		}
		s := door(t, nil) // its own allowance
		token := signIn(t, s)
		for name, change := range map[string]func(*http.Request){
			"no":       nil,
			"an empty": func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") },
			"a wrong":  bearer("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
			"a start":  bearer(s.StartToken()),
			"a cookie": func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "token", Value: token}) },
			"a basic":  func(r *http.Request) { r.SetBasicAuth("token", token) },
			"a URL's":  func(r *http.Request) { r.URL.RawQuery = "token=" + token },
		} {
			if w := answer(s, ask(method, path, `{}`, change)); w.Code != http.StatusUnauthorized {
				t.Errorf("%s with %s token: %d", pattern, name, w.Code)
			}
		}
	}
	if open != 1 {
		t.Errorf("%d routes are open, only the login is", open)
	}
	if len(s.Routes()) < 15 {
		t.Errorf("only %d routes were looked at", len(s.Routes()))
	}
}

func TestAStartTokenIsGoodForOneLogin(t *testing.T) {
	s := door(t, nil)
	start := s.StartToken()
	login := func() int { return answer(s, ask("POST", "/api/v1/login", `{"token":"`+start+`"}`, nil)).Code }
	if got := login(); got != http.StatusOK {
		t.Fatalf("first login: %d", got)
	}
	if got := login(); got != http.StatusUnauthorized {
		t.Errorf("second login: %d", got)
	}
}

func TestADeviceSurvivesARestartAndEndsWhenItIsSignedOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "home", "devices.json")
	stored := func(o *server.Options) { o.Devices = file }
	token := signIn(t, door(t, stored))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), token) {
		t.Error("the token itself is on disk")
	}
	if about, err := os.Stat(file); err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v)", about.Mode(), err)
	}
	s := door(t, stored) // the restart
	unknown := func() int { return answer(s, ask("GET", "/api/v1/nothing", "", bearer(token))).Code }
	if got := unknown(); got != http.StatusNotFound {
		t.Fatalf("after the restart: %d", got)
	}
	devices := s.Devices()
	if len(devices) != 1 || devices[0].Name != "a test" || devices[0].Hash != "" {
		t.Fatalf("devices: %+v", devices)
	}
	if err := s.SignOut(devices[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := unknown(); got != http.StatusUnauthorized {
		t.Errorf("signed out: %d", got)
	}
	s = door(t, stored)
	if got := unknown(); got != http.StatusUnauthorized {
		t.Errorf("signed out, after another restart: %d", got)
	}
}

func TestBodiesAreJSONAndBounded(t *testing.T) {
	s := door(t, nil)
	token := signIn(t, s)
	for _, row := range []struct {
		name, kind, body string
		want             int
	}{
		{"form", "application/x-www-form-urlencoded", `{"decision":"approve"}`, http.StatusUnsupportedMediaType},
		{"text", "text/plain", `{}`, http.StatusUnsupportedMediaType},
		{"text that mentions JSON", "text/plain; application/json", `{}`, http.StatusUnsupportedMediaType},
		{"multipart", "multipart/form-data; boundary=x", `{}`, http.StatusUnsupportedMediaType},
		{"nothing said", "", `{}`, http.StatusUnsupportedMediaType},
		{"broken", "application/json", `{`, http.StatusBadRequest},
		{"unknown key", "application/json", `{"decisoin":"approve"}`, http.StatusBadRequest},
		{"two values", "application/json; charset=utf-8", `{"decision":"deny"} {}`, http.StatusBadRequest},
		{"huge", "application/json", `{"note":"` + strings.Repeat("x", 1<<20) + `"}`, http.StatusRequestEntityTooLarge},
		{"wrong word", "application/json", `{"decision":"yes"}`, http.StatusBadRequest},
	} {
		w := answer(s, ask("POST", "/api/v1/approvals/c1", row.body, func(r *http.Request) {
			bearer(token)(r)
			r.Header.Del("Content-Type")
			if row.kind != "" {
				r.Header.Set("Content-Type", row.kind)
			}
		}))
		if w.Code != row.want {
			t.Errorf("%s: %d %s, want %d", row.name, w.Code, w.Body, row.want)
		}
	}
}

func TestALoopIsSlowedDown(t *testing.T) {
	s := door(t, nil)
	guessed := 0
	for range 200 {
		w := answer(s, ask("POST", "/api/v1/login", `{"token":"guess"}`, nil))
		if w.Code == http.StatusUnauthorized {
			guessed++
		}
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
			t.Fatal("no Retry-After")
		}
	}
	if guessed > 20 {
		t.Errorf("%d of 200 guesses were judged", guessed)
	}
}

func TestEveryAnswerCarriesTheGuardsHeaders(t *testing.T) {
	s := door(t, nil)
	for _, r := range []*http.Request{
		ask("GET", "/", "", nil), ask("GET", "/app.js", "", nil), ask("GET", "/none", "", nil), ask("GET", "/api/v1/status", "", nil),
		ask("POST", "/api/v1/login", "{}", nil), ask("OPTIONS", "/api/v1/sessions", "", nil), ask("GET", "/", "", func(r *http.Request) { r.Host = "evil" }),
	} {
		w := answer(s, r)
		got := map[string]string{}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Referrer-Policy"} {
			got[name] = w.Header().Get(name)
		}
		want := map[string]string{"Content-Security-Policy": ui.Policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", r.Method, r.URL, diff)
		}
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie" {
				t.Errorf("%s %s sends %s", r.Method, r.URL, name)
			}
		}
	}
}

func TestThePageIsServedCompressedAndKeepsNothingForeign(t *testing.T) {
	s := door(t, nil)
	shell := answer(s, ask("GET", "/", "", nil))
	if shell.Code != http.StatusOK || !strings.Contains(shell.Body.String(), `data-version="1.2.3"`) {
		t.Errorf("the shell: %d %s", shell.Code, shell.Body)
	}
	zipped := answer(s, ask("GET", "/app.js", "", func(r *http.Request) { r.Header.Set("Accept-Encoding", "br, gzip;q=0.8") }))
	plain := answer(s, ask("GET", "/app.js", "", func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip;q=0") }))
	if zipped.Code != http.StatusOK || plain.Code != http.StatusOK || plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("app.js: %d %v, %d %v", zipped.Code, zipped.Header(), plain.Code, plain.Header())
	}
	again := answer(s, ask("GET", "/app.js", "", func(r *http.Request) { r.Header.Set("If-None-Match", plain.Header().Get("ETag")) }))
	if again.Code != http.StatusNotModified || again.Body.Len() != 0 {
		t.Errorf("known file: %d with %d bytes", again.Code, again.Body.Len())
	}
	for name, want := range map[string]int{
		"Sec-Fetch-Site: cross-site": http.StatusForbidden, "Sec-Fetch-Site: same-origin": http.StatusOK, "Sec-Fetch-Site: none": http.StatusOK,
	} {
		key, value, _ := strings.Cut(name, ": ")
		if w := answer(s, ask("GET", "/app.js", "", func(r *http.Request) { r.Header.Set(key, value) })); w.Code != want {
			t.Errorf("%s: %d, want %d", name, w.Code, want)
		}
	}
	link := answer(s, ask("GET", "/?--settings=/etc/passwd", "", func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}))
	if link.Code != http.StatusOK || strings.Contains(link.Body.String(), "settings") {
		t.Errorf("a link from elsewhere: %d", link.Code)
	}
	if w := answer(s, ask("POST", "/", "x", nil)); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a post to the page: %d", w.Code)
	}
	for _, path := range []string{"/../go.mod", "/chunks/", "/dist/app.js", "/index.html/x"} {
		if w := answer(s, ask("GET", path, "", nil)); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestAPanicIsAnAnswer(t *testing.T) {
	s := door(t, nil) // no room is there, so the handler runs into nothing
	w := answer(s, ask("GET", "/api/v1/sessions", "", bearer(signIn(t, s))))
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), `"kind":"internal"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "goroutine") {
		t.Error("the answer shows the stack")
	}
}

func TestASlowBodyIsCutOff(t *testing.T) {
	s := door(t, nil)
	token := signIn(t, s)
	body := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	r := ask("POST", "/api/v1/approvals/c1", "", bearer(token))
	r.Header.Set("Content-Type", "application/json")
	r.Body = io.NopCloser(strings.NewReader(`{"decision":"maybe"}`))
	s.ServeHTTP(body, r)
	if len(body.deadlines) != 2 || body.deadlines[0].IsZero() || !body.deadlines[1].IsZero() {
		t.Errorf("reading is bounded while the body comes and unbounded after it: %v", body.deadlines)
	}
}

// deadlined is a connection that notes how reading from it was bounded.
type deadlined struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (d *deadlined) SetReadDeadline(at time.Time) error {
	d.deadlines = append(d.deadlines, at)
	return nil
}
