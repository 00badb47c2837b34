package server_test

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/permission"
	"fairlead/server"
	"fairlead/session"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

func TestSessionsAreRenamedPutAwayPinnedAndDeleted(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	first, second := h.create(), h.create()
	list := func(query string) []server.SessionRow {
		t.Helper()
		var rows server.Sessions
		h.do("GET", "/api/v1/sessions"+query, nil, &rows)
		return rows.Sessions
	}
	title, yes := "  A new\nname ", true
	h.do("PATCH", first, server.SessionChange{Title: &title, Pinned: &yes}, nil)
	h.do("PATCH", second, server.SessionChange{Archived: &yes}, nil)
	rows := list("")
	if len(rows) != 2 || rows[0].Title != "A new name" || !rows[0].Pinned || rows[0].Archived || !rows[1].Archived {
		t.Fatalf("the list: %+v", rows)
	}
	for query, want := range map[string]int{"?archived=false": 1, "?archived=true": 1, "?query=NEW": 1, "?query=old": 0, "?folder=" + h.work: 2, "?folder=/": 0,
		"?state=idle": 2, "?state=working": 0, "?limit=1": 1, "?cursor=" + string(rows[0].ID): 1} {
		if got := len(list(query)); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
	}
	empty := " "
	if status, _ := h.try("PATCH", first, server.SessionChange{Title: &empty}, nil); status != http.StatusBadRequest {
		t.Errorf("an empty title: %d", status)
	}
	events := h.watch(first+"/events", "")
	events.until(session.Titled.Name)
	h.do("DELETE", first, nil, nil)
	for { // the watched session is gone, so its stream ends
		if _, ok := events.next(); !ok {
			break
		}
	}
	if rows := list(""); len(rows) != 1 {
		t.Errorf("after deleting: %+v", rows)
	}
	for _, method := range []string{"GET", "DELETE"} {
		if status, _ := h.try(method, first, nil, nil); status != http.StatusNotFound {
			t.Errorf("%s of a deleted session: %d", method, status)
		}
	}
	if status, _ := h.try("GET", "/api/v1/sessions/..%2f..%2fetc", nil, nil); status != http.StatusNotFound && status != http.StatusBadRequest {
		t.Errorf("a path as an id: %d", status)
	}
}

func TestAFailedSessionShowsInTheList(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  fail 401 no such key\n")
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "hi"})
	events.until(session.ActivityEnd.Name)
	var rows server.Sessions
	h.do("GET", "/api/v1/sessions?state=failed", nil, &rows)
	if len(rows.Sessions) != 1 {
		t.Errorf("the list: %+v", rows)
	}
}

func TestAMessageSentTwiceIsOne(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	path := h.create()
	h.turn(path, server.Message{ID: "mine", Text: "hi"}, nil)
	h.say(path, server.Message{ID: "mine", Text: "hi"}) // the answer was lost on the way
	var snap server.Snapshot
	h.do("GET", path, nil, &snap)
	meta, err := json.Marshal(snap.Projections["session"])
	if err != nil {
		t.Fatal(err)
	}
	var state session.MetaState
	if err := json.Unmarshal(meta, &state); err != nil || state.Messages != 1 {
		t.Errorf("the session has %d messages, %v", state.Messages, err)
	}
}

