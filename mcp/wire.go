package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/sandbox"
	"fairlead/tool"
)

const (
	// mostLineBytes is one message of a program; a longer one ends the connection.
	mostLineBytes = 48 << 20
	// A program may send that many lines at once, and that many a second on the whole.
	lineBurst   = 20_000
	linesPerSec = 1_000
	// tailBytes is what is kept of what a program writes to stderr.
	tailBytes = 4 << 10
	endGrace  = 2 * time.Second
)

// child is a program that talks on its stdin and stdout.
type child struct {
	process *sandbox.Process
	out     *messages
	errors  *tail
}

// startChild starts the program of a spec and gives the way to talk to it. It ends
// with ctx, and when the connection is closed.
func startChild(ctx context.Context, box sandbox.Sandbox, spec sandbox.Spec) (*child, sdk.Transport, error) {
	in, stdin := io.Pipe()
	read, write := io.Pipe()
	c := &child{out: &messages{to: write, left: lineBurst, at: time.Now()}, errors: &tail{}}
	spec.Stdin, spec.Stdout, spec.Stderr = in, c.out, c.errors
	p, err := box.Start(ctx, spec)
	if err != nil {
		return nil, nil, errors.Join(err, in.Close(), read.Close())
	}
	c.process = p
	go func() {
		<-p.Done()
		_ = write.Close() // pipes in memory: closing cannot fail
		_ = in.Close()
	}()
	return c, &sdk.IOTransport{Reader: read, Writer: ending{stdin, p}, MaxLineLength: mostLineBytes}, nil
}

// ending is a program's stdin; closing it gives the program a moment to end.
type ending struct {
	*io.PipeWriter
	process *sandbox.Process
}

func (e ending) Close() error {
	err := e.PipeWriter.Close()
	go e.process.End(endGrace)
	return err
}

// messages passes on the lines of a program that can be messages. Others (banners,
// warnings) are counted and left out; a flood ends the reading.
type messages struct {
	to *io.PipeWriter

	mu    sync.Mutex
	line  []byte
	noise int
	left  float64 // lines that may come now
	at    time.Time
}

var (
	errFlood = errors.New("the server floods: too many messages at once")
	errLong  = errors.New("the server sent a message of more than 48 MB")
)

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for rest := p; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			m.line = append(m.line, rest...)
			if len(m.line) > mostLineBytes {
				return 0, m.stop(errLong)
			}
			break
		}
		m.line = append(m.line, rest[:i+1]...)
		rest = rest[i+1:]
		if err := m.pass(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// pass hands the line on where it can be a message.
func (m *messages) pass() error {
	line := bytes.TrimSpace(m.line)
	defer func() {
		if m.line = m.line[:0]; cap(m.line) > 1<<20 {
			m.line = nil
		}
	}()
	now := time.Now()
	m.left = min(lineBurst, m.left+now.Sub(m.at).Seconds()*linesPerSec)
	m.at = now
	if m.left--; m.left < 0 {
		return m.stop(errFlood)
	}
	switch {
	case len(line) == 0:
		return nil
	case !message(line):
		m.noise++
		return nil
	}
	_, err := m.to.Write(append(line, '\n'))
	return err
}

// message reports whether a line is a message of JSON-RPC, or several.
func message(line []byte) bool {
	return (line[0] == '{' || line[0] == '[') && bytes.Contains(line, []byte(`"jsonrpc"`)) && json.Valid(line)
}

func (m *messages) stop(err error) error {
	_ = m.to.CloseWithError(err) // never fails
	return err
}

// skipped is how many lines were no messages.
func (m *messages) skipped() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noise
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-tailBytes):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(tool.Outside(string(t.kept)))
}

// bearing sends a key along, to the one host it is for.
type bearing struct {
	next http.RoundTripper
	host string
	key  func() string
}

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	if key := b.key(); key != "" && r.URL.Host == b.host {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return b.next.RoundTrip(r)
}
