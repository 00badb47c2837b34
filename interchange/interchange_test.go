package interchange_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/interchange"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
)

func library(t *testing.T) *session.Library {
	t.Helper()
	files := store.New(store.Options{Dir: filepath.Join(t.TempDir(), "sessions")})
	lib := session.NewLibrary(session.Options{Store: files, Version: "test"})
	t.Cleanup(func() {
		for _, err := range []error{lib.Close(context.Background()), files.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return lib
}

func bring(t *testing.T, lib *session.Library, file string) interchange.Brought {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := interchange.Bring(context.Background(), lib, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// outline tells a session's story, an event a line.
func outline(t *testing.T, lib *session.Library, id session.ID) []string {
	t.Helper()
	log, err := lib.Read(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(context.Background())
	var out []string
	for e, err := range log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprintf("%d.%d %s", e.Turn, e.Step, e.Type)
		switch {
		case session.UserMessage.Of(e):
			d, _ := session.UserMessage.Decode(e)
			s += " " + llm.Plain(d.Content)
		case session.AssistantMessage.Of(e):
			d, _ := session.AssistantMessage.Decode(e)
			for _, r := range d.Reasoning {
				s += " (" + r.Text + ")"
			}
			s += " " + llm.Plain(d.Content)
			for _, c := range d.Calls {
				s += " →" + c.ID
			}
		case session.ToolCall.Of(e):
			d, _ := session.ToolCall.Decode(e)
			s += " " + d.Call + " " + d.Tool + " " + d.Arguments
		case session.ToolResult.Of(e):
			d, _ := session.ToolResult.Decode(e)
			s += fmt.Sprintf(" %s %v %s %s", d.Call, d.Failed, d.Code, llm.Plain(d.Content))
		case session.Titled.Of(e):
			d, _ := session.Titled.Decode(e)
			s += " " + d.Title
		}
		out = append(out, s)
	}
	return out
}

const unknown = "The result of this call is not in the file that was imported. What it did is unknown."

func TestForeignSessionsBecomeWholeSessions(t *testing.T) {
	for _, c := range []struct {
		file string
		want interchange.Brought
		log  []string
	}{
		{"claude.jsonl", interchange.Brought{Origin: "claude-code", Title: "Fix the flaky timer test", Turns: 1,
			Left: map[string]int{"line of a sub-agent": 1, "line of type file-history-snapshot": 1}}, []string{
			"0.0 session/created", "1.0 turn/start", "1.0 user/message Why is timer_test flaky?",
			"1.1 step/start", "1.1 assistant/message (Look at the test first.) I read the test. →toolu_1",
			`1.1 tool/call c1 Read {"file_path":"timer_test.go"}`, "1.1 tool/result c1 false  func TestTimer", "1.1 step/end",
			"1.2 step/start", "1.2 assistant/message It sleeps instead of waiting. →toolu_2", `1.2 tool/call c2 Bash {"command":"go test"}`,
			"1.2 tool/result c2 true TOOL_OUTCOME_UNKNOWN " + unknown, "1.2 step/end", "1.0 turn/end", "0.0 session/titled Fix the flaky timer test",
		}},
		{"codex.jsonl", interchange.Brought{Origin: "codex", Title: "Count the rules in the grammar", Turns: 1,
			Left: map[string]int{"message of the product itself": 1, "result without a call": 1}}, []string{
			"0.0 session/created", "1.0 turn/start", "1.0 user/message Count the rules in the grammar",
			"1.1 step/start", "1.1 assistant/message (Use grep.)  →call_1", `1.1 tool/call c1 shell {"command":["bash","-lc","grep -c : grammar.y"]}`,
			"1.1 tool/result c1 false  42\n", "1.1 step/end", "1.2 step/start", "1.2 assistant/message There are 42 rules.", "1.2 step/end",
			"1.0 turn/end", "0.0 session/titled Count the rules in the grammar",
		}},
		{"dsh.jsonl", interchange.Brought{Origin: "dsh", Title: "Bigger title", Turns: 1, Left: map[string]int{"message from agent-instructions": 1}}, []string{
			"0.0 session/created", "1.0 turn/start", "1.0 user/message Make the title bigger",
			"1.1 step/start", "1.1 assistant/message (CSS it is.) I change the style. →t1", `1.1 tool/call c1 edit {"path":"a.css"}`,
			"1.1 tool/result c1 true  Error: no such file", "1.1 step/end", "1.0 turn/end", "0.0 session/titled Bigger title",
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			lib := library(t)
			got := bring(t, lib, "testdata/"+c.file)
			if diff := cmp.Diff(c.log, outline(t, lib, got.Session)); diff != "" {
				t.Errorf("log: %s", diff)
			}
			report, err := lib.Verify(context.Background(), got.Session)
			if err != nil || !report.Valid() {
				t.Errorf("verify: %v %v", report, err)
			}
			got.Session = ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestImportedTimesAreKept(t *testing.T) {
	lib := library(t)
	b := bring(t, lib, "testdata/codex.jsonl")
	log, err := lib.Read(context.Background(), b.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(context.Background())
	var replies []string
	for e, err := range log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if session.AssistantMessage.Of(e) {
			replies = append(replies, time.UnixMilli(e.At).UTC().Format(time.DateTime))
		}
	}
	if diff := cmp.Diff([]string{"2026-03-02 10:00:02", "2026-03-02 10:00:05"}, replies); diff != "" {
		t.Error(diff)
	}
}

func TestForeignFilesCutAnywhereGiveAWholeSessionOrNone(t *testing.T) {
	for _, file := range []string{"claude.jsonl", "codex.jsonl", "dsh.jsonl"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		lib := library(t)
		for n := 0; n < len(text); n += 97 {
			before := count(t, lib)
			b, err := interchange.Bring(context.Background(), lib, bytes.NewReader(text[:n]))
			if err != nil {
				if !fault.Is(err, fault.Invalid) || count(t, lib) != before {
					t.Errorf("%s cut at %d: %v, %d sessions", file, n, err, count(t, lib)-before)
				}
				continue
			}
			if report, err := lib.Verify(context.Background(), b.Session); err != nil || !report.Valid() {
				t.Errorf("%s cut at %d: %v %v", file, n, report, err)
			}
		}
	}
}

func count(t *testing.T, lib *session.Library) int {
	t.Helper()
	list, err := lib.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestForeignTextIsRefusedWithItsPlace(t *testing.T) {
	lib := library(t)
	for name, c := range map[string]struct{ text, want string }{
		"nothing":          {"", "no session that is known"},
		"prose":            {"hello\nworld\n", "Line 1"},
		"other JSON":       {"{\"a\":1}\n", "no session that is known"},
		"a broken middle":  {"{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n{oops\n{\"type\":\"event_msg\",\"payload\":{}}\n", "Line 2"},
		"a wrong payload":  {"{\"type\":\"session_meta\",\"payload\":{\"id\":7}}\n", "Line 1"},
		"no person":        {"{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}\n", "no message of a person"},
		"our own log":      {"{\"seq\":1,\"at\":1,\"type\":\"session/created\",\"data\":{},\"h\":\"00\"}\n", "Export the session as zip"},
		"a damaged zip":    {"PK\x03\x04 not really", "damaged"},
		"an unrelated zip": {zipOf(t, map[string]string{"a.txt": "x"}), "not an exported session"},
	} {
		_, err := interchange.Bring(context.Background(), lib, strings.NewReader(c.text))
		if err == nil || !strings.Contains(fault.Person(err), c.want) || !strings.Contains(fault.Person(err)+".", "othing was imported") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if n := count(t, lib); n != 0 {
		t.Errorf("%d sessions were made", n)
	}
}

func zipOf(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// grown makes a session with a large payload, a picture and a fork of it.
func grown(t *testing.T, lib *session.Library) (parent, fork session.ID) {
	t.Helper()
	ctx := context.Background()
	b := bring(t, lib, "testdata/claude.jsonl")
	log, err := lib.Open(ctx, b.Session)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := log.PutBlob(ctx, []byte("\x89PNG picture"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(ctx, session.UserMessage.New(2, 0, session.UserMessageData{ID: "p", Content: []llm.Part{
		{Text: strings.Repeat("long <b>text</b> ", 2000)}, {MIME: "image/png", Blob: ref.SHA256, Name: "shot.png"}}})); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	f, err := lib.Fork(ctx, b.Session, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close(ctx)
	if _, err := f.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "on the other road"})); err != nil {
		t.Fatal(err)
	}
	if err := f.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	return b.Session, f.ID()
}

func TestArchivesComeBackHashForHash(t *testing.T) {
	ctx := context.Background()
	here, there := library(t), library(t)
	parent, fork := grown(t, here)
	for _, id := range []session.ID{parent, fork} {
		var zipped bytes.Buffer
		if err := interchange.Archive(ctx, here, id, &zipped); err != nil {
			t.Fatal(err)
		}
		b, err := interchange.Bring(ctx, there, bytes.NewReader(zipped.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if b.Session != id {
			t.Errorf("came back as %s, not %s", b.Session, id)
		}
		if diff := cmp.Diff(outline(t, here, id), outline(t, there, id)); diff != "" {
			t.Error(diff)
		}
		if _, err := interchange.Bring(ctx, there, bytes.NewReader(zipped.Bytes())); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second time: %v, want a conflict", err)
		}
	}
}

func TestHostileArchivesLeaveNothing(t *testing.T) {
	ctx := context.Background()
	here := library(t)
	id, _ := grown(t, here)
	var zipped bytes.Buffer
	if err := interchange.Archive(ctx, here, id, &zipped); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	log := string(id) + "/log.jsonl"
	blob := ""
	for name := range files {
		if strings.Contains(name, "/blobs/") {
			blob = name
		}
	}
	for name, change := range map[string]func(map[string]string){
		"a name that leads out":    func(m map[string]string) { m["../../evil"] = "x" },
		"an absolute name":         func(m map[string]string) { m["/etc/x"] = "x" },
		"a name inside that rises": func(m map[string]string) { m[string(id)+"/../x"] = "x" },
		"a backslash":              func(m map[string]string) { m[string(id)+`\x`] = "x" },
		"two names alike":          func(m map[string]string) { m[string(id)+"/LOG.jsonl"] = "x" },
		"an id that leads out": func(m map[string]string) {
			m["fairlead-session.json"] = `{"product":"fairlead","format":1,"session":"../x"}`
		},
		"a newer format": func(m map[string]string) {
			m["fairlead-session.json"] = `{"product":"fairlead","format":99,"session":"x"}`
		},
		"no log":            func(m map[string]string) { delete(m, log) },
		"a changed event":   func(m map[string]string) { m[log] = strings.Replace(m[log], "flaky", "shaky", 1) },
		"a changed picture": func(m map[string]string) { m[blob] += "x" },
		"a bomb":            func(m map[string]string) { m[string(id)+"/blobs/bomb"] = strings.Repeat("\x00", 8<<20) },
	} {
		m := map[string]string{}
		for k, v := range files {
			m[k] = v
		}
		change(m)
		there := library(t)
		_, err := interchange.Bring(ctx, there, strings.NewReader(zipOf(t, m)))
		if !fault.Is(err, fault.Invalid) || count(t, there) != 0 {
			t.Errorf("%s: %v, %d sessions", name, err, count(t, there))
		}
	}
}

func TestReadableExportsHoldEverything(t *testing.T) {
	ctx := context.Background()
	lib := library(t)
	id, _ := grown(t, lib)
	log, err := lib.Read(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(ctx)
	for name, write := range map[string]func(*session.Log, io.Writer) error{"markdown": interchange.Markdown, "page": interchange.Page, "json": interchange.JSON} {
		var b bytes.Buffer
		if err := write(log, &b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range []string{"Why is timer_test flaky?", "Look at the test first.", "func TestTimer", "It sleeps instead of waiting."} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		switch name {
		case "page":
			if strings.Contains(b.String(), "<b>text") || !strings.Contains(b.String(), "data:image/png;base64,") || strings.Contains(b.String(), "ZgotmplZ") {
				t.Errorf("the page does not escape text, or lacks its picture")
			}
		case "json":
			var v struct{ Events []session.Event }
			if err := json.Unmarshal(b.Bytes(), &v); err != nil || int64(len(v.Events)) != log.Seq() {
				t.Errorf("JSON: %d of %d events, %v", len(v.Events), log.Seq(), err)
			}
		}
	}
}
