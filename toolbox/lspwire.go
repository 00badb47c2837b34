package toolbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// mostFrame bounds one message of a language server, in bytes.
const mostFrame = 32 << 20

// rpcMessage is a message of JSON-RPC 2.0 in either direction.
type rpcMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcReceived is one that came.
type rpcReceived struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// errMethodNotFound is JSON-RPC's code for a request that is not understood.
const errMethodNotFound = -32601

// wire is a connection to a language server: requests with answers, and notices both
// ways, as messages with a header (LSP 3.17, base protocol).
type wire struct {
	out     io.Writer
	heard   func(method string, params json.RawMessage)                       // a notice
	asked   func(method string, params json.RawMessage) (result any, ok bool) // a request of the server
	writing sync.Mutex

	mu      sync.Mutex
	last    int
	waiting map[string]chan rpcReceived
	ended   chan struct{} // closed once nothing more comes
	failure error         // why; set before ended is closed
}

func newWire(out io.Writer) *wire {
	return &wire{out: out, waiting: map[string]chan rpcReceived{}, ended: make(chan struct{})}
}

// listen reads messages until in ends or holds what is no message.
func (w *wire) listen(in io.Reader) {
	r := bufio.NewReader(in)
	for {
		m, err := readFrame(r)
		if err != nil {
			w.failure = err
			close(w.ended)
			return
		}
		w.take(m)
	}
}

func readFrame(r *bufio.Reader) (m rpcReceived, err error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || size < 0 || size > mostFrame {
		return m, fmt.Errorf("a message of %q bytes", header.Get("Content-Length"))
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (w *wire) take(m rpcReceived) {
	switch {
	case m.Method != "" && len(m.ID) > 0:
		answer := rpcMessage{ID: m.ID, Error: &rpcError{Code: errMethodNotFound, Message: "not supported"}}
		if result, ok := w.asked(m.Method, m.Params); ok {
			answer.Error, answer.Result = nil, result
			if result == nil {
				answer.Result = json.RawMessage("null")
			}
		}
		go w.send(answer) // the server may read only after we have
	case m.Method != "":
		w.heard(m.Method, m.Params)
	default:
		w.mu.Lock()
		reply := w.waiting[string(m.ID)]
		delete(w.waiting, string(m.ID))
		w.mu.Unlock()
		if reply != nil {
			reply <- m
		}
	}
}

func (w *wire) send(m rpcMessage) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	b.Write(body)
	w.writing.Lock()
	defer w.writing.Unlock()
	_, err = w.out.Write(b.Bytes())
	return err
}

// notify sends what has no answer.
func (w *wire) notify(method string, params any) error {
	return w.send(rpcMessage{Method: method, Params: params})
}

// call asks and waits for the answer, the end of ctx or of the server.
func (w *wire) call(ctx context.Context, method string, params, result any) error {
	reply := make(chan rpcReceived, 1)
	w.mu.Lock()
	w.last++
	id := strconv.Itoa(w.last)
	w.waiting[id] = reply
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.waiting, id)
		w.mu.Unlock()
	}()
	sent := make(chan error, 1)
	go func() { sent <- w.send(rpcMessage{ID: json.RawMessage(id), Method: method, Params: params}) }()
	for {
		select {
		case err := <-sent:
			if err != nil {
				return err
			}
			sent = nil
		case m := <-reply:
			if m.Error != nil {
				return m.Error
			}
			if result == nil || len(m.Result) == 0 {
				return nil
			}
			return json.Unmarshal(m.Result, result)
		case <-w.ended:
			return errors.Join(errServerGone, w.failure)
		case <-ctx.Done():
			go w.notify("$/cancelRequest", map[string]any{"id": json.RawMessage(id)})
			return context.Cause(ctx)
		}
	}
}

var errServerGone = errors.New("the language server ended")