func TestAttachmentsArriveAndComeBackAsBytesOnly(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say I see.\n")
	path := h.create()
	picture := "\x89PNG\r\n<script>alert(1)</script>"
	post := func(kind, body string) (int, server.Blob) {
		r := h.request("POST", path+"/blobs", nil)
		r.Body, r.ContentLength = http.NoBody, 0
		r2, err := http.NewRequestWithContext(t.Context(), "POST", r.URL.String(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r2.Header = r.Header
		r2.Header.Set("Content-Type", kind)
		res, err := h.client.Do(r2)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var b server.Blob
		if res.StatusCode == http.StatusOK {
			if err := json.NewDecoder(res.Body).Decode(&b); err != nil {
				t.Fatal(err)
			}
		}
		return res.StatusCode, b
	}
	status, blob := post("image/png", picture)
	if status != http.StatusOK || blob.Size != int64(len(picture)) {
		t.Fatalf("%d %+v", status, blob)
	}
	for _, kind := range []string{"text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", ""} {
		if status, _ := post(kind, picture); status != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %d", kind, status)
		}
	}
	res, err := h.client.Do(h.request("GET", path+"/blobs/"+blob.SHA256, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "application/octet-stream" || res.Header.Get("Content-Disposition") != "attachment" {
		t.Errorf("it comes back as %s", kind)
	}
	h.turn(path, server.Message{Text: "look", Attachments: []server.Attachment{{SHA256: blob.SHA256, MIME: "image/png", Name: "a.png"}}}, nil)
	for name, bad := range map[string]server.Attachment{
		"missing": {SHA256: strings.Repeat("a", 64), MIME: "image/png"}, "program": {SHA256: blob.SHA256, MIME: "application/x-elf"}, "path": {SHA256: "../log.jsonl", MIME: "image/png"},
	} {
		if status, _ := h.try("POST", path+"/messages", server.Message{Attachments: []server.Attachment{bad}}, nil); status < 400 || status >= 500 {
			t.Errorf("%s: %d", name, status)
		}
	}
}

// slice is a plugin of the test that registers commands and views, as slices do.
func slice() graph.Plugin {
	return graph.Plugin{Name: "slice", Apply: func(f *graph.Fiber, _ any) error {
		command.Register(f,
			command.Command{Name: "echo", Scope: command.Host, Summary: "gives back", Run: func(_ context.Context, c command.Call) (any, error) { return c.Args, nil }},
			command.Command{Name: "here", Slash: "here", Scope: command.Session, Summary: "says where", Run: func(_ context.Context, c command.Call) (any, error) { return c.Session, nil }},
			command.Command{Name: "refuse", Scope: command.Host, Run: func(context.Context, command.Call) (any, error) {
				return nil, fault.New(fault.Conflict, "slice", "No.").WithCode("busy")
			}},
		)
		command.RegisterViews(f,
			command.View{Name: "count", Scope: command.Host, Params: []string{"from"}, Read: func(_ context.Context, q command.Query) (any, error) { return q.Params, nil },
				Watch: func(_ context.Context, q command.Query) iter.Seq2[any, error] {
					return func(yield func(any, error) bool) {
						for i := range 3 {
							if !yield(i, nil) {
								return
							}
						}
						yield(nil, fault.New(fault.Unavailable, "slice", "It is over."))
					}
				}},
			command.View{Name: "search", Scope: command.Host, Params: []string{"q"}, Read: func(_ context.Context, q command.Query) (any, error) { return q.Params, nil }},
		)
		return nil
	}}
}

func TestCommandsAndViewsOfASliceNeedNoHandler(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n", slice())
	path := h.create()
	var echoed struct{ Result json.RawMessage }
	h.do("POST", "/api/v1/commands", server.Use{Name: "echo", Args: []byte(`{"a":1}`)}, &echoed)
	if string(echoed.Result) != `{"a":1}` {
		t.Errorf("echo gives %s", echoed.Result)
	}
	h.do("POST", path+"/commands", server.Use{Name: "here"}, &echoed)
	if want := `"` + strings.TrimPrefix(path, "/api/v1/sessions/") + `"`; string(echoed.Result) != want {
		t.Errorf("here gives %s, want %s", echoed.Result, want)
	}
	for _, row := range []struct {
		path, name, code string
		status           int
	}{
		{"/api/v1/commands", "refuse", "busy", http.StatusConflict},
		{"/api/v1/commands", "here", "", http.StatusNotFound},
		{path + "/commands", "echo", "", http.StatusNotFound},
		{"/api/v1/commands", "nothing", "", http.StatusNotFound},
	} {
		if status, code := h.try("POST", row.path, server.Use{Name: row.name}, nil); status != row.status || code != row.code {
			t.Errorf("%s at %s: %d %s", row.name, row.path, status, code)
		}
	}
	var read map[string]string
	h.do("GET", "/api/v1/views/count?from=2&other=3", nil, &read)
	if diff := cmp.Diff(map[string]string{"from": "2"}, read); diff != "" {
		t.Errorf("the view got (-want +got):\n%s", diff)
	}
	h.do("GET", "/api/v1/search?q=fsync", nil, &read)
	if read["q"] != "fsync" {
		t.Errorf("the search got %v", read)
	}
	watched := h.watch("/api/v1/views/count", "")
	var frames []string
	for {
		f, ok := watched.next()
		if !ok {
			break
		}
		frames = append(frames, f.name+" "+f.data)
	}
	want := []string{"view 0", "view 1", "view 2", `error {"kind":"unavailable","message":"It is over.","details":"slice: It is over."}`}
	if diff := cmp.Diff(want, frames); diff != "" {
		t.Errorf("watching (-want +got):\n%s", diff)
	}
	var list struct{ Commands []server.CommandRow }
	h.do("GET", path+"/commands", nil, &list)
	if len(list.Commands) == 0 || list.Commands[0].Name != "here" {
		t.Errorf("the session's commands: %+v", list)
	}
}

func TestTheWatchedListShowsAQuestionAtOnce(t *testing.T) {
	h := newHouse(t, newHomes(t), writes)
	path := h.create()
	rows := h.watch("/api/v1/views/sessions", "")
	states := func() string {
		f, ok := rows.next()
		var s server.Sessions
		if !ok || json.Unmarshal([]byte(f.data), &s) != nil || len(s.Sessions) != 1 {
			t.Fatalf("a frame %+v", f)
		}
		return s.Sessions[0].State
	}
	if got := states(); got != "idle" {
		t.Errorf("first %s", got)
	}
	h.say(path, server.Message{Text: "write it"})
	for states() != "waiting" {
	}
}

func TestASignedOutBrowserSeesNothingMore(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	path := h.create()
	events := h.watch(path+"/events", "")
	if _, ok := events.next(); !ok {
		t.Fatal("no stream")
	}
	var devices []server.Device
	h.do("GET", "/api/v1/views/devices", nil, &devices)
	if len(devices) != 1 {
		t.Fatalf("devices: %+v", devices)
	}
	h.do("POST", "/api/v1/commands", server.Use{Name: "device.revoke", Args: []byte(`{"id":"` + devices[0].ID + `"}`)}, nil)
	for {
		if _, ok := events.next(); !ok {
			break
		}
	}
	if status, code := h.try("GET", path, nil, nil); status != http.StatusUnauthorized || code != "login" {
		t.Errorf("after signing out: %d %s", status, code)
	}
}

func TestTheAPIDescribesItself(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]any
	}
	h.do("GET", "/api/v1/openapi.json", nil, &doc)
	operations := 0
	for _, methods := range doc.Paths {
		operations += len(methods)
	}
	if doc.OpenAPI != "3.1.0" || operations != len(h.server.Routes()) {
		t.Errorf("%d operations are described, %d are served", operations, len(h.server.Routes()))
	}
}

func TestASessionThatAnotherProcessWritesCanBeRead(t *testing.T) {
	at := newHomes(t)
	writer := newHouse(t, at, "reply\n  say Hello.\n")
	path := writer.create()
	reader := newHouse(t, at, "reply\n  say Never.\n")
	var snap server.Snapshot
	reader.do("GET", path, nil, &snap)
	if !snap.Held || snap.Header.Folder != at.work {
		t.Errorf("the snapshot: %+v", snap)
	}
	events := reader.watch(path+"/events", "")
	writer.turn(path, server.Message{Text: "hi"}, nil)
	number := int64(0)
	for _, f := range events.until(session.TurnEnd.Name) {
		if f.name != "log" {
			continue
		}
		number++
		if e := f.event(t); e.Seq != number {
			t.Errorf("event %d comes as number %d", e.Seq, number)
		}
	}
	for _, try := range []struct {
		method, path string
		body         any
	}{
		{"POST", path + "/messages", server.Message{Text: "hi"}}, {"PATCH", path, server.SessionChange{}}, {"DELETE", path, nil},
	} {
		if status, code := reader.try(try.method, try.path, try.body, nil); status != http.StatusConflict || code != session.CodeHeld {
			t.Errorf("%s %s: %d %s", try.method, try.path, status, code)
		}
	}
}

func TestAForkGoesOnFromAnEvent(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	path := h.create()
	h.turn(path, server.Message{Text: "one"}, nil)
	var before, fork server.Snapshot
	h.do("GET", path, nil, &before)
	h.turn(path, server.Message{Text: "two"}, nil)
	h.do("POST", path+"/fork", server.Fork{At: before.Seq}, &fork)
	if len(fork.Header.Lineage) != 1 || fork.Header.Lineage[0].Seq != before.Seq || fork.Held {
		t.Errorf("the fork: %+v", fork)
	}
	frames := h.turn("/api/v1/sessions/"+string(fork.ID), server.Message{Text: "another two"}, nil)
	if said(frames) != "Hello." {
		t.Errorf("the fork answers %v", outline(frames))
	}
	if status, _ := h.try("POST", path+"/fork", server.Fork{At: 1 << 40}, nil); status < 400 || status >= 500 {
		t.Errorf("a fork from nowhere: %d", status)
	}
}

func TestTheModelsThatCanBeChosenAreListed(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	var m server.Models
	h.do("GET", "/api/v1/views/models", nil, &m)
	if diff := cmp.Diff([]server.ModelRow{{Name: "test/scripted", Default: true}}, m.Models); diff != "" {
		t.Errorf("the models (-want +got):\n%s", diff)
	}
}

func TestWaitingMessagesAreChangedByCommands(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  call endless {}\nreply\n  say Hello.\n")
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "work"})
	events.until(session.ToolStarted.Name)
	for _, id := range []string{"a", "b"} {
		h.say(path, server.Message{ID: id, Text: id})
	}
	use := func(name, args string) {
		t.Helper()
		h.do("POST", path+"/commands", server.Use{Name: name, Args: []byte(args)}, nil)
	}
	use("queue.edit", `{"id":"a","text":"better"}`)
	use("queue.remove", `{"id":"b"}`)
	if status, _ := h.try("POST", path+"/commands", server.Use{Name: "queue.remove", Args: []byte(`{"id":"b"}`)}, nil); status != http.StatusNotFound {
		t.Errorf("removing it twice: %d", status)
	}
	var snap struct {
		Projections struct {
			Queue struct{ Waiting []session.Queued }
		}
	}
	h.do("GET", path, nil, &snap)
	if w := snap.Projections.Queue.Waiting; len(w) != 1 || w[0].ID != "a" || w[0].Content[0].Text != "better" {
		t.Errorf("what waits: %+v", w)
	}
	h.do("POST", path+"/stop", struct{}{}, nil)
}

