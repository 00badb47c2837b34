package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// The formats of a test: in the second a note is called a remark, in the third what
// a person says has a mark in front.
var (
	remark = session.Kind[session.NoteData]{Name: "remark", Doc: "a note, as the second format calls it"}

	toSecond session.Migration = func(e session.Event) session.Event {
		if session.Note.Of(e) {
			e.Type = remark.Name
		}
		return e
	}
	toThird session.Migration = func(e session.Event) session.Event {
		d, err := session.UserMessage.Decode(e)
		if err != nil {
			return e
		}
		d.Content = llm.Text("> " + llm.Plain(d.Content))
		if b, err := json.Marshal(d); err == nil {
			e.Data = b
		}
		return e
	}
)

// format makes a library that writes a format of the test.
func format(n int) func(*session.Options) {
	return func(o *session.Options) {
		o.Migrations = []session.Migration{toSecond, toThird}[:n-1]
		kinds := session.Kinds()
		if n > 1 {
			kinds = append(kinds, remark)
		}
		o.Kinds = session.NewKindTable(kinds, []session.AnyKind{summary})
		o.Version = "test"
	}
}

// read is what a session is to those who use it: its events, its surface and what
// its projections count.
type read struct {
	Events  []string
	Surface []string
	Remarks int
}

func asRead(t testing.TB, l *session.Log) read {
	t.Helper()
	var r read
	for _, e := range all(t, l, 1) {
		switch e.Type {
		case session.Note.Name, remark.Name:
			r.Events = append(r.Events, e.Type)
		case session.UserMessage.Name:
			r.Events = append(r.Events, llm.Plain(must(session.UserMessage.Decode(e))(t).Content))
		case session.Upgraded.Name:
			r.Events = append(r.Events, "upgraded")
		case session.Forked.Name:
			r.Events = append(r.Events, "forked")
		}
	}
	for _, e := range l.Surface() {
		r.Surface = append(r.Surface, llm.Plain(e.Message.Content))
	}
	r.Remarks = must(session.StateOf(l, counts))(t)[remark.Name]
	return r
}

func say(t testing.TB, l *session.Log, text string) {
	t.Helper()
	must(l.Append(context.Background(), session.UserMessage.New(1, 0, said(text, text))))(t)
}

