package local_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/local"
	"fairlead/llm/scripted"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// machine answers for servers by "host:port/path"; what is not there refuses.
type machine struct {
	mu    sync.Mutex
	pages map[string]string
	asked []string
}

func (m *machine) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body := ""
	if r.Body != nil {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(b)
	}
	m.asked = append(m.asked, r.URL.Path+" "+body)
	answer := func(status int, text string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
	}
	page, ok := m.pages[r.URL.Host+r.URL.Path]
	switch {
	case ok && strings.HasPrefix(page, "503 "):
		return answer(503, page[4:])
	case ok:
		return answer(200, page)
	}
	for at := range m.pages {
		if strings.HasPrefix(at, r.URL.Host) {
			return answer(404, `{"error":"Unexpected endpoint or method"}`)
		}
	}
	return nil, io.ErrUnexpectedEOF
}

func (m *machine) client() *http.Client { return &http.Client{Transport: m} }

func (m *machine) set(pages map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pages = pages
}

func ptr(b bool) *bool { return &b }

const llamaProps = `{"default_generation_settings":{"id":0,"n_ctx":8192},"total_slots":2,"model_path":"../models/Qwen3-8B.gguf","chat_template":"{% if tools %}{{ enable_thinking }}","chat_template_caps":{"supports_tools":true},"modalities":{"vision":true},"build_info":"b7000-abc"}`

