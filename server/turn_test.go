package server_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairlead/server"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

// turn posts a message and reads the frames of its turn; seen is called for each.
func (h *house) turn(path string, m server.Message, seen func(server.TurnFrame)) []server.TurnFrame {
	h.t.Helper()
	res, err := h.client.Do(h.request("POST", path+"/turns", m))
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "application/x-ndjson") {
		text, _ := io.ReadAll(res.Body)
		h.t.Fatalf("%d %s %s", res.StatusCode, kind, text)
	}
	var frames []server.TurnFrame
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		var f server.TurnFrame
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			h.t.Fatalf("%v in %s", err, lines.Text())
		}
		frames = append(frames, f)
		if seen != nil {
			seen(f)
		}
	}
	if err := lines.Err(); err != nil {
		h.t.Fatal(err)
	}
	return frames
}

// outline is the order of the frames with what tells them apart; pieces of one
// text are one line.
func outline(frames []server.TurnFrame) []string {
	var list []string
	add := func(line string) {
		if len(list) == 0 || list[len(list)-1] != line {
			list = append(list, line)
		}
	}
	for _, f := range frames {
		switch f.Type {
		case "queue", "tool-draft": // drafts are live only: a slow viewer goes without
		case "tool":
			line := "tool " + f.Name + " " + f.State
			if f.DeniedBy != "" {
				line += " " + f.DeniedBy
			}
			add(line)
		case "delta":
			if f.Own {
				add("own words")
			} else {
				add("delta")
			}
		default:
			add(f.Type)
		}
	}
	return list
}

// said joins the answer.
func said(frames []server.TurnFrame) string {
	var text string
	for _, f := range frames {
		if f.Type == "delta" && !f.Own {
			text += f.Text
		}
	}
	return text
}

const thinks = `
piece 5
reply
  think I should write it.
  say Let me write it down.
  call write {"path":"a.txt","content":"new"}
reply
  say All is written.
`

func TestATurnIsFollowedAsFrames(t *testing.T) {
	h := newHouse(t, newHomes(t), thinks)
	path := h.create()
	frames := h.turn(path, server.Message{Text: "write it", Mode: "bypass"}, nil)
	want := []string{"queued", "start", "reasoning", "delta", "tool write queued", "tool write running", "tool write done", "delta", "done"}
	if diff := cmp.Diff(want, outline(frames)); diff != "" {
		t.Errorf("the frames (-want +got):\n%s", diff)
	}
	if got := said(frames); got != "Let me write it down.All is written." {
		t.Errorf("the answer is %q", got)
	}
	if last := frames[len(frames)-1]; last.Cancelled || last.Usage == nil {
		t.Errorf("the end: %+v", last)
	}
}

func TestAQuestionInATurnIsAFrameWithItsCard(t *testing.T) {
	h := newHouse(t, newHomes(t), thinks)
	path := h.create()
	frames := h.turn(path, server.Message{Text: "write it"}, func(f server.TurnFrame) {
		if f.Type != "tool" || f.State != "proposed" {
			return
		}
		var asked tool.AskedData
		if err := json.Unmarshal(f.Data, &asked); err != nil || asked.Card.Hero == "" || asked.Call != f.ID {
			t.Fatalf("the card: %s, %v", f.Data, err)
		}
		h.do("POST", "/api/v1/approvals/"+f.ID, server.ApprovalAnswer{Session: strings.TrimPrefix(path, "/api/v1/sessions/"), Decision: "deny", Hash: asked.Hash, Note: "not now"}, nil)
	})
	want := []string{"queued", "start", "reasoning", "delta", "tool write queued", "tool write proposed", "tool write denied person", "delta", "done"}
	if diff := cmp.Diff(want, outline(frames)); diff != "" {
		t.Errorf("the frames (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(h.work, "a.txt")); err == nil {
		t.Error("the call ran")
	}
}

func TestPlanRefusesAChangeWithoutAQuestion(t *testing.T) {
	h := newHouse(t, newHomes(t), thinks)
	frames := h.turn(h.create(), server.Message{Text: "write it", Mode: "plan"}, nil)
	want := []string{"queued", "start", "reasoning", "delta", "tool write queued", "tool write denied mode", "delta", "done"}
	if diff := cmp.Diff(want, outline(frames)); diff != "" {
		t.Errorf("the frames (-want +got):\n%s", diff)
	}
}

func TestAFailedTurnSaysSoAndEnds(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  fail 401 no such key\n")
	frames := h.turn(h.create(), server.Message{Text: "hi"}, nil)
	got := outline(frames)
	if len(got) < 3 || got[len(got)-1] != "done" || !strings.Contains(strings.Join(got, " "), "error") {
		t.Errorf("the frames: %v", got)
	}
	for _, f := range frames {
		if f.Type == "error" && (f.Code == "" || f.Message == "") {
			t.Errorf("the error: %+v", f)
		}
	}
}

func TestAStoppedTurnIsCancelled(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Working.\n  call endless {}\n")
	path := h.create()
	frames := h.turn(path, server.Message{Text: "work"}, func(f server.TurnFrame) {
		if f.Type == "tool" && f.State == "running" {
			h.do("POST", path+"/stop", struct{}{}, nil)
		}
	})
	if last := frames[len(frames)-1]; last.Type != "done" || !last.Cancelled {
		t.Errorf("the end: %+v", last)
	}
	if got := outline(frames); !slices.Contains(got, "tool endless stopped") {
		t.Errorf("the frames: %v", got)
	}
	if said(frames) != "Working." {
		t.Errorf("what was said before: %q", said(frames))
	}
}

func TestALeftTurnGoesOn(t *testing.T) {
	h := newHouse(t, newHomes(t), writes)
	path := h.create()
	events := h.watch(path+"/events", "")
	res, err := h.client.Do(h.request("POST", path+"/turns", server.Message{Text: "write it", Mode: "bypass"}))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close() // the caller leaves
	events.until("turn/end")
	if _, err := os.Stat(filepath.Join(h.work, "a.txt")); err != nil {
		t.Errorf("the turn did not go on: %v", err)
	}
}