func TestALogOfAnEarlierFormatIsReadAsThisOneAndGoesOnInIt(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	log := must(library(t, dir, format(1)).Create(ctx, session.CreatedData{}))(t)
	id := log.ID()
	say(t, log, "one")
	must(log.Append(ctx, note(1)))(t)
	large := strings.Repeat("large ", 4000) // its payload stands beside the log
	say(t, log, large)
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	before := bytesOf(t, logFile(dir, id))

	want := read{Events: []string{"> one", remark.Name, "> " + large}, Surface: []string{"> one", "> " + large}, Remarks: 1}
	third := library(t, dir, format(3))
	log = must(third.Read(ctx, id))(t)
	if diff := cmp.Diff(want, asRead(t, log)); diff != "" {
		t.Errorf("read only (-want +got)\n%s", diff)
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, bytesOf(t, logFile(dir, id))) {
		t.Fatal("reading a log of an earlier format changed it")
	}

	log = must(third.Open(ctx, id))(t)
	say(t, log, "two")
	must(log.Append(ctx, remark.New(0, 0, session.NoteData{Text: "new"})))(t)
	want.Events = append(want.Events, "upgraded", "two", remark.Name)
	want.Surface, want.Remarks = append(want.Surface, "two"), 2
	if diff := cmp.Diff(want, asRead(t, log)); diff != "" {
		t.Errorf("gone on with (-want +got)\n%s", diff)
	}
	earlier := must(log.SurfaceAt(3))(t)
	if len(earlier) != 1 || llm.Plain(earlier[0].Message.Content) != "> one" {
		t.Errorf("the surface as of an earlier event: %+v", earlier)
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if now := bytesOf(t, logFile(dir, id)); !bytes.HasPrefix(now, before) {
		t.Error("what stood in the log was rewritten")
	}
	if r := must(third.Verify(ctx, id))(t); !r.Valid() {
		t.Errorf("verify: %+v", r.Problems)
	}

	// From the checkpoint and from the first event it is the same, and it is told once.
	for _, part := range [][]string{nil, {"checkpoint.json"}} {
		at := copied(t, dir, id, bytesOf(t, logFile(dir, id)), part...)
		log = must(library(t, at, format(3)).Open(ctx, id))(t)
		if diff := cmp.Diff(want, asRead(t, log)); diff != "" {
			t.Errorf("opened again without %q (-want +got)\n%s", part, diff)
		}
		watched := 0
		for f, err := range log.Watch(ctx, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Event != nil && session.Note.Of(*f.Event) {
				t.Error("a viewer is shown an event of an earlier format")
			}
			if watched++; int64(watched) == log.Seq() {
				break
			}
		}
	}

	for n, version := range map[int]string{1: "test", 2: "test"} {
		_, err := library(t, dir, format(n)).Read(ctx, id)
		if fault.CodeOf(err) != session.CodeNewer || !strings.Contains(fault.Person(err), "Upgrade") && !strings.Contains(fault.Person(err), version) {
			t.Errorf("a build of format %d opens it: %v", n, err)
		}
	}
}

func TestAForkIsInTheFormatOfItsTimeAndItsHistoryInThatOfItsOwn(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	first := library(t, dir, format(1))
	parent := must(first.Create(ctx, session.CreatedData{}))(t)
	say(t, parent, "one")
	if err := parent.Close(ctx); err != nil {
		t.Fatal(err)
	}
	third := library(t, dir, format(3))
	fork := must(third.Fork(ctx, parent.ID(), 0))(t)
	say(t, fork, "two")
	want := read{Events: []string{"> one", "forked", "two"}, Surface: []string{"> one", "two"}}
	if diff := cmp.Diff(want, asRead(t, fork)); diff != "" {
		t.Errorf("a new fork (-want +got)\n%s", diff)
	}
	if err := fork.Close(ctx); err != nil {
		t.Fatal(err)
	}
	// The parent goes on in the new format, which is none of the fork's business; then
	// it is deleted, and the fork keeps what it shares as it was written.
	parent = must(third.Open(ctx, parent.ID()))(t)
	say(t, parent, "elsewhere")
	if err := parent.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for _, deleted := range []bool{false, true} {
		if deleted {
			if err := third.Delete(ctx, parent.ID()); err != nil {
				t.Fatal(err)
			}
		}
		for _, part := range []string{"", "checkpoint.json"} {
			at := t.TempDir()
			if err := os.CopyFS(at, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			if part != "" {
				if err := os.Remove(filepath.Join(at, string(fork.ID()), part)); err != nil {
					t.Fatal(err)
				}
			}
			fork = must(library(t, at, format(3)).Open(ctx, fork.ID()))(t)
			if diff := cmp.Diff(want, asRead(t, fork)); diff != "" {
				t.Errorf("parent deleted %v, without %q (-want +got)\n%s", deleted, part, diff)
			}
		}
	}
	if r := must(third.Verify(ctx, fork.ID()))(t); !r.Valid() {
		t.Errorf("verify: %+v", r.Problems)
	}
}

func TestADamagedLogOfAnEarlierFormatIsRepairedInIt(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	log := must(library(t, dir, format(1)).Create(ctx, session.CreatedData{}))(t)
	id := log.ID()
	for _, text := range []string{"one", "two", "three"} {
		say(t, log, text)
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	content := bytes.Replace(bytesOf(t, logFile(dir, id)), []byte(`{"seq":3,`), []byte(`{"sex":3,`), 1)
	at := copied(t, dir, id, content, "checkpoint.json")
	third := library(t, at, format(3))
	report := must(third.Repair(ctx, id))(t)
	if report.Kept == "" {
		t.Fatal("nothing was repaired")
	}
	log = must(third.Read(ctx, id))(t)
	want := []string{"> one", "> three", "upgraded"}
	if diff := cmp.Diff(want, asRead(t, log).Events); diff != "" {
		t.Errorf("after the repair (-want +got)\n%s", diff)
	}
}

// TestARecordWithoutAFieldThatCameLaterIsRead has the records of an earlier build,
// before each of these fields was written: nothing is refused after an upgrade.
func TestARecordWithoutAFieldThatCameLaterIsRead(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	old := func(kind string, data string) session.Draft {
		return session.Draft{Type: kind, Turn: 1, Step: 1, Data: json.RawMessage(data)}
	}
	must(log.Append(ctx,
		old(session.UserMessage.Name, `{"content":[{"text":"go"}]}`),
		old(session.AssistantMessage.Name, `{"content":[{"text":"I look."}],"calls":[{"id":"x","name":"read","arguments":"{}"}],"usage":{"input":3}}`),
		old(session.ToolCall.Name, `{"call":"c1","tool":"read"}`),
		old(session.ToolResult.Name, `{"call":"c1","modelId":"x"}`),
		old(session.AssistantMessage.Name, `{"content":[{"text":"Done."}]}`),
		old(session.TurnEnd.Name, `{}`),
		old(session.Titled.Name, `{"title":"A title"}`)))(t)
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	log = must(library(t, dir).Open(ctx, log.ID()))(t)
	var roles []llm.Role
	for _, e := range log.Surface() {
		roles = append(roles, e.Message.Role)
	}
	if diff := cmp.Diff([]llm.Role{llm.User, llm.Assistant, llm.ToolRole, llm.Assistant}, roles); diff != "" {
		t.Errorf("what the model sees (-want +got)\n%s", diff)
	}
	if m := must(session.StateOf(log, session.Meta))(t); m.Title != "A title" || m.Calls != 1 {
		t.Errorf("what the session is: %+v", m)
	}
}
