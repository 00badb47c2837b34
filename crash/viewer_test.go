//go:build linux

package crash_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// view follows a session over SSE until the host is gone, and enters what it is
// shown into the session's ledger. It goes on from the last event it was shown.
func (s *seen) view(h *host, progress func(kind string)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q, err := h.request(ctx, "GET", "/api/v1/sessions/"+s.id+"/events?since="+s.mark(), nil)
	if err != nil {
		s.complain("events: %v", err)
		return
	}
	res, err := h.client.Do(q)
	if err != nil {
		return // killed before it answered
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		s.complain("events are answered with %s", res.Status)
		return
	}
	s.attach(1)
	defer s.attach(-1)
	in := bufio.NewReaderSize(res.Body, 1<<20)
	var name, data string
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return // a frame that did not come whole was not shown
		}
		text = strings.TrimSuffix(text, "\n")
		field, value, _ := strings.Cut(text, ": ")
		switch {
		case text == "":
			s.frame(name, data)
			progress("frame")
			progress(name)
			name, data = "", ""
		case field == "event":
			name = value
		case field == "data":
			data = value
		}
	}
}

// frame takes one frame of a stream.
func (s *seen) frame(name, data string) {
	switch name {
	case "log":
		var e line
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			s.complain("a log frame is no event: %v", err)
			return
		}
		s.shown(e)
	case "reset":
		s.complain("a viewer that was at %s was reset: an event it had been shown is gone", s.mark())
	case "live":
		if strings.Contains(data, `"state":"idle"`) {
			s.mu.Lock()
			s.idle++
			s.entered()
			s.mu.Unlock()
		}
	case "beat":
	default:
		s.complain("a frame is called %q", name)
	}
}

// mark is the viewer's place, as it tells the server.
func (s *seen) mark() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == 0 {
		return "0"
	}
	return fmt.Sprintf("%d.%s", s.last, s.events[s.last].Hash[:8])
}
