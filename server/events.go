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
	if c.URL.Query().Has("before") {
		page, err := older(c, log)
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
	known, err := at.standsIn(log)
	if err != nil {
		return err
	}
	out := openSSE(w)
	if !known {
		snapshot, err := s.snapshot(log)
		if err != nil {
			return err
		}
		if err := out.event("reset", mark(snapshot.Seq, snapshot.Hash), snapshot); err != nil {
			return err
		}
		at = cursor{seq: snapshot.Seq}
	}
	if a, ok := s.options.Host.Live(log.ID()); ok {
		if err := out.live("status", a.Status()); err != nil {
			return err
		}
	}
	if out.flush(s.now()) == nil { // at once, so that the viewer knows that it is connected
		s.follow(c, out, log, at.seq)
	}
	return nil
}

// cursor is where a viewer is: the last event it has, with the first 8 digits of
// its hash where the viewer knows them.
type cursor struct {
	seq  int64
	hash string
}

// hashDigits is how much of a hash a cursor carries.
const hashDigits = 8

func mark(seq int64, hash string) string {
	return strconv.FormatInt(seq, 10) + "." + hash[:min(hashDigits, len(hash))]
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
func (at cursor) standsIn(log *session.Log) (bool, error) {
	if at.seq > log.Seq() {
		return false, nil
	}
	if at.seq == 0 || at.hash == "" {
		return true, nil
	}
	e, found, err := eventAt(log, at.seq)
	return found && strings.HasPrefix(e.Hash, at.hash), err
}

func eventAt(log *session.Log, seq int64) (session.Event, bool, error) {
	for e, err := range log.Events(seq) {
		return e, err == nil && e.Seq == seq, err
	}
	return session.Event{}, false, nil
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
// log closes or the server ends.
func (s *Server) follow(c *call, out *sse, log *session.Log, after int64) {
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	frames := watch(ctx, log, after)
	var held held
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
				_ = out.flush(s.now()) // the stream ends here either way
				return
			}
			held.add(out, f)
			if more(frames, out, &held); out.due(s.now()) > 0 {
				gather.Reset(out.due(s.now()))
				continue
			}
		case <-gather.C:
		case <-beat.C:
			held.release(out)
			out.raw("beat", "", []byte(`{}`))
		case <-c.device.gone:
			return
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
			return
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

// more adds what is there already, without waiting.
func more(frames <-chan session.Frame, out *sse, h *held) {
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
		out.raw("log", mark(f.Event.Seq, f.Event.Hash), text)
	case f.Live != nil:
		// What a slice shows live and JSON cannot hold is left out; the log has the fact.
		_ = out.live(f.Live.Type, f.Live.Data)
	}
}

func (h *held) release(out *sse) {
	if h.any {
		_ = out.live("delta", h.delta) // plain strings and numbers
		*h = held{}
	}
}
