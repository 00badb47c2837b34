package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fairlead/permission"
	"fairlead/server"
	"fairlead/session"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

const writes = `
reply
  say I will write it.
  call write {"path":"a.txt","text":"new"}
reply
  say Done.
`

func TestOneMessageEndToEnd(t *testing.T) {
	h := newHouse(t, newHomes(t), writes)
	path := h.create()
	events := h.watch(path+"/events?since=0", "")
	h.say(path, server.Message{Text: "write it"})
	events.until(tool.Asked.Name)

	file := filepath.Join(h.work, "a.txt")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is there before the answer")
	}
	var rows server.Sessions
	h.do("GET", "/api/v1/sessions", nil, &rows)
	if len(rows.Sessions) != 1 || rows.Sessions[0].State != "waiting" || rows.Sessions[0].Folder != h.work {
		t.Errorf("the list: %+v", rows)
	}
	var status server.HostStatus
	h.do("GET", "/api/v1/status", nil, &status)
	if status.Running != 1 || status.Waiting != 1 || len(status.Components) == 0 {
		t.Errorf("the status: %+v", status)
	}
	var waiting server.Approvals
	h.do("GET", "/api/v1/approvals", nil, &waiting)
	var snap server.Snapshot
	h.do("GET", path, nil, &snap)
	if len(waiting.Approvals) != 1 || cmp.Diff(waiting.Approvals, snap.Approvals) != "" {
		t.Fatalf("what waits: %+v, in the snapshot %+v", waiting, snap.Approvals)
	}
	w := waiting.Approvals[0]
	h.do("POST", "/api/v1/approvals/"+w.Call, server.ApprovalAnswer{Session: string(w.Session), Decision: "approve", Hash: w.Hash}, nil)
	events.until(session.TurnEnd.Name)
	if text, err := os.ReadFile(file); err != nil || string(text) != "new" {
		t.Errorf("the file: %q, %v", text, err)
	}

	h.do("GET", path, nil, &snap)
	if len(snap.Approvals) != 0 || snap.Hash == "" || snap.Header.Folder != h.work || snap.Projections["session"] == nil || snap.Projections["mode"] == nil {
		t.Errorf("the snapshot: %+v", snap)
	}
	if status, code := h.try("POST", "/api/v1/approvals/"+w.Call, server.ApprovalAnswer{Session: string(w.Session), Decision: "deny", Hash: w.Hash}, nil); status != http.StatusConflict || code != permission.CodeAnsweredElsewhere {
		t.Errorf("a late answer: %d %s", status, code)
	}
}

func TestOlderEventsComeAsPages(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	path := h.create()
	events := h.watch(path+"/events", "")
	for range 3 {
		h.say(path, server.Message{Text: "again"})
		events.until(session.TurnEnd.Name)
	}
	var all struct {
		Events []session.Event
		First  int64
	}
	h.do("GET", path+"/events?before=100000&limit=1000", nil, &all)
	if all.First != 1 || int64(len(all.Events)) != all.Events[len(all.Events)-1].Seq {
		t.Fatalf("everything: first %d, %d events", all.First, len(all.Events))
	}
	// Going back from the end in small steps gives the same events.
	var joined []session.Event
	for before := int64(len(all.Events)) + 1; before > 1; {
		var page struct {
			Events []session.Event
			First  int64
		}
		h.do("GET", path+"/events?limit=5&before="+itoa(before), nil, &page)
		if len(page.Events) == 0 || page.First >= before {
			t.Fatalf("before %d: %+v", before, page)
		}
		joined, before = append(page.Events, joined...), page.First
	}
	if diff := cmp.Diff(seqs(all.Events), seqs(joined)); diff != "" {
		t.Errorf("the pages joined (-want +got):\n%s", diff)
	}
}

func itoa(n int64) string { b, _ := json.Marshal(n); return string(b) }

func seqs(events []session.Event) []int64 {
	var list []int64
	for _, e := range events {
		list = append(list, e.Seq)
	}
	return list
}

// text is what a viewer puts together: by message and place, dropping what it has.
type text struct {
	t     *testing.T
	have  map[string]string
	seqs  []int64
	last  string
	whole string // the reply in the end
}

