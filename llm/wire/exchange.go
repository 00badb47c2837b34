package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"fairlead/llm"
)

// Limits bound the silence of a server. Zero means no limit.
type Limits struct {
	// First is the time to the first token, from the sending of the request.
	First time.Duration
	// Idle is the time between two pieces of data after it. Heartbeats do not count.
	Idle time.Duration
}

// The limits of the product. A local server has no First: it may read a long
// prompt for many minutes.
const (
	FirstLimit = 300 * time.Second
	IdleLimit  = 120 * time.Second
	// AfterFinish is how long a server that said its reply is over may take to send
	// what follows, its usage, before the reply counts as whole without it.
	AfterFinish = 5 * time.Second
)

// errSilent is the cause of a request that a limit ended.
var errSilent = errors.New("the server was silent for too long")

// Post is a request to be sent.
type Post struct {
	Client *http.Client
	URL    string
	Header http.Header
	Body   []byte
	// Ready, where it is set, holds the last byte of the body back until it returns;
	// its error gives the request up.
	Ready  func() error
	Limits Limits
	// Secret is the key that Header carries. It is taken out of whatever the server
	// says, since some repeat it.
	Secret string
	// Loading is called before each wait for a server that loads its model; false
	// gives up.
	Loading func() bool
}

// loadingPoll is the pause before a server that loads its model is asked again.
const loadingPoll = time.Second

// Reply is the stream that answers a [Post].
type Reply struct {
	// Header is that of the response.
	Header http.Header
	// Kind says what the body is, judged by its first bytes.
	Kind Kind

	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	idle    time.Duration
	secret  string
	body    io.ReadCloser
	peeked  *peeked
	events  *Events
	values  *json.Decoder
	value   json.RawMessage
	over    bool // the reply said that it is finished
	spoke   bool // at least one event came
	started bool // at least one token came
}

// Send posts the request and waits for the first byte of the answer's body, also
// while the server loads its model. The error is an [*llm.Error] and covers every
// status but 2xx, with the server's own words. The caller closes the reply.
func (p Post) Send(ctx context.Context) (*Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &Reply{ctx: ctx, cancel: cancel, idle: p.Limits.Idle, secret: p.Secret}
	if p.Limits.First > 0 {
		r.timer = time.AfterFunc(p.Limits.First, func() { cancel(errSilent) })
	}
	for {
		err := r.send(p)
		if err == nil {
			return r, nil
		}
		if err.Code != llm.CodeLoading || p.Loading == nil || !p.Loading() {
			r.Close()
			return nil, err
		}
		wait := time.NewTimer(max(loadingPoll, min(err.RetryAfter, llm.LongestWait)))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			err = r.failure(ctx.Err())
			r.Close()
			return nil, err
		}
	}
}

// body is what is sent, from its beginning.
func (p Post) body() io.Reader {
	if p.Ready == nil || len(p.Body) == 0 {
		return bytes.NewReader(p.Body)
	}
	last := len(p.Body) - 1
	return io.MultiReader(bytes.NewReader(p.Body[:last]), &held{ready: p.Ready, rest: p.Body[last:]})
}

// held is what may be read only once ready says so.
type held struct {
	ready func() error
	rest  []byte
}

