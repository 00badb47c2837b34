package app_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/settings"
	"fairlead/testkit"
	"fairlead/tool"
	"fairlead/web"
	"fairlead/window"
)

// TestConversations plays testdata/*.txtar: the real composition, the real tools in
// a temporary folder, and a scripted model behind real HTTP whose every request is
// judged. The comment of an archive says what it promises. Its files:
//
//	preset          the capability set of the session, the standard one where there is none
//	model           the model's part; see package scripted
//	script          the person's part, a command a line:
//	    mode WORD       the mode of the messages that follow
//	    say TEXT        send, and wait until the agent is idle
//	    send TEXT       send, and go on
//	    steer TEXT      put into the running turn
//	    wait KIND TEXT  until an event of that kind comes that holds the text
//	    approve         say yes to the call that waits
//	    deny TEXT       say no to it, in these words
//	    approve-helper  say yes, in the session, to the call of a helper that waits
//	    asked-helper    wait until a helper's call waits for a yes
//	    stop            stop the turn, and what works for the session
//	    idle            wait until the agent is idle
//	    quiet           wait until it is idle and nothing works for it any more
//	    refused CODE NAME ARGS  use a command, which fails with that code
//	    set KEY JSON    change a setting
//	    restart         end the process, start it again, and open the session
//	    patch NAME      put that file of the archive in the place of the home's patch
//	    put NAME TEXT   write a file of the folder, as the person does; \n is a line end
//	    use NAME ARGS   use a command of the session, with JSON for arguments; $CALL in
//	                    them is the call of the event waited for last
//	files/…         what is in the folder at first
//	web/HOST/PATH   what the pretend web answers there, but for the query
//	home/…          what is in the home folder at first
//	patch.yaml      rows over those of the profile
//	want.log        the log as it should be
//	want.requests   what each request adds to the one before it
//	want.files/…    what is in the folder in the end
//
// Run with -update to write the wants anew.
func TestConversations(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			play(t, path, a)
		})
	}
}

// patience is how long one conversation may take before it counts as stuck.
const patience = time.Minute

// conversation is one archive being played.
type conversation struct {
	t       *testing.T
	ctx     context.Context
	archive *txtar.Archive
	work    string
	home    string
	judge   *testkit.Judge
	server  *httptest.Server

	dialect string // of the connection
	window  int    // what the connection says of the model; 0 is nothing

	app   *app.App
	gate  *permission.Service
	agent *agent.Agent
	id    session.ID
	mode  string
	sent  int    // messages of the person so far
	seen  int64  // the event that was waited for last
	call  string // of the event waited for last
}

func play(t *testing.T, path string, a *txtar.Archive) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := &conversation{t: t, ctx: ctx, archive: a, work: t.TempDir(), home: filepath.Join(t.TempDir(), "home")}
	var err error
	if c.work, err = filepath.EvalSymlinks(c.work); err != nil {
		t.Fatal(err)
	}
	// Counts would differ with the length of the temporary folder's name.
	script, err := scripted.Parse("counting off\n" + c.file("model"))
	if err != nil {
		t.Fatal(err)
	}
	c.judge = testkit.NewJudge(scripted.Handler(script))
	c.server = httptest.NewServer(c.judge)
	t.Cleanup(c.server.Close)
	c.lay()
	c.boot()
	for n, line := range strings.Split(strings.TrimSpace(c.file("script")), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || word[0] == '#' {
			continue
		}
		if err := c.do(word, strings.TrimSpace(rest)); err != nil {
			t.Fatalf("script line %d (%s): %v\n%s", n+1, line, err, c.log())
		}
	}
	if err := c.agent.Quiet(ctx); err != nil {
		t.Fatal(err)
	}
	c.compare(path)
	if err := c.app.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// file gives a file of the archive, "" where it has none.
