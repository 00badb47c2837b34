package server

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/session"
)

// events serves a log: as a stream from where the viewer is, or as JSON the events
// before some seq.
func (s *Server) events(w http.ResponseWriter, c *call) error {
	log, err := s.log(c)
	if err != nil {
		return err
	}
	defer func() { log.done() }()
	if c.URL.Query().Has("before") {
		page, err := older(c, log.Log)
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, page)
		return nil
	}
	at, err := cursorOf(c)
	if err != nil {
		return err
	}
	known, err := at.standsIn(c.Context(), log.Log)
	if err != nil {
		return err
	}
	out := openSSE(w)
	if !known {
		snapshot := s.snapshot(log)
		if err := out.event("reset", mark(snapshot.Mark), snapshot); err != nil {
			return err
		}
		at = cursor{seq: snapshot.Seq}
	}
	if a, ok := s.options.Host.Live(log.ID()); ok {
		if err := out.live("status", a.Status()); err != nil {
			return err
		}
	}
	if out.flush(s.now()) != nil { // at once, so that the viewer knows that it is connected
		return nil
	}
	seen, more := s.follow(c, out, log.Log, at.seq)
	for more && log.held && s.later(c, out) {
		// Another process writes it: look again.
		log.done()
		if log, err = s.log(c); err != nil {
			log = opened{done: func() {}}
			return nil // the viewer comes back and is told by its answer
		}
		seen, more = s.follow(c, out, log.Log, seen)
	}
	return nil
}

// lookAgain is how often a session that another process writes is read.
const lookAgain = time.Second

// later waits before a log is read again; false means that the viewer is gone.
func (s *Server) later(c *call, out *sse) bool {
	wait := time.NewTimer(lookAgain)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-c.Context().Done():
		return false
	case <-c.device.gone:
		return false
	case <-s.closing:
		return false
	}
	if s.now().Sub(out.last) >= heartbeat {
		out.beat()
	}
	return out.flush(s.now()) == nil
}

// cursor is where a viewer is: the last event it has, with the first 8 digits of
// its hash where the viewer knows them.
type cursor struct {
	seq  int64
	hash string
}

// hashDigits is how much of a hash a cursor carries.
const hashDigits = 8

func mark(m session.Mark) string {
	return strconv.FormatInt(m.Seq, 10) + "." + m.Hash[:min(hashDigits, len(m.Hash))]
}

// cursorOf reads Last-Event-ID, which a reconnecting viewer sends, or `since`.
func cursorOf(c *call) (cursor, error) {
	text := c.Header.Get("Last-Event-ID")
	if text == "" {
		text = c.URL.Query().Get("since")
	}
	if text == "" {
		return cursor{}, nil
	}
	number, hash, _ := strings.Cut(text, ".")
	seq, err := strconv.ParseInt(number, 10, 64)
	if err != nil || seq < 0 {
		return cursor{}, fault.New(fault.Invalid, "server.events", "%q is no place in a log; it is the id of an event, such as 12.9f3a01bc.", text)
	}
	return cursor{seq: seq, hash: hash}, nil
}

// standsIn reports whether the log has the event the viewer saw last.
func (at cursor) standsIn(ctx context.Context, log *session.Log) (bool, error) {
	if at.seq > log.Seq() {
		return false, nil
	}
	if at.seq == 0 || at.hash == "" {
		return true, nil
	}
	e, err := log.Event(ctx, at.seq)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return strings.HasPrefix(e.Hash, at.hash), err
}

// olderPage is a piece of the log that ends before the viewer's first event.
type olderPage struct {
	Events []session.Event `json:"events"`
	First  int64           `json:"first"`
}

const (
	olderDefault = 400
	olderMost    = 4000
)

