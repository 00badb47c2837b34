package session

import (
	"context"
	"time"
)

// A stream is logged in packs: what came within packAge, or packBytes of it.
const (
	packAge   = 250 * time.Millisecond
	packBytes = 4 << 10
)

// deltas is what has been streamed and not been packed into events yet. The
// session's lock guards it.
type deltas struct {
	packs []pack
	bytes int
	timer *time.Timer
}

// pack is one run of one channel of one message.
type pack struct {
	head DeltaData
	text []byte
}

func (p *pack) data() DeltaData {
	d := p.head
	d.Text = string(p.text)
	return d
}

// pending gives the packs as they would be logged now.
func (d *deltas) pending() []DeltaData {
	out := make([]DeltaData, len(d.packs))
	for i := range d.packs {
		out[i] = d.packs[i].data()
	}
	return out
}

func (d *deltas) add(p DeltaData) {
	d.bytes += len(p.Text)
	if n := len(d.packs); n > 0 {
		last := &d.packs[n-1]
		if h := last.head; h.Message == p.Message && h.Channel == p.Channel && h.Call == p.Call && h.Offset+int64(len(last.text)) == p.Offset {
			last.text = append(last.text, p.Text...)
			if last.head.Name == "" {
				last.head.Name = p.Name
			}
			return
		}
	}
	text := []byte(p.Text)
	p.Text = ""
	d.packs = append(d.packs, pack{p, text})
}

func (d *deltas) clear() {
	d.packs, d.bytes = nil, 0
	if d.timer != nil {
		d.timer.Stop()
	}
}

// Delta passes a piece of a stream to whoever watches, as live frame "delta", and
// keeps it for the next pack: packs become assistant/delta events every 250 ms or
// 4 KiB, and before any event that is appended meanwhile. A reply's own message
// supersedes what is not packed yet.
func (l *Log) Delta(d DeltaData) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || !l.writes {
		return
	}
	l.live(Live{Type: "delta", Data: d})
	fresh := len(l.deltas.packs) == 0
	l.deltas.add(d)
	switch {
	case l.deltas.bytes >= packBytes:
		l.flushDeltas()
	case l.deltas.timer == nil:
		l.deltas.timer = time.AfterFunc(packAge, func() { l.FlushDeltas(context.Background()) })
	case fresh:
		l.deltas.timer.Reset(packAge)
	}
}

// FlushDeltas logs what has been streamed so far. A failure (a full disk) is
// logged and drops the pack: the message itself will carry the text.
func (l *Log) FlushDeltas(context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushDeltas()
}

func (c *core) flushDeltas() {
	if err := c.packDeltas(nil); err != nil {
		c.lib.opt.Log.Warn("a pack of streamed text was not logged; its message will carry it", "session", c.id, "error", err)
	}
}

// packDeltas logs what is pending, unless the batch that follows holds the message
// that supersedes it. The caller holds the lock.
func (c *core) packDeltas(next []Event) error {
	if len(c.deltas.packs) == 0 || c.closed {
		return nil
	}
	superseded := map[string]bool{}
	for _, e := range next {
		if !AssistantMessage.Of(e) {
			continue
		}
		if d, err := AssistantMessage.Decode(e); err == nil {
			superseded[d.ID] = true
		}
	}
	var events []Event
	for _, d := range c.deltas.pending() {
		if superseded[d.Message] {
			continue
		}
		draft := AssistantDelta.New(c.state.turn, c.state.step, d)
		e, err := c.encode(draft)
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	c.deltas.clear()
	if len(events) == 0 {
		return nil
	}
	return c.commit(events, c.w.Append)
}
