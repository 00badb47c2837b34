package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"fairlead/session"
)

// postTurn says something and answers with the turn it leads to, as frames.
func (s *Server) postTurn(w http.ResponseWriter, c *call) error {
	if err := s.underWay(); err != nil {
		return err
	}
	var m Message
	if err := c.read(&m); err != nil {
		return err
	}
	a, err := s.agent(c)
	if err != nil {
		return err
	}
	after := a.Log().Seq()
	id, err := send(c, a, m)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	out := openLines(w)
	t := turnFrames{message: id, send: out.frame}
	t.send(TurnFrame{Type: "queued", ID: id})
	frames := watch(ctx, a.Log(), after)
	for {
		if out.flush(s.now()) != nil {
			return nil // the caller is gone; the turn goes on
		}
		select {
		case f, open := <-frames:
			for open && !t.over {
				t.add(f)
				select {
				case f, open = <-frames:
					continue
				default:
				}
				break
			}
			if !open && !t.over {
				t.finish(TurnFrame{Type: "error", Code: "stopping", Message: "The session was closed before the turn ended. What it did is in its log."})
			}
			if t.over {
				_ = out.flush(s.now()) // the answer ends here either way
				return nil
			}
		case <-c.device.gone:
			return nil
		}
	}
}

// lines writes newline-delimited JSON, several lines in one write where they come at once.
type lines struct{ sse }

func openLines(w http.ResponseWriter) *lines {
	h := w.Header()
	h.Set("Content-Type", "application/x-ndjson; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	return &lines{sse{w: w, ctl: http.NewResponseController(w), last: time.Time{}}}
}

func (l *lines) frame(f TurnFrame) {
	text, err := json.Marshal(f)
	if err != nil {
		// Only Data comes from elsewhere, and an event's data is JSON already.
		text = []byte(`{"type":"error","code":"internal","message":"a frame could not be written"}`)
	}
	l.buf.Write(text)
	l.buf.WriteByte('\n')
}

// TurnFrame is one line of a turn's answer; Type says which fields are set.
type TurnFrame struct {
	Type string `json:"type"`
	// ID is the message (queued, start) or our own id of a call (tool).
	ID   string `json:"id,omitempty"`
	Turn int    `json:"turn,omitempty"`
	// Text is the piece of a delta or of reasoning. Own marks the product's own words, Key their catalog entry.
	Text string `json:"text,omitempty"`
	Own  bool   `json:"own,omitempty"`
	Key  string `json:"key,omitempty"`
	// A tool: its name, how it shows, how far it is, who denied it, what came of it.
	Name     string           `json:"name,omitempty"`
	State    string           `json:"state,omitempty"`
	DeniedBy string           `json:"deniedBy,omitempty"`
	Present  *session.Present `json:"present,omitempty"`
	View     json.RawMessage  `json:"view,omitempty"`
	// A draft of a call: bytes and lines so far, and its tail.
	Size  int64  `json:"size,omitempty"`
	Lines int    `json:"lines,omitempty"`
	Tail  string `json:"tail,omitempty"`
	// Data is the payload of a frame that passes an event on: a question, plan, list, goal.
	Data json.RawMessage `json:"data,omitempty"`
	// The end.
	Usage     any    `json:"usage,omitempty"`
	Reason    any    `json:"reason,omitempty"`
	Cancelled bool   `json:"cancelled,omitempty"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message,omitempty"`
	Details   string `json:"details,omitempty"`
}