// older gives about limit events before a seq, beginning with a turn where one
// begins in reach.
func older(c *call, log *session.Log) (olderPage, error) {
	before, err := c.number("before", 0)
	if err != nil {
		return olderPage{}, err
	}
	limit, err := c.number("limit", olderDefault)
	if err != nil {
		return olderPage{}, err
	}
	limit = min(max(limit, 1), olderMost)
	before = min(before, log.Seq()+1)
	from := max(1, before-2*limit)
	page := olderPage{Events: []session.Event{}, First: before}
	begin := -1
	for e, err := range log.Events(from) {
		if err != nil {
			return olderPage{}, err
		}
		if e.Seq >= before {
			break
		}
		if e.Seq <= before-limit && (session.TurnStart.Of(e) || e.Seq == 1) {
			begin = len(page.Events)
		}
		page.Events = append(page.Events, e)
	}
	if begin < 0 {
		begin = max(0, len(page.Events)-int(limit))
	}
	page.Events = page.Events[begin:]
	if len(page.Events) > 0 {
		page.First = page.Events[0].Seq
	}
	return page, nil
}

// follow sends everything after a seq until the viewer leaves, is signed out, the
// log closes or the server ends. It gives the last event sent, and whether the
// viewer is still there.
func (s *Server) follow(c *call, out *sse, log *session.Log, after int64) (seen int64, more bool) {
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	frames := watch(ctx, log, after)
	held := held{seen: after}
	gather := time.NewTimer(time.Hour)
	gather.Stop()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	closing := s.closing
	for {
		select {
		case f, open := <-frames:
			if !open {
				held.release(out)
				return held.seen, out.flush(s.now()) == nil
			}
			held.add(out, f)
			if held.rest(out, frames); out.due(s.now()) > 0 {
				gather.Reset(out.due(s.now()))
				continue
			}
		case <-gather.C:
		case <-beat.C:
			held.release(out)
			out.beat()
		case <-c.device.gone:
			return held.seen, false
		case <-closing:
			// Every log that is driven here is closed by now, which ends its frames;
			// one that another process writes ends here.
			closing = nil
			if _, live := s.options.Host.Live(log.ID()); !live {
				stop()
			}
			continue
		}
		held.release(out)
		if out.flush(s.now()) != nil {
			return held.seen, false
		}
	}
}

// watch turns a log's sequence into a channel. It closes when the sequence ends,
// which it does when ctx or the log does.
func watch(ctx context.Context, log *session.Log, after int64) <-chan session.Frame {
	frames := make(chan session.Frame, 64)
	go func() {
		defer close(frames)
		for f, err := range log.Watch(ctx, after) {
			if err != nil {
				return // the viewer reconnects and is told by its answer
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	return frames
}

// rest adds what is there already, without waiting.
func (h *held) rest(out *sse, frames <-chan session.Frame) {
	for out.buf.Len() < fullBuffer {
		select {
		case f, open := <-frames:
			if !open {
				return // the next reading sees it too
			}
			h.add(out, f)
		default:
			return
		}
	}
}

// held joins pieces of a streaming message that follow each other, so that a
// viewer gets a few larger ones where many small ones came at once.
type held struct {
	delta session.DeltaData
	any   bool
	seen  int64 // the last event added
}

func (h *held) add(out *sse, f session.Frame) {
	if f.Live != nil && f.Live.Type == "delta" {
		if d, ok := f.Live.Data.(session.DeltaData); ok {
			if h.any && h.delta.Message == d.Message && h.delta.Channel == d.Channel && h.delta.Call == d.Call && h.delta.Offset+int64(len(h.delta.Text)) == d.Offset {
				h.delta.Text += d.Text
				return
			}
			h.release(out)
			h.delta, h.any = d, true
			return
		}
	}
	h.release(out)
	switch {
	case f.Event != nil:
		text, err := json.Marshal(f.Event)
		if err != nil {
			return // an event came out of JSON, so it goes into JSON
		}
		out.raw("log", mark(session.Mark{Seq: f.Event.Seq, Hash: f.Event.Hash}), text)
		h.seen = f.Event.Seq
	case f.Live != nil:
		// What a slice shows live and JSON cannot hold is left out; the log has the fact.
		_ = out.live(f.Live.Type, f.Live.Data)
	}
}

func (h *held) release(out *sse) {
	if h.any {
		_ = out.live("delta", h.delta) // plain strings and numbers
		h.delta, h.any = session.DeltaData{}, false
	}
}
