//go:build linux

package crash_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// line is one event as it stands in a log. It is read without the product's own
// reader, from the description of the format.
type line struct {
	Seq  int64           `json:"seq"`
	Type string          `json:"type"`
	Turn int             `json:"turn"`
	Step int             `json:"step"`
	Data json.RawMessage `json:"data"`
	Blob *struct {
		SHA256 string `json:"sha256"`
		Size   int64  `json:"size"`
	} `json:"blob"`
	Hash string `json:"h"`
}

// diskLog is a log as it lies on disk.
type diskLog struct {
	id    string
	bytes []byte // whole lines
	torn  []byte // what stands behind the last line end
	lines []line
}

// readLog reads a log, proves its chain and that every payload beside it is whole.
func (p *place) readLog(id string) (*diskLog, error) {
	dir := filepath.Join(p.home, "sessions", id)
	text, err := os.ReadFile(filepath.Join(dir, "log.jsonl"))
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	l := &diskLog{id: id, bytes: text[:end], torn: text[end:]}
	hash := id
	for raw := range bytes.Lines(l.bytes) {
		raw = bytes.TrimSuffix(raw, []byte("\n"))
		var e line
		if err := json.Unmarshal(raw, &e); err != nil {
			return l, fmt.Errorf("line %d is no event: %w", len(l.lines)+1, err)
		}
		if want := int64(len(l.lines) + 1); e.Seq != want {
			return l, fmt.Errorf("line %d has seq %d", want, e.Seq)
		}
		at := bytes.LastIndex(raw, []byte(`,"h":`))
		if at < 0 {
			return l, fmt.Errorf("event %d has no hash", e.Seq)
		}
		sum := sha256.Sum256(slices.Concat([]byte(hash), raw[:at]))
		if hash = hex.EncodeToString(sum[:])[:32]; hash != e.Hash {
			return l, fmt.Errorf("event %d (%s) breaks the chain", e.Seq, e.Type)
		}
		if e.Blob != nil {
			if e.Data, err = blob(dir, e.Blob.SHA256); err != nil {
				return l, fmt.Errorf("the payload of event %d (%s): %w", e.Seq, e.Type, err)
			}
		}
		l.lines = append(l.lines, e)
	}
	return l, nil
}

func blob(dir, sum string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(dir, "blobs", sum))
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("the blob %s holds something else", sum)
	}
	return content, nil
}

// stored names the sessions of the home.
func (p *place) stored() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(p.home, "sessions"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ids []string
	for _, e := range entries {
		if len(e.Name()) == 36 {
			ids = append(ids, e.Name())
		}
	}
	return ids, err
}

// payload is every field that is looked at in any payload.
type payload struct {
	ID      string   `json:"id"`
	Op      string   `json:"op"`
	IDs     []string `json:"ids"`
	Message *struct {
		ID string `json:"id"`
	} `json:"message"`
	Calls []struct {
		ID string `json:"id"`
	} `json:"calls"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Interrupted bool   `json:"interrupted"`
	Call        string `json:"call"`
	ModelID     string `json:"modelId"`
	Tool        string `json:"tool"`
	Arguments   string `json:"arguments"`
	Failed      bool   `json:"failed"`
	Code        string `json:"code"`
	Body        string `json:"body"`
	Reason      struct {
		Kind string `json:"kind"`
	} `json:"reason"`
}

// decode reads what is looked at; "message" of a delta is a string there, and left out.
func (e line) decode() payload {
	var d payload
	_ = json.Unmarshal(e.Data, &d) // fields of other shapes stay empty
	return d
}

// openCall is a call that has no result.
type openCall struct {
	id, modelID string
	started     bool
}

// state is what a log says is unfinished, and what it says of messages and calls.
type state struct {
	turn, step int
	activity   bool
	calls      []openCall
	lastEnd    string         // the reason of the last turn's end
	queued     map[string]int // how often a message was queued, and said
	said       map[string]int
	turnOf     map[string]int
	ends       map[int]string
	errors     []string        // ends of turns that failed, as they are written
	bodies     map[string]bool // hashes of the requests that were to be sent
	problems   []string
}

// fold tells what a log says.
func fold(lines []line) *state {
	s := &state{queued: map[string]int{}, said: map[string]int{}, turnOf: map[string]int{}, ends: map[int]string{}, bodies: map[string]bool{}}
	for _, e := range lines {
		s.add(e)
	}
	return s
}

func (s *state) bad(e line, format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf("event %d (%s): ", e.Seq, e.Type)+fmt.Sprintf(format, args...))
}

func (s *state) add(e line) {
	d := e.decode()
	switch e.Type {
	case "activity/start":
		s.activity = true
	case "activity/end":
		s.activity = false
	case "turn/start":
		if s.turn != 0 {
			s.bad(e, "turn %d is still open", s.turn)
		}
		s.turn = e.Turn
	case "turn/end":
		if s.turn != e.Turn || s.step != 0 || len(s.calls) > 0 {
			s.bad(e, "open are turn %d, step %d, calls %v", s.turn, s.step, s.calls)
		}
		s.turn, s.lastEnd = 0, d.Reason.Kind
		s.ends[e.Turn] = d.Reason.Kind
		if d.Reason.Kind == "error" {
			s.errors = append(s.errors, string(e.Data))
		}
	case "step/start":
		if s.step != 0 {
			s.bad(e, "step %d is still open", s.step)
		}
		s.step = e.Step
	case "step/end":
		if len(s.calls) > 0 {
			s.bad(e, "calls without results: %v", s.calls)
		}
		s.step = 0
	case "inbox/changed":
		if d.Op == "queued" {
			s.queued[d.Message.ID]++
		}
	case "user/message":
		s.said[d.ID]++
		s.turnOf[d.ID] = e.Turn
	case "request/header":
		s.bodies[d.Body] = true
	case "assistant/message":
		if len(s.calls) > 0 {
			s.bad(e, "calls without results: %v", s.calls)
		}
		for _, c := range d.Calls {
			s.calls = append(s.calls, openCall{modelID: c.ID})
		}
	case "tool/call":
		i := slices.IndexFunc(s.calls, func(c openCall) bool { return c.id == "" && c.modelID == d.ModelID })
		if i < 0 {
			s.bad(e, "the model made no call %q", d.ModelID)
			return
		}
		s.calls[i].id = d.Call
	case "tool/started":
		i := slices.IndexFunc(s.calls, func(c openCall) bool { return c.id == d.Call })
		if i < 0 || s.calls[i].started {
			s.bad(e, "the call %s is not waiting to start", d.Call)
			return
		}
		s.calls[i].started = true
	case "tool/result":
		i := slices.IndexFunc(s.calls, func(c openCall) bool {
			return c.id == d.Call && (c.id != "" || c.modelID == d.ModelID)
		})
		if i < 0 {
			s.bad(e, "there is no open call %q (%s)", d.Call, d.ModelID)
			return
		}
		s.calls = slices.Delete(s.calls, i, i+1)
	}
}