func (v *text) add(f frame) {
	v.t.Helper()
	var d session.DeltaData
	switch {
	case f.live(v.t, "delta", &d):
		v.piece(d)
	case f.name == "log":
		e := f.event(v.t)
		v.seqs, v.last = append(v.seqs, e.Seq), f.id
		if session.AssistantDelta.Of(e) {
			if d, err := session.AssistantDelta.Decode(e); err == nil {
				v.piece(d)
			}
		}
		if session.AssistantMessage.Of(e) {
			d, err := session.AssistantMessage.Decode(e)
			if err != nil {
				v.t.Fatal(err)
			}
			v.whole = d.Content[0].Text
			if got := v.have[d.ID]; !strings.HasPrefix(v.whole, got) {
				v.t.Errorf("the pieces give %q, the message is %q", got, v.whole)
			}
		}
	}
}

func (v *text) piece(d session.DeltaData) {
	if d.Channel != "text" {
		return
	}
	have := v.have[d.Message]
	if d.Offset > int64(len(have)) {
		v.t.Errorf("a gap: %d bytes are there, a piece begins at %d", len(have), d.Offset)
		return
	}
	if end := d.Offset + int64(len(d.Text)); end > int64(len(have)) {
		v.have[d.Message] = have[:d.Offset] + d.Text
	}
}

const slowly = `
pace 10ms
piece 6
reply
  say
  | one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
`

func TestAViewerThatComesBackHasNoGapAndNothingTwice(t *testing.T) {
	h := newHouse(t, newHomes(t), slowly)
	path := h.create()
	seen := &text{t: t, have: map[string]string{}}
	events := h.watch(path+"/events?since=0", "")
	h.say(path, server.Message{Text: "count"})
	cuts, pieces := 0, 0
	for seen.whole == "" {
		f, ok := events.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		seen.add(f)
		var d session.DeltaData
		if f.live(t, "delta", &d) {
			pieces++
		}
		if cuts < 3 && pieces > 2*cuts+2 {
			cuts++
			events.body.Close() // the connection breaks
			events = h.watch(path+"/events", seen.last)
		}
	}
	if cuts != 3 {
		t.Fatalf("%d cuts in %d pieces", cuts, pieces)
	}
	for i, seq := range seen.seqs {
		if seq != int64(i)+1 {
			t.Fatalf("the events are %v", seen.seqs)
		}
	}
}

func TestAViewerOfAnotherLogIsReset(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "hi"})
	seen := events.until(session.ActivityEnd.Name)
	last := seen[len(seen)-1]
	for id, reset := range map[string]bool{
		last.id: false, "1": false, "0": false,
		strings.Split(last.id, ".")[0] + ".00000000": true, "100000.00000000": true, "100000": true,
	} {
		again := h.watch(path+"/events", id)
		f, ok := again.next()
		if !ok || (f.name == "reset") != reset {
			t.Errorf("with id %s the first frame is %+v", id, f)
		}
		if reset {
			var snap server.Snapshot
			if err := json.Unmarshal([]byte(f.data), &snap); err != nil || f.id != last.id || itoa(snap.Seq)+"."+snap.Hash[:8] != last.id {
				t.Errorf("reset with %s as %s, %v", f.data, f.id, err)
			}
		}
	}
	if status, _ := h.try("GET", path+"/events?since=yesterday", nil, nil); status != http.StatusBadRequest {
		t.Errorf("nonsense as a place: %d", status)
	}
}

func TestTwoWindowsAnswerTheSameQuestion(t *testing.T) {
	h := newHouse(t, newHomes(t), writes)
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "write it"})
	events.until(tool.Asked.Name)
	var waiting server.Approvals
	h.do("GET", "/api/v1/approvals?session="+strings.TrimPrefix(path, "/api/v1/sessions/"), nil, &waiting)
	w := waiting.Approvals[0]
	var both sync.WaitGroup
	answers := make([]struct {
		status int
		code   string
	}, 2)
	for i, decision := range []string{"approve", "deny"} {
		both.Go(func() {
			answers[i].status, answers[i].code = h.try("POST", "/api/v1/approvals/"+w.Call, server.ApprovalAnswer{Session: string(w.Session), Decision: decision, Hash: w.Hash}, nil)
		})
	}
	both.Wait()
	won := 0
	for _, a := range answers {
		switch {
		case a.status == http.StatusOK:
			won++
		case a.status != http.StatusConflict || a.code != permission.CodeAnsweredElsewhere:
			t.Errorf("the other answer: %d %s", a.status, a.code)
		}
	}
	if won != 1 {
		t.Errorf("%d answers counted", won)
	}
	events.until(session.TurnEnd.Name)
	_, err := os.Stat(filepath.Join(h.work, "a.txt"))
	if approved := answers[0].status == http.StatusOK; approved != (err == nil) {
		t.Errorf("approve won: %t, the file: %v", approved, err)
	}
}