func (h *held) Read(b []byte) (int, error) {
	if h.ready != nil {
		if err := h.ready(); err != nil {
			return 0, err
		}
		h.ready = nil
	}
	if len(h.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// send makes one attempt.
func (r *Reply) send(p Post) *llm.Error {
	req, err := http.NewRequestWithContext(r.ctx, http.MethodPost, p.URL, p.body())
	if err != nil {
		return &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the address cannot be used", Err: err}
	}
	req.Header = p.Header
	if p.Ready != nil {
		req.ContentLength = int64(len(p.Body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(p.body()), nil }
	}
	resp, err := p.Client.Do(req)
	if err != nil {
		return r.failure(err)
	}
	if r.body != nil {
		_ = r.body.Close() // of the attempt before: it was read
	}
	r.Header, r.body = resp.Header, resp.Body
	var from io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" && !resp.Uncompressed {
		if from, err = gzip.NewReader(resp.Body); err != nil {
			return r.failure(fmt.Errorf("the reply is not the gzip data it says it is: %w", err))
		}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return r.refusal(resp, from)
	}
	r.peeked = &peeked{r: from}
	r.Kind = r.peeked.kind()
	if err := r.peeked.err; err != nil && err != io.EOF {
		return r.failure(err)
	}
	r.events, r.values = NewEvents(r.peeked), json.NewDecoder(r.peeked)
	return nil
}

// refusal reads the body of a status that says no. A server may hang in the middle
// of it, so that the reading has a limit of its own; what came by then is used.
func (r *Reply) refusal(resp *http.Response, from io.Reader) *llm.Error {
	stop := time.AfterFunc(AfterFinish, func() { _ = resp.Body.Close() })
	defer stop.Stop()
	text, _ := io.ReadAll(io.LimitReader(from, longestRefusal)) // half a refusal is a refusal
	return scrub(Classify(resp.StatusCode, resp.Header, text), r.secret)
}

// Refused gives the error that came as data inside a reply.
func (r *Reply) Refused(data []byte) *llm.Error {
	e := Classify(http.StatusOK, r.Header, data)
	e.Started = r.started
	return scrub(e, r.secret)
}

// scrub takes a key out of what a server says about it.
func scrub(e *llm.Error, key string) *llm.Error {
	if len(key) >= shortestSecret {
		e.Message = strings.ReplaceAll(e.Message, key, "(key)")
	}
	return e
}

// The end of a finished reply may take this long and be this many bytes.
const (
	endLimit   = time.Second
	longestEnd = 64 << 10
)

// shortestSecret keeps dummy keys such as "x" from being taken out of every word.
const shortestSecret = 8

// Next gives the next event of a stream, or the next value of a body of JSON
// values. The error is io.EOF at the end of a body that held at least one, else an
// [*llm.Error].
func (r *Reply) Next() (Event, error) {
	var ev Event
	var err error
	switch r.Kind {
	case KindEvents:
		ev, err = r.events.Next()
	case KindJSON:
		err = r.values.Decode(&r.value)
		ev.Data = r.value
	default:
		text, err := io.ReadAll(io.LimitReader(r.peeked, longestRefusal))
		if err != nil {
			return Event{}, r.failure(err)
		}
		if r.Kind == KindMarkup {
			return Event{}, r.Refused(text)
		}
		return Event{}, &llm.Error{Code: llm.CodeEmpty, RetryAfter: -1, Message: "the server answered without a word"}
	}
	if err == io.EOF && !r.spoke {
		return Event{}, r.Refused(r.events.Foreign())
	}
	if err != nil && err != io.EOF {
		return Event{}, r.failure(err)
	}
	r.spoke = true
	if r.started && r.idle > 0 {
		r.watch(r.idle)
	}
	return ev, err
}

// Started says that the first token has come: from now on the idle limit holds.
func (r *Reply) Started() {
	if r.started {
		return
	}
	r.started = true
	if r.idle > 0 {
		r.watch(r.idle)
	} else if r.timer != nil {
		r.timer.Stop()
	}
}

// Finished says that the reply itself is over: what may still follow has
// [AfterFinish] to come.
func (r *Reply) Finished() {
	r.over = true
	r.idle = 0
	r.watch(AfterFinish)
}

// Close ends the request. It may be called more than once.
func (r *Reply) Close() {
	if r.timer != nil {
		r.timer.Stop()
	}
	body := r.body
	r.body = nil
	if r.over && body != nil {
		go r.giveBack(body)
		return
	}
	r.cancel(nil)
	if body != nil {
		_ = body.Close() // nothing of an abandoned body is of use
	}
}

// giveBack reads the end of a reply that is over, so that its connection serves the
// next request: servers send it a moment after the last event. Nobody waits for it.
func (r *Reply) giveBack(body io.ReadCloser) {
	late := time.AfterFunc(endLimit, func() { r.cancel(nil) })
	_, _ = io.CopyN(io.Discard, body, longestEnd) // an end that does not come costs the connection
	late.Stop()
	r.cancel(nil)
	_ = body.Close()
}

func (r *Reply) watch(limit time.Duration) {
	if r.timer == nil {
		r.timer = time.AfterFunc(limit, func() { r.cancel(errSilent) })
		return
	}
	r.timer.Reset(limit)
}

// failure gives an error of the transport its code.
func (r *Reply) failure(err error) *llm.Error {
	e := &llm.Error{Code: llm.CodeTransport, RetryAfter: -1, Started: r.started, Err: err}
	switch cause := context.Cause(r.ctx); {
	case cause == errSilent:
		e.Code, e.Err = llm.CodeTimeout, cause
	case r.ctx.Err() != nil:
		e.Code, e.Err = llm.CodeInterrupted, cause
	case r.started || r.peeked != nil:
		e.Code = llm.CodeStreamCut
	}
	return e
}

// Ask asks for a small document, such as a list of models, and gives it whole: with
// a GET, or where there is a body with a POST. The error is an [*llm.Error].
func Ask(ctx context.Context, client *http.Client, url string, header http.Header, body io.Reader) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the address cannot be used", Err: err}
	}
	req.Header = header
	resp, err := client.Do(req)
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeTransport, RetryAfter: -1, Err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, largestDocument))
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeTransport, RetryAfter: -1, Err: err}
	}
	if resp.StatusCode != http.StatusOK {
		e := Classify(resp.StatusCode, resp.Header, text)
		for _, name := range []string{"Authorization", "X-Api-Key"} {
			scrub(e, strings.TrimPrefix(header.Get(name), "Bearer "))
		}
		return nil, e
	}
	return text, nil
}

const (
	askLimit        = 15 * time.Second
	largestDocument = 4 << 20
)
