package wire

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	Limits Limits
}

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
	body    io.ReadCloser
	peeked  *peeked
	events  *Events
	started bool
}

// Send posts the request and waits for the head of the answer and the first byte
// of its body. The error is an [*llm.Error] and covers every status but 2xx, with
// the server's own words. The caller closes the reply.
func (p Post) Send(ctx context.Context) (*Reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &Reply{ctx: ctx, cancel: cancel, idle: p.Limits.Idle}
	if p.Limits.First > 0 {
		r.timer = time.AfterFunc(p.Limits.First, func() { cancel(errSilent) })
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(p.Body))
	if err != nil {
		r.Close()
		return nil, &llm.Error{Code: llm.CodeRefused, RetryAfter: -1, Message: "the address cannot be used", Err: err}
	}
	for k, v := range p.Header {
		req.Header[k] = v
	}
	resp, err := p.Client.Do(req)
	if err != nil {
		err = r.failure(err)
		r.Close()
		return nil, err
	}
	r.Header, r.body = resp.Header, resp.Body
	if err := r.open(resp); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reply) open(resp *http.Response) error {
	var from io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" && !resp.Uncompressed {
		unzipped, err := gzip.NewReader(resp.Body)
		if err != nil {
			return r.failure(fmt.Errorf("the reply is not the gzip data it says it is: %w", err))
		}
		from = unzipped
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		// A server may hang in the middle of its refusal, so that too has a limit.
		r.watch(AfterFinish)
		text, _ := io.ReadAll(io.LimitReader(from, longestRefusal))
		return Classify(resp.StatusCode, resp.Header, text)
	}
	r.peeked = &peeked{r: from}
	r.Kind = r.peeked.kind()
	r.events = NewEvents(r.peeked)
	return nil
}

// Next gives the next event of a stream of events. The error is io.EOF at the end
// of the stream, else an [*llm.Error].
func (r *Reply) Next() (Event, error) {
	ev, err := r.events.Next()
	if err != nil && err != io.EOF {
		return Event{}, r.failure(err)
	}
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
	r.idle = 0
	r.watch(AfterFinish)
}

// All reads the rest of a body that is no stream, up to a limit.
func (r *Reply) All() ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r.peeked, LongestLine))
	if err != nil {
		return nil, r.failure(err)
	}
	return text, nil
}

// Close ends the request. It may be called more than once.
func (r *Reply) Close() {
	if r.timer != nil {
		r.timer.Stop()
	}
	r.cancel(nil)
	if r.body != nil {
		_ = r.body.Close() // nothing of an abandoned body is of use
	}
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

// Get asks for a small document, such as a list of models, and gives it whole.
// The error is an [*llm.Error].
func Get(ctx context.Context, client *http.Client, url string, header http.Header) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, getLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, &llm.Error{Code: llm.CodeRefused, RetryAfter: -1, Message: "the address cannot be used", Err: err}
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
		return nil, Classify(resp.StatusCode, resp.Header, text)
	}
	return text, nil
}

const (
	getLimit        = 15 * time.Second
	largestDocument = 4 << 20
)