func TestAFileThatChangesWhileTheCardWaitsIsAskedAgain(t *testing.T) {
	h := newHouse(t, newHomes(t), writes)
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "write it"})
	events.until(tool.Asked.Name)
	waits := func() permission.Waiting {
		var waiting server.Approvals
		h.do("GET", "/api/v1/approvals", nil, &waiting)
		if len(waiting.Approvals) != 1 {
			t.Fatalf("what waits: %+v", waiting)
		}
		return waiting.Approvals[0]
	}
	first := waits()
	if err := os.WriteFile(filepath.Join(h.work, "a.txt"), []byte("the person's own"), 0o600); err != nil {
		t.Fatal(err)
	}
	answer := func(w permission.Waiting) (int, string) {
		return h.try("POST", "/api/v1/approvals/"+w.Call, server.ApprovalAnswer{Session: string(w.Session), Decision: "approve", Hash: w.Hash}, nil)
	}
	if status, code := answer(first); status != http.StatusConflict || code != permission.CodePayloadChanged {
		t.Fatalf("the answer to the old card: %d %s", status, code)
	}
	events.until(tool.Asked.Name)
	second := waits()
	if second.Hash == first.Hash || second.Call != first.Call {
		t.Errorf("the second card: %+v", second)
	}
	if status, code := answer(second); status != http.StatusOK {
		t.Errorf("the answer to the new card: %d %s", status, code)
	}
	events.until(session.TurnEnd.Name)
}

func TestStopAnswersOnceTheTurnHasDurablyEnded(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  call endless {}\nreply\n  say never\n")
	path := h.create()
	h.do("POST", path+"/stop", struct{}{}, nil) // nothing runs
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "work"})
	events.until(session.ToolStarted.Name)
	h.do("POST", path+"/stop", struct{}{}, nil)
	var ended bool
	log, err := h.lib.Read(t.Context(), session.ID(strings.TrimPrefix(path, "/api/v1/sessions/"))) // from disk
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close(t.Context())
	for e, err := range log.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if d, err := session.TurnEnd.Decode(e); session.TurnEnd.Of(e) && err == nil {
			ended = cmp.Equal(d.Reason, session.EndReason{Kind: session.EndAborted, By: "user"})
		}
	}
	if !ended {
		t.Error("stop answered before the end of the turn was on disk")
	}
}

