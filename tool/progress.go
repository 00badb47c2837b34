package tool

import (
	"context"
	"strings"
	"sync"
	"time"

	"fairlead/session"
)

// Output of a running call reaches viewers at once and the log in packs.
const (
	packEvery = 250 * time.Millisecond
	packBytes = 4 << 10
	// packedMost bounds what a call's progress takes in the log; the result holds
	// what matters of the rest.
	packedMost = 64 << 10
)

// progress passes a call's output on.
type progress struct {
	call *Call
	fail func(error)

	mu     sync.Mutex
	pack   strings.Builder
	offset int64 // of the pack's first byte
	packed int
	timer  *time.Timer
	closed bool
}

// write is a call's Output.
func (p *progress) write(text string) {
	if text == "" {
		return
	}
	text = p.call.Redacted(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.call.Log.Live(session.Live{Type: "progress", Data: session.ToolProgressData{Call: p.call.ID, Offset: p.offset + int64(p.pack.Len()), Text: text}})
	p.pack.WriteString(text)
	switch {
	case p.pack.Len() >= packBytes:
		p.send()
	case p.timer == nil:
		p.timer = time.AfterFunc(packEvery, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if !p.closed {
				p.send()
			}
		})
	}
}

// send logs the pack. The lock is held.
func (p *progress) send() {
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
	text := p.pack.String()
	if text == "" {
		return
	}
	p.pack.Reset()
	at := p.offset
	p.offset += int64(len(text))
	if p.packed += len(text); p.packed > packedMost {
		return
	}
	_, err := p.call.Log.Append(context.Background(), session.ToolProgress.New(p.call.Turn, p.call.Step, session.ToolProgressData{Call: p.call.ID, Offset: at, Text: text}))
	if err != nil {
		p.fail(err)
	}
}

// close ends the output; what comes later is dropped. The result follows at once
// and holds it all, so a pack that is not full is not worth a line.
func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