func TestServersTellWhatTheyAre(t *testing.T) {
	yes, no := ptr(true), ptr(false)
	for _, c := range []struct {
		name  string
		pages map[string]string
		want  local.Server
	}{
		{"llama.cpp", map[string]string{
			"h/v1/models": `{"data":[{"id":"../models/Qwen3-8B.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
			"h/props":     llamaProps,
		}, local.Server{Kind: local.LlamaCpp, Version: "b7000-abc", Models: []llm.Model{{ID: "../models/Qwen3-8B.gguf", Name: "Qwen3-8B", Window: 8192, Slots: 2, Vision: yes, Tools: yes, Reasoning: yes, Source: "server"}}}},
		{"llama.cpp whose slots share the window", map[string]string{
			"h/v1/models": `{"data":[{"id":"qwen"}]}`,
			"h/props":     llamaProps,
			"h/slots":     `[{"id":0,"n_ctx":4096},{"id":1,"n_ctx":4096}]`,
		}, local.Server{Kind: local.LlamaCpp, Version: "b7000-abc", Models: []llm.Model{{ID: "qwen", Window: 4096, Slots: 2, Vision: yes, Tools: yes, Reasoning: yes, Source: "server"}}}},
		{"llama.cpp that tells little", map[string]string{
			"h/v1/models": `{"data":[{"id":"qwen"}]}`,
			"h/props":     `{"default_generation_settings":{"n_ctx":512}}`,
		}, local.Server{Kind: local.LlamaCpp, Models: []llm.Model{{ID: "qwen", Window: 512, Reasoning: no, Source: "server"}}}},
		{"llama.cpp while it loads", map[string]string{
			"h/v1/models": `503 {"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`,
		}, local.Server{Kind: local.LlamaCpp, Loading: true}},
		{"properties of something else", map[string]string{
			"h/v1/models": `{"data":[{"id":"m"}]}`, "h/props": `{"status":"ok"}`,
		}, local.Server{Models: []llm.Model{{ID: "m"}}}},
		{"a page where properties should be", map[string]string{
			"h/v1/models": `{"data":[{"id":"m"}]}`, "h/props": `<html>Welcome</html>`, "h/api/version": `<html>`, "h/api/v0/models": `<html>`,
		}, local.Server{Models: []llm.Model{{ID: "m"}}}},
		{"ollama, one model loaded", map[string]string{
			"h/v1/models":   `{"data":[{"id":"qwen3:8b","owned_by":"library"},{"id":"gemma:2b","owned_by":"library"}]}`,
			"h/api/version": `{"version":"0.12.0"}`,
			"h/api/show":    `{"capabilities":["completion","tools","thinking"],"model_info":{"qwen3.context_length":40960},"parameters":"temperature 0.6\nnum_ctx 16384\n"}`,
			"h/api/ps":      `{"models":[{"name":"qwen3:8b","context_length":4096,"size":10,"size_vram":8}]}`,
		}, local.Server{Kind: local.Ollama, Version: "0.12.0", Models: []llm.Model{
			{ID: "qwen3:8b", Window: 4096, Vision: no, Tools: yes, Reasoning: yes, Source: "server"},
			{ID: "gemma:2b", Window: 16384, Vision: no, Tools: yes, Reasoning: yes, Source: "server"}}}},
		{"ollama that only knows the training", map[string]string{
			"h/v1/models":   `{"data":[{"id":"qwen3:8b"}]}`,
			"h/api/version": `{"version":"0.5.0"}`,
			"h/api/show":    `{"model_info":{"qwen3.context_length":40960}}`,
		}, local.Server{Kind: local.Ollama, Version: "0.5.0", Models: []llm.Model{{ID: "qwen3:8b"}}}},
		{"ollama's embeddings", map[string]string{
			"h/v1/models":   `{"data":[{"id":"nomic"}]}`,
			"h/api/version": `{"version":"0.12.0"}`,
			"h/api/show":    `{"capabilities":["embedding"]}`,
		}, local.Server{Kind: local.Ollama, Version: "0.12.0"}},
		{"lm studio", map[string]string{
			"h/v1/models":     `{"data":[{"id":"a"},{"id":"b"},{"id":"e"}]}`,
			"h/api/v0/models": `{"data":[{"id":"a","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":4096,"capabilities":["tool_use"]},{"id":"b","type":"llm","state":"not-loaded","max_context_length":32768},{"id":"e","type":"embeddings","state":"not-loaded"}]}`,
		}, local.Server{Kind: local.LMStudio, Models: []llm.Model{{ID: "a", Window: 4096, Vision: yes, Tools: yes, Source: "server"}, {ID: "b", Vision: no}}}},
		{"lm studio, new", map[string]string{
			"h/v1/models":     `{"data":[{"id":"a"}]}`,
			"h/api/v1/models": `{"models":[{"key":"a","type":"llm","display_name":"A","max_context_length":131072,"loaded_instances":[{"id":"a","config":{"context_length":8192}}],"capabilities":{"vision":false,"trained_for_tool_use":true}},{"key":"e","type":"embedding"}]}`,
		}, local.Server{Kind: local.LMStudio, Models: []llm.Model{{ID: "a", Name: "A", Window: 8192, Vision: no, Tools: yes, Source: "server"}}}},
		{"vllm", map[string]string{
			"h/v1/models": `{"data":[{"id":"Qwen/Qwen3-8B","owned_by":"vllm","max_model_len":40960}]}`,
			"h/version":   `{"version":"0.11.0"}`,
		}, local.Server{Kind: local.VLLM, Version: "0.11.0", Models: []llm.Model{{ID: "Qwen/Qwen3-8B", Window: 40960, Source: "server"}}}},
		{"a server with nothing of its own", map[string]string{
			"h/v1/models": `{"object":"list","data":[{"id":"m","context_length":32768}]}`,
		}, local.Server{Models: []llm.Model{{ID: "m", Window: 32768, Source: "server"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &machine{pages: c.pages}
			for _, address := range []string{"http://h", "http://h/v1/"} {
				got, err := local.Probe(t.Context(), m.client(), address)
				if err != nil {
					t.Fatal(err)
				}
				c.want.Root = "http://h"
				if diff := cmp.Diff(&c.want, got, cmpopts.IgnoreUnexported(local.Server{}), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", address, diff)
				}
			}
		})
	}
}

func TestWhatIsNoServerOfModelsIsNotFound(t *testing.T) {
	m := &machine{pages: map[string]string{
		"127.0.0.1:8000/v1/models":  `<html>my site</html>`,
		"127.0.0.1:8080/v1/models":  `{"error":"not found"}`,
		"127.0.0.1:11434/v1/models": `{"data":[{"id":"m"}]}`,
	}}
	var roots []string
	for _, s := range local.Find(t.Context(), m.client(), local.Addresses()) {
		roots = append(roots, s.Root)
	}
	if !slices.Equal(roots, []string{"http://127.0.0.1:11434"}) {
		t.Errorf("found %q", roots)
	}
}

func TestServersCountTokens(t *testing.T) {
	body := []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
	probe := func(pages map[string]string) (*local.Server, *machine) {
		m := &machine{pages: pages}
		s, err := local.Probe(t.Context(), m.client(), "http://h")
		if err != nil {
			t.Fatal(err)
		}
		m.asked = nil
		return s, m
	}
	llama, m := probe(map[string]string{"h/v1/models": `{"data":[{"id":"m"}]}`, "h/props": llamaProps, "h/apply-template": `{"prompt":"<user>hi"}`, "h/tokenize": `{"tokens":[1,2,{"id":3}]}`})
	if n, err := llama.Count(t.Context(), body); n != 3 || err != nil || !strings.Contains(m.asked[1], `"content":"\u003cuser\u003ehi"`) {
		t.Errorf("llama.cpp: %d, %v, %q", n, err, m.asked)
	}
	vllm, m := probe(map[string]string{"h/v1/models": `{"data":[{"id":"m","owned_by":"vllm"}]}`, "h/tokenize": `{"count":5}`})
	if n, err := vllm.Count(t.Context(), body); n != 5 || err != nil || strings.Contains(m.asked[0], "stream") {
		t.Errorf("vllm: %d, %v, %q", n, err, m.asked)
	}
	other, _ := probe(map[string]string{"h/v1/models": `{"data":[{"id":"m"}]}`})
	if _, err := other.Count(t.Context(), body); !fault.Is(err, fault.Unavailable) || other.CanCount() {
		t.Errorf("other: %v", err)
	}
}

func TestServersTellTheirFigures(t *testing.T) {
	unknown := local.Figures{WriteRate: -1, ReadRate: -1, Busy: -1, Slots: -1, Waiting: -1, Cache: -1, Memory: -1, VideoMemory: -1}
	with := func(change func(*local.Figures)) local.Figures { f := unknown; change(&f); return f }
	for _, c := range []struct {
		name  string
		pages map[string]string
		want  local.Figures
	}{
		{"llama.cpp", map[string]string{"h/v1/models": `{"data":[{"id":"m"}]}`, "h/props": llamaProps, "h/slots": `[{"n_ctx":1,"is_processing":true},{"n_ctx":1}]`,
			"h/metrics": "# HELP x\nllamacpp:prompt_tokens_seconds 120.5\nllamacpp:predicted_tokens_seconds 30\nllamacpp:requests_deferred 2\n"},
			with(func(f *local.Figures) { f.Slots, f.Busy, f.Waiting, f.ReadRate, f.WriteRate = 2, 1, 2, 120.5, 30 })},
		{"llama.cpp without pages", map[string]string{"h/v1/models": `{"data":[{"id":"m"}]}`, "h/props": llamaProps}, unknown},
		{"vllm", map[string]string{"h/v1/models": `{"data":[{"id":"m","owned_by":"vllm"}]}`, "h/metrics": "vllm:num_requests_running{model_name=\"m\",engine=\"0\"} 1.0\nvllm:num_requests_running{engine=\"1\"} 2\nvllm:num_requests_waiting{} 0\nvllm:kv_cache_usage_perc{engine=\"0\"} 0.25\n"},
			with(func(f *local.Figures) { f.Busy, f.Waiting, f.Cache = 3, 0, 0.25 })},
		{"ollama", map[string]string{"h/v1/models": `{"data":[]}`, "h/api/version": `{"version":"1"}`, "h/api/ps": `{"models":[{"name":"a","size":10,"size_vram":8}]}`},
			with(func(f *local.Figures) { f.Memory, f.VideoMemory = 2, 8 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := local.Probe(t.Context(), (&machine{pages: c.pages}).client(), "http://h")
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Figures(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The scripted model looks like llama.cpp, so what is said about its window and its
// tokens is what it does.
func TestTheScriptedModelIsFound(t *testing.T) {
	script, err := scripted.Parse("model tiny\nwindow 100\nchars-per-token 2\nreply\n say ok")
	if err != nil {
		t.Fatal(err)
	}
	s, err := local.Probe(t.Context(), &http.Client{Transport: inProcess{scripted.Handler(script)}}, "http://h")
	if err != nil {
		t.Fatal(err)
	}
	if s.Kind != local.LlamaCpp || len(s.Models) != 1 || s.Models[0].ID != "tiny" || s.Models[0].Window != 100 {
		t.Fatalf("%+v", s)
	}
	body := `{"model":"tiny","messages":[{"role":"user","content":"hello"}]}`
	if n, err := s.Count(t.Context(), []byte(body)); err != nil || n != (len(body)+1)/2 {
		t.Errorf("%d tokens, %v", n, err)
	}
}

// inProcess serves requests by a handler.
type inProcess struct{ handler http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	reader, writer := io.Pipe()
	w := &response{header: http.Header{}, body: writer, ready: make(chan struct{}), status: 200}
	go func() {
		p.handler.ServeHTTP(w, r)
		w.WriteHeader(200)
		_ = writer.Close()
	}()
	<-w.ready
	return &http.Response{StatusCode: w.status, Header: w.header, Body: reader, Request: r}, nil
}

type response struct {
	header http.Header
	body   io.Writer
	status int
	once   sync.Once
	ready  chan struct{}
}

func (w *response) Header() http.Header { return w.header }
func (w *response) WriteHeader(status int) {
	w.once.Do(func() { w.status = status; close(w.ready) })
}
func (w *response) Write(b []byte) (int, error) { w.WriteHeader(200); return w.body.Write(b) }

func TestRoutesFollowTheServersThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{pages: map[string]string{}}
		g := graph.New(graph.Options{})
		defer func() {
			if err := g.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		opt := local.Options{Client: m.client(), Adapter: func(*local.Server) (llm.Adapter, string, error) { return scripted.New(scripted.Demo()), "chat", nil }}
		for id, p := range map[string]graph.Plugin{"llm": llm.Plugin(), "local": local.Plugin(opt)} {
			if _, err := g.Root().Plug(id, p, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		routes, _ := graph.Lookup(g.Root().Realm(), llm.RoutesKey)
		see := func() (list []string) {
			time.Sleep(11 * time.Second)
			synctest.Wait()
			for _, r := range routes.List() {
				list = append(list, r.Name)
			}
			return list
		}
		expect := func(when string, want ...string) {
			t.Helper()
			if got := see(); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		llama := map[string]string{"127.0.0.1:8080/v1/models": `{"data":[{"id":"qwen"}]}`, "127.0.0.1:8080/props": llamaProps}
		expect("nothing runs")
		m.set(map[string]string{"127.0.0.1:8080/v1/models": `503 {"error":{"message":"Loading model"}}`})
		expect("a server loads")
		m.set(llama)
		expect("it is ready", "llama.cpp/qwen")
		two := map[string]string{"127.0.0.1:8081/v1/models": `{"data":[{"id":"gemma"}]}`, "127.0.0.1:8081/props": llamaProps}
		for k, v := range llama {
			two[k] = v
		}
		m.set(two)
		expect("a second one of its kind", "llama.cpp/qwen", "llama.cpp-8081/gemma")
		view, ok := command.FindView(t.Context(), g.Root().Realm(), "engines")
		if !ok {
			t.Fatal("there is no view of the engines")
		}
		shown, err := view.Read(t.Context(), command.Query{})
		if engines := shown.([]local.Engine); err != nil || len(engines) != 2 || engines[0].Name != "llama.cpp" || len(engines[0].History) < 2 {
			t.Errorf("the view shows %+v, %v", shown, err)
		}
		m.set(llama)
		expect("one miss is forgiven", "llama.cpp/qwen", "llama.cpp-8081/gemma")
		see()
		expect("three are not", "llama.cpp/qwen")
	})
}

func FuzzProbe(f *testing.F) {
	f.Add(`{"data":[{"id":"m","owned_by":"vllm"}]}`, llamaProps)
	f.Add(`{"data":[{"id":1}]}`, `{"version":"x","models":[{}]}`)
	f.Fuzz(func(t *testing.T, list, page string) {
		m := &machine{pages: map[string]string{"h/v1/models": list}}
		for _, path := range []string{"/props", "/slots", "/version", "/api/version", "/api/show", "/api/ps", "/api/v0/models", "/api/v1/models", "/metrics", "/tokenize", "/apply-template"} {
			m.pages["h"+path] = page
		}
		s, err := local.Probe(t.Context(), m.client(), "http://h")
		if err != nil {
			return
		}
		for _, x := range s.Models {
			if x.Window < 0 || x.Window > 0 && x.Source == "" {
				t.Errorf("%+v", x)
			}
		}
		_, _ = s.Figures(t.Context())
		if n, err := s.Count(t.Context(), []byte("{}")); err == nil && n <= 0 {
			t.Errorf("counted %d", n)
		}
	})
}

func TestAServerNobodyKnowsIsAskedOnceHowItCounts(t *testing.T) {
	body := []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	for name, c := range map[string]struct {
		pages map[string]string
		want  int
		asked int // requests for two counts
	}{
		"llama.cpp":                   {map[string]string{"h/apply-template": `{"prompt":"<user>hi"}`, "h/tokenize": `{"tokens":[1,2,3]}`}, 3, 4},
		"vLLM":                        {map[string]string{"h/tokenize": `{"count":5}`}, 5, 3},
		"one that answers everything": {map[string]string{"h/apply-template": `{"error":"Unexpected endpoint"}`, "h/tokenize": `{"error":"Unexpected endpoint"}`}, 0, 3},
		"one that is stopped":         {map[string]string{}, 0, 4},
		"one that cannot count":       {map[string]string{"h/v1/models": "{}"}, 0, 2},
	} {
		m := &machine{pages: c.pages}
		counter := local.CounterAt(m.client(), "http://h/v1", local.Other)
		for range 2 {
			if n, err := counter.Count(t.Context(), body); n != c.want || (err == nil) != (c.want > 0) {
				t.Errorf("%s: %d, %v, want %d", name, n, err, c.want)
			}
		}
		if len(m.asked) != c.asked {
			t.Errorf("%s: asked %q", name, m.asked)
		}
	}
	if local.CounterAt(nil, "http://h/v1", local.Ollama) != nil {
		t.Error("Ollama is said to count")
	}
}