func TestARestartWithAWaitingQuestion(t *testing.T) {
	at := newHomes(t)
	h := newHouse(t, at, writes)
	path := h.create()
	events := h.watch(path+"/events", "")
	h.say(path, server.Message{Text: "write it"})
	seen := events.until(tool.Asked.Name)
	var waiting server.Approvals
	h.do("GET", "/api/v1/approvals", nil, &waiting)
	w := waiting.Approvals[0]
	live, err := h.lib.Open(t.Context(), w.Session)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(live.Flush(t.Context()), live.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	crashed := homes{data: t.TempDir(), work: at.work}
	if err := os.CopyFS(crashed.data, os.DirFS(at.data)); err != nil { // what a process that dies now leaves
		t.Fatal(err)
	}

	later := newHouse(t, crashed, writes)
	var snap server.Snapshot
	later.do("GET", path, nil, &snap)
	if len(snap.Approvals) != 0 || snap.Status.State != "idle" {
		t.Errorf("after the restart: %+v, waiting %+v", snap.Status, snap.Approvals)
	}
	if status, code := later.try("POST", "/api/v1/approvals/"+w.Call, server.ApprovalAnswer{Session: string(w.Session), Decision: "approve", Hash: w.Hash}, nil); status != http.StatusConflict || code != permission.CodeAnsweredElsewhere {
		t.Errorf("an answer to the card of before: %d %s", status, code)
	}
	// A viewer of before goes on from where it was and sees the end of the turn.
	again := later.watch(path+"/events", seen[len(seen)-1].id)
	var settled session.ToolResultData
	for _, f := range again.until(session.TurnEnd.Name) {
		if f.name == "reset" {
			t.Error("the log of before counts as another one")
		}
		if f.name == "log" {
			if e := f.event(t); session.ToolResult.Of(e) {
				settled, _ = session.ToolResult.Decode(e)
			}
		}
	}
	if settled.Call != w.Call || settled.Code != session.CodeNotStarted {
		t.Errorf("the call that waited: %+v", settled)
	}
	if _, err := os.Stat(filepath.Join(at.work, "a.txt")); err == nil {
		t.Error("the call ran")
	}
	// The model makes the call anew: the card is there again.
	later.say(path, server.Message{Text: "go on"})
	again.until(tool.Asked.Name)
}

func TestStoppingTheHostLosesNothing(t *testing.T) {
	for _, stage := range []struct {
		name, script string
		reached      func(*testing.T, frame) bool
		ends         int
	}{
		{"idle", writes, func(t *testing.T, f frame) bool { return f.name == "log" && session.Created.Of(f.event(t)) }, 0},
		{"streaming", slowly, func(t *testing.T, f frame) bool { return f.live(t, "delta", &session.DeltaData{}) }, 1},
		{"asking a person", writes, func(t *testing.T, f frame) bool { return f.name == "log" && tool.Asked.Of(f.event(t)) }, 1},
		{"running a tool", "reply\n  say Working on it.\n  call endless {}\nreply\n  say never\n",
			func(t *testing.T, f frame) bool { return f.name == "log" && session.ToolStarted.Of(f.event(t)) }, 1},
	} {
		t.Run(stage.name, func(t *testing.T) {
			at := newHomes(t)
			h := newHouse(t, at, stage.script)
			path := h.create()
			events := h.watch(path+"/events?since=0", "")
			if stage.ends > 0 {
				h.say(path, server.Message{Text: "work"})
			}
			seen := &text{t: t, have: map[string]string{}}
			for reached := false; !reached; {
				f, ok := events.next()
				if !ok {
					t.Fatal("the stream ended before the stage was reached")
				}
				seen.add(f)
				reached = stage.reached(t, f)
			}
			stopped := make(chan error, 1)
			go func() { stopped <- h.server.Stop(t.Context()) }()
			var last session.Event
			ends := 0
			for {
				f, ok := events.next()
				if !ok {
					break
				}
				seen.add(f)
				if f.name != "log" {
					continue
				}
				if last = f.event(t); session.TurnEnd.Of(last) {
					ends++
					if d, err := session.TurnEnd.Decode(last); err != nil || d.Reason.Kind != session.EndAborted || d.Reason.By != "shutdown" {
						t.Errorf("the turn ended with %+v, %v", d.Reason, err)
					}
				}
			}
			if err := <-stopped; err != nil {
				t.Error(err)
			}
			if ends != stage.ends {
				t.Errorf("%d ends of the turn were seen, want %d", ends, stage.ends)
			}
			h.stop()

			later := newHouse(t, at, stage.script)
			var snap server.Snapshot
			later.do("GET", path, nil, &snap)
			if last.Seq != 0 && last.Seq != snap.Seq {
				t.Errorf("the viewer saw up to %d, the log goes to %d", last.Seq, snap.Seq)
			}
			for f := range later.lines(path) {
				if session.Recovered.Of(f) || session.Incident.Of(f) {
					t.Errorf("something had to be settled: %s %s", f.Type, f.Data)
				}
			}
		})
	}
}

// lines gives the events of a session that are there.
func (h *house) lines(path string) iter.Seq[session.Event] {
	var page struct{ Events []session.Event }
	h.do("GET", path+"/events?before=100000&limit=4000", nil, &page)
	return slices.Values(page.Events)
}

func TestAConnectionThatWasNeverUsedHoldsNothingUp(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello.\n")
	idle, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	h.do("GET", "/api/v1/status", nil, nil)                        // by now the idle one was accepted
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // net/http's own wait is 5 s
	defer cancel()
	if err := h.server.Stop(ctx); err != nil {
		t.Errorf("stopping: %v", err)
	}
}