func TestARuleOfASessionIsGivenAndTakenBackOverTheAPI(t *testing.T) {
	h := newHouse(t, newHomes(t), `
reply
  call write {"path":"sub/a.txt","content":"1"}
reply
  call write {"path":"sub/b.txt","content":"2"}
reply
  say Done.
reply
  call write {"path":"sub/c.txt","content":"3"}
reply
  say Done.
`)
	if err := os.Mkdir(filepath.Join(h.work, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "write"})
	asked := func() permission.Waiting {
		t.Helper()
		events.until(tool.Asked.Name)
		var waiting server.Approvals
		h.do("GET", "/api/v1/approvals", nil, &waiting)
		return waiting.Approvals[0]
	}
	w := asked()
	if len(w.Card.Wider) == 0 || w.Card.Wider[0].Scope != "session" {
		t.Fatalf("the card offers %+v", w.Card.Wider)
	}
	rule := w.Card.Wider[0].ID
	answer := server.ApprovalAnswer{Session: string(w.Session), Decision: "approve", Hash: w.Hash, Rule: "r-invented"}
	if status, _ := h.try("POST", "/api/v1/approvals/"+w.Call, answer, nil); status != http.StatusBadRequest {
		t.Errorf("a rule that the card does not offer: %d", status)
	}
	answer.Rule = rule
	h.do("POST", "/api/v1/approvals/"+w.Call, answer, nil)
	events.until(session.TurnEnd.Name) // nothing more was asked
	h.do("POST", path+"/commands", server.Use{Name: "rule.forget", Args: []byte(`{"id":"` + rule + `"}`)}, nil)
	h.say(path, server.Message{Text: "again"})
	if w := asked(); w.Tool != "write" {
		t.Errorf("asked about %s", w.Tool)
	}
}