func (c *conversation) file(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// lay puts the archive's files into the folder and into the home folder.
func (c *conversation) lay() {
	for _, f := range c.archive.Files {
		at, name, _ := strings.Cut(f.Name, "/")
		dir := map[string]string{"files": c.work, "home": c.home}[at]
		if dir == "" || name == "" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, f.Data, 0o644)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// boot starts the process and opens the session, or makes one.
func (c *conversation) boot() {
	options := app.Options{Home: c.home, Profile: "headless", Version: "test", Environ: func(string) string { return "" }, Flags: c.rows(), Web: c.web()}
	if patch := c.file("patch.yaml"); patch != "" {
		path := filepath.Join(c.t.TempDir(), "patch.yaml")
		if err := os.WriteFile(path, []byte(patch), 0o644); err != nil {
			c.t.Fatal(err)
		}
		options.Patches = []string{path}
	}
	var err error
	if c.app, err = app.Boot(c.ctx, options); err != nil {
		c.t.Fatal(err)
	}
	gate, ok := graph.Lookup(c.app.Graph().Root().Realm(), permission.Key)
	if !ok {
		c.t.Fatal("the profile has no gate")
	}
	c.gate = gate
	if slices.ContainsFunc([]string{"approve", "deny", "asked-helper", "question.answer"}, func(word string) bool { return strings.Contains(c.file("script"), word) }) {
		c.attend()
	}
	host, err := c.app.Host()
	if err != nil {
		c.t.Fatal(err)
	}
	if c.id == "" {
		c.agent, err = host.Create(c.ctx, agent.Spec{Folder: c.work, Preset: strings.TrimSpace(c.file("preset"))})
	} else {
		c.agent, err = host.Open(c.ctx, c.id)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.id = c.agent.ID()
}

// web leads every name to the archive's pages.
func (c *conversation) web() web.Network {
	pretend := testkit.NewPretend(c.t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := c.file("web/" + r.Host + r.URL.Path)
		if page == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", http.DetectContentType([]byte(page)))
		if _, err := w.Write([]byte(page)); err != nil {
			c.t.Error(err)
		}
	}))
	return web.Network{Resolve: pretend.Resolve, Dial: pretend.Dial, Roots: pretend.Roots()}
}

// rows are those that the test itself adds: the way to the scripted model.
func (c *conversation) rows() string {
	model := map[string]any{"name": "model", "baseUrl": c.server.URL + "/v1", "default": "scripted", "prefer": true, "dialect": c.dialect}
	if c.window > 0 {
		model["models"] = []any{map[string]any{"id": "scripted", "window": c.window}}
	}
	rows := map[string]any{"rows": []any{map[string]any{"id": "model", "plugin": "connection", "config": model}}}
	text, err := json.Marshal(rows)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// attend says that a person is there to answer.
func (c *conversation) attend() {
	person := graph.Plugin{Name: "person", Apply: func(f *graph.Fiber, _ any) error { c.gate.Attend(f); return nil }}
	f, err := c.app.Graph().Root().Plug("person", person, nil)
	if err == nil {
		err = f.Ready(c.ctx)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// do carries out one command of the person's part.
func (c *conversation) do(word, rest string) error {
	ctx := c.ctx
	switch word {
	case "mode":
		c.mode = rest
		return nil
	case "say", "send", "steer":
		c.sent++
		in := agent.Input{ID: fmt.Sprintf("m%d", c.sent), Content: llm.Text(rest), Mode: c.mode}
		send := c.agent.Send
		if word == "steer" {
			send = c.agent.Steer
		}
		if _, err := send(ctx, in); err != nil || word != "say" {
			return err
		}
		return c.agent.Idle(ctx)
	case "idle":
		return c.agent.Idle(ctx)
	case "quiet":
		return c.agent.Quiet(ctx)
	case "asked-helper":
		_, err := c.helperAsks(ctx)
		return err
	case "approve-helper":
		w, err := c.helperAsks(ctx)
		if err != nil {
			return err
		}
		return c.gate.Decide(ctx, w.Call, permission.Decision{Session: string(c.id), Hash: w.Hash, Approve: true})
	case "wait":
		kind, text, _ := strings.Cut(rest, " ")
		return c.wait(ctx, kind, text)
	case "approve", "deny":
		return c.answer(ctx, permission.Decision{Approve: word == "approve", Note: rest})
	case "stop":
		return c.agent.Cancel(ctx, "user")
	case "put":
		name, text, _ := strings.Cut(rest, " ")
		return os.WriteFile(filepath.Join(c.work, filepath.FromSlash(name)), []byte(strings.ReplaceAll(text, `\n`, "\n")), 0o644)
	case "use":
		name, args, _ := strings.Cut(rest, " ")
		cmd, ok := command.Find(ctx, c.agent.Realm(), name)
		if !ok {
			return fmt.Errorf("there is no command %s", name)
		}
		_, err := cmd.Run(ctx, command.Call{Session: string(c.id), Args: json.RawMessage(strings.ReplaceAll(args, "$CALL", c.call))})
		return err
	case "set":
		key, value, _ := strings.Cut(rest, " ")
		return c.set(ctx, key, value)
	case "refused":
		code, used, _ := strings.Cut(rest, " ")
		if err := c.do("use", used); fault.CodeOf(err) != code {
			return fmt.Errorf("it is not refused with %s: %v", code, err)
		}
		return nil
	case "patch":
		if err := os.WriteFile(filepath.Join(c.home, "patch.yaml"), []byte(c.file(rest)), 0o600); err != nil {
			return err
		}
		return c.app.Reload(ctx)
	case "restart":
		if err := c.app.Close(ctx); err != nil {
			return err
		}
		c.boot()
		return nil
	}
	return fmt.Errorf("%q is no command", word)
}

// set changes a setting, as Settings does it.
func (c *conversation) set(ctx context.Context, key, text string) error {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return err
	}
	d, ok := graph.Lookup(c.agent.Realm(), settings.DocumentKey)
	if !ok {
		return errors.New("there are no settings")
	}
	_, err := d.Patch(ctx, d.Revision(), map[string]any{key: value})
	return err
}

// wait returns at the next event of a kind whose payload holds the text.
func (c *conversation) wait(ctx context.Context, kind, text string) error {
	for f, err := range c.agent.Log().Watch(ctx, c.seen) {
		if err != nil {
			return err
		}
		if f.Live != nil && "live/"+f.Live.Type == kind {
			data, err := json.Marshal(f.Live.Data)
			if err != nil || strings.Contains(string(data), text) {
				return err
			}
		}
		if f.Event != nil && f.Event.Type == kind && strings.Contains(string(f.Event.Data), text) {
			c.seen = f.Event.Seq
			var of struct{ Call string }
			if json.Unmarshal(f.Event.Data, &of) == nil {
				c.call = of.Call
			}
			return nil
		}
	}
	return fmt.Errorf("no %s came", kind)
}

// answer decides on the call that waits, when one does.
func (c *conversation) answer(ctx context.Context, d permission.Decision) error {
	if err := c.wait(ctx, tool.Asked.Name, ""); err != nil {
		return err
	}
	waiting := c.gate.Waiting(c.id)
	if len(waiting) == 0 {
		return fault.New(fault.NotFound, "test", "nothing waits")
	}
	d.Session, d.Hash = string(c.id), waiting[0].Hash
	return c.gate.Decide(ctx, waiting[0].Call, d)
}

// helperAsks waits until a call of a helper waits for a person, and can be answered
// in the conversation.
func (c *conversation) helperAsks(ctx context.Context) (permission.Waiting, error) {
	for {
		changed := c.gate.Changed()
		for _, w := range c.gate.Waiting(c.id) {
			if w.Session != c.id {
				return w, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return permission.Waiting{}, ctx.Err()
		}
	}
}

// own are the requests of the session itself, without those of its helpers.
func (c *conversation) own(list []testkit.Request) []testkit.Request {
	mine := map[string]bool{}
	for e, err := range c.agent.Log().Events(1) {
		if err != nil {
			c.t.Fatal(err)
		}
		if session.RequestHeader.Of(e) {
			d, err := session.RequestHeader.Decode(e)
			if err != nil {
				c.t.Fatal(err)
			}
			mine[d.Body] = true
		}
	}
	return slices.DeleteFunc(list, func(q testkit.Request) bool { return !mine[fmt.Sprintf("%x", sha256.Sum256(q.Body))] })
}

// log is the conversation's log as comparable text.
func (c *conversation) log() string {
	stable := c.stable()
	text, err := stable.Log(c.agent.Log().Events(1), session.AssistantDelta.Name, session.ToolProgress.Name, window.Measured.Name)
	if err != nil {
		c.t.Fatal(err)
	}
	return steady(text)
}

func (c *conversation) stable() *testkit.Stable {
	return &testkit.Stable{Replace: map[string]string{c.work: "$WORK", c.home: "$HOME", today(): "$TODAY", runtime.GOOS + "/" + runtime.GOARCH: "$SYSTEM"}, Sessions: []session.ID{c.id}}
}

// compare holds the wants against what came, or writes them.
func (c *conversation) compare(path string) {
	c.replay()
	for _, fault := range c.judge.Faults() {
		c.t.Errorf("a provider would have refused %s", fault)
	}
	c.explained()
	c.rebuilt()
	got := map[string]string{"want.log": c.log(), "want.requests": c.requests()}
	files, err := c.folder()
	if err != nil {
		c.t.Fatal(err)
	}
	for name, text := range files {
		if c.changed(name, text) {
			got["want.files/"+name] = text
		}
	}
	if testkit.Updating() {
		c.write(path, got)
		return
	}
	for _, name := range slices.Sorted(keysOf(got, c.archive)) {
		if diff := difference(c.file(name), got[name]); diff != "" {
			c.t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// explained checks that every request which does not extend the one before it is
// explained by an event.
func (c *conversation) explained() {
	breaks := 0
	for e, err := range c.agent.Log().Events(1) {
		if err != nil {
			c.t.Fatal(err)
		}
		if session.PrefixBroken.Of(e) {
			breaks++
		}
	}
	if got := c.own(c.judge.Breaks()); len(got) > breaks {
		c.t.Errorf("%d requests do not extend the one before them, %d are explained; the first breaks at %s", len(got), breaks, got[0].Break)
	}
}

// rebuilt checks that every request comes out of the log as it was sent.
func (c *conversation) rebuilt() {
	for i, q := range c.own(c.judge.Requests()) {
		sent, err := app.Request(c.agent.Log(), i+1)
		if err != nil || sent.Body != string(q.Body) {
			c.t.Errorf("request %d comes out of the log otherwise than it was sent: %v\n%s\n%+v", i+1, err, q.Body, sent)
		}
	}
}

// requests shows what each request adds to the one before it: its new messages, and
// where its tools are others, that they are.
func (c *conversation) requests() string {
	var b strings.Builder
	stable := c.stable()
	var last request
	for i, q := range c.own(c.judge.Requests()) {
		var r request
		if err := json.Unmarshal(q.Body, &r); err != nil {
			c.t.Fatal(err)
		}
		fmt.Fprintf(&b, "request %d", i+1)
		if i > 0 && !bytes.Equal(r.Tools, last.Tools) {
			b.WriteString(", other tools")
		}
		shared := 0
		for shared < min(len(r.Messages), len(last.Messages)) && bytes.Equal(r.Messages[shared], last.Messages[shared]) {
			shared++
		}
		if shared < len(last.Messages) {
			fmt.Fprintf(&b, ", breaks at message %d", shared)
		}
		b.WriteByte('\n')
		for _, m := range r.Messages[shared:] {
			if bytes.HasPrefix(m, []byte(`{"role":"system"`)) {
				m = []byte(`{"role":"system",…}`)
			}
			b.WriteString("  " + stable.Text(string(m)) + "\n")
		}
		last = r
	}
	return b.String()
}

type request struct {
	Tools    json.RawMessage   `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

// folder reads the files of the workspace.
func (c *conversation) folder() (map[string]string, error) {
	files := map[string]string{}
	root := os.DirFS(c.work)
	return files, fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, path)
		files[path] = string(text)
		return err
	})
}

// changed reports whether a file is not as it was laid.
func (c *conversation) changed(name, text string) bool {
	return !slices.ContainsFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == "files/"+name && string(f.Data) == text })
}

// write puts what came into the archive in place of its wants.
func (c *conversation) write(path string, got map[string]string) {
	out := &txtar.Archive{Comment: c.archive.Comment}
	for _, f := range c.archive.Files {
		if !strings.HasPrefix(f.Name, "want.") {
			out.Files = append(out.Files, f)
		}
	}
	for _, name := range slices.Sorted(keysOf(got, nil)) {
		out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(got[name])})
	}
	if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// replay runs the conversation again from its log: it must go the same way, and the
// log must be as it was.
func (c *conversation) replay() {
	c.t.Helper()
	before := c.agent.Log().Seq()
	r, err := app.Replay(c.ctx, c.agent.Log())
	if err != nil {
		c.t.Errorf("replay: %v", err)
		return
	}
	if r.Divergence != nil {
		c.t.Errorf("the replay goes another way: %+v", *r.Divergence)
	}
	if now := c.agent.Log().Seq(); now != before {
		c.t.Errorf("the replay wrote to the log: %d events, then %d", before, now)
	}
}
