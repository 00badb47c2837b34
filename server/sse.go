package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"fairlead/fault"
)

// sse writes server-sent events (the HTML standard, section 9.2). It collects what
// is there at once into one write, so that a burst of small frames costs few
// system calls, and never holds back a frame that comes alone.
type sse struct {
	w    http.ResponseWriter
	ctl  *http.ResponseController
	buf  bytes.Buffer
	last time.Time
}

const (
	// heartbeat is how often a quiet stream says that it lives.
	heartbeat = 15 * time.Second
	// gathering is the least time between two writes of a stream under load: one
	// frame of a screen.
	gathering = 16 * time.Millisecond
	// fullBuffer is written at once, however short the time since the last write.
	fullBuffer = 64 << 10
	// writeLimit is how long a write may take before the viewer counts as gone.
	writeLimit = 30 * time.Second
)

// openSSE answers with the head of a stream.
func openSSE(w http.ResponseWriter) *sse {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // asks proxies not to hold frames back
	w.WriteHeader(http.StatusOK)
	return &sse{w: w, ctl: http.NewResponseController(w)}
}

// event adds a frame. JSON text has no line breaks, so one data line holds it.
func (s *sse) event(name, id string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fault.Wrap(fault.Internal, "server.stream", err, "A frame could not be written as JSON.")
	}
	s.raw(name, id, text)
	return nil
}

func (s *sse) raw(name, id string, data []byte) {
	s.buf.WriteString("event: ")
	s.buf.WriteString(name)
	if id != "" {
		s.buf.WriteString("\nid: ")
		s.buf.WriteString(id)
	}
	s.buf.WriteString("\ndata: ")
	s.buf.Write(data)
	s.buf.WriteString("\n\n")
}

// beat says that a quiet stream lives.
func (s *sse) beat() { s.raw("beat", "", []byte(`{}`)) }

// due says how long to gather more before the next write: not at all where the
// last one is long ago or much has gathered.
func (s *sse) due(now time.Time) time.Duration {
	if s.buf.Len() >= fullBuffer {
		return 0
	}
	return max(0, gathering-now.Sub(s.last))
}

// flush sends what has gathered. An error means that the viewer is gone.
func (s *sse) flush(now time.Time) error {
	if s.buf.Len() == 0 {
		return nil
	}
	s.last = now
	// A writer without deadlines (a test's recorder) is bounded by its own reader.
	_ = s.ctl.SetWriteDeadline(now.Add(writeLimit))
	_, err := s.w.Write(s.buf.Bytes())
	s.buf.Reset()
	if err != nil {
		return err
	}
	return s.ctl.Flush()
}

// liveFrame is how a live frame travels.
type liveFrame struct {
	Type string `json:"type"`
	Data any    `json:"data,omitempty"`
}

func (s *sse) live(kind string, data any) error { return s.event("live", "", liveFrame{kind, data}) }
