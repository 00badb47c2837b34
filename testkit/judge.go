package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Judge stands before a model's endpoint and judges every request to it. What a
// strict provider would refuse is answered with 400 and kept as a fault; every
// other request is passed on.
type Judge struct {
	next     http.Handler
	mu       sync.Mutex
	requests []*Request
}

// NewJudge puts a judge before an endpoint.
func NewJudge(next http.Handler) *Judge { return &Judge{next: next} }

// Request is one request for a reply, as it was sent.
type Request struct {
	// Path ends in the name of the wire: chat/completions, messages or responses.
	Path string
	Body []byte
	// Fault says what a provider would refuse; empty for a sound request.
	Fault string
	// Before is the index of the request that this one follows in its conversation,
	// -1 for the first one.
	Before int
	// Break says where the request does not extend the one before it ("tools",
	// "system", "message 3"); empty where it does.
	Break string

	parts parts
}

// parts are what a server reads of a request, in the order in which it reads it.
type parts struct {
	tools, system json.RawMessage
	messages      []json.RawMessage
}

// ServeHTTP judges requests for replies and passes everything else on.
func (j *Judge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wire := wireOf(r.URL.Path)
	if wire == nil || r.Method != http.MethodPost {
		j.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if fault := j.judge(r.URL.Path, wire, body); fault != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "judge: " + fault}})
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	j.next.ServeHTTP(w, r)
}

func (j *Judge) judge(path string, wire *wireRules, body []byte) string {
	q := &Request{Path: path, Body: body, Before: -1}
	var err error
	if q.parts, err = wire.split(body); err == nil {
		err = wire.check(body, q.parts)
	}
	if err != nil {
		q.Fault = err.Error()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if q.Fault == "" {
		q.Before = j.before(q)
		if q.Before >= 0 {
			q.Break = broken(j.requests[q.Before].parts, q.parts)
		}
	}
	j.requests = append(j.requests, q)
	return q.Fault
}

// before finds the conversation a request belongs to: the latest request that it
// extends, else the latest one that began with the same message.
func (j *Judge) before(q *Request) int {
	same := -1
	for i := len(j.requests) - 1; i >= 0; i-- {
		old := j.requests[i]
		if old.Fault != "" || old.Path != q.Path {
			continue
		}
		if broken(old.parts, q.parts) == "" {
			return i
		}
		if same < 0 && len(old.parts.messages) > 0 && len(q.parts.messages) > 0 && bytes.Equal(old.parts.messages[0], q.parts.messages[0]) {
			same = i
		}
	}
	return same
}

// broken says where next does not extend last.
func broken(last, next parts) string {
	switch {
	case !bytes.Equal(last.tools, next.tools):
		return "tools"
	case !bytes.Equal(last.system, next.system):
		return "system"
	}
	for i, m := range last.messages {
		if i >= len(next.messages) || !bytes.Equal(m, next.messages[i]) {
			return fmt.Sprintf("message %d", i)
		}
	}
	return ""
}

// Requests gives the requests so far, in the order in which they came.
func (j *Judge) Requests() []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make([]Request, len(j.requests))
	for i, q := range j.requests {
		list[i] = *q
	}
	return list
}

// Faults gives what was refused, each with the index of its request.
func (j *Judge) Faults() []string {
	var list []string
	for i, q := range j.Requests() {
		if q.Fault != "" {
			list = append(list, fmt.Sprintf("request %d: %s", i, q.Fault))
		}
	}
	return list
}

// Breaks gives the requests that do not extend the one before them in their
// conversation. A test compares them with the prefix/broken events of the log, which
// must explain each one.
func (j *Judge) Breaks() []Request {
	var list []Request
	for _, q := range j.Requests() {
		if q.Break != "" {
			list = append(list, q)
		}
	}
	return list
}

// Reuse is the share of the bytes of earlier requests with which the requests that
// follow them begin: 1 where each extends the one before.
func (j *Judge) Reuse() float64 {
	list := j.Requests()
	same, all := 0, 0
	for _, q := range list {
		if q.Before < 0 {
			continue
		}
		last, next := list[q.Before].parts.inOrder(), q.parts.inOrder()
		kept := true
		for i, piece := range last {
			all += len(piece)
			if kept = kept && i < len(next) && bytes.Equal(piece, next[i]); kept {
				same += len(piece)
			}
		}
	}
	if all == 0 {
		return 1
	}
	return float64(same) / float64(all)
}

func (p parts) inOrder() []json.RawMessage {
	return append([]json.RawMessage{p.tools, p.system}, p.messages...)
}

func wireOf(path string) *wireRules {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return &chatRules
	case strings.HasSuffix(path, "/messages"):
		return &messagesRules
	case strings.HasSuffix(path, "/responses"):
		return &responsesRules
	}
	return nil
}
