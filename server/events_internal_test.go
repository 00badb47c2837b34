package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fairlead/session"
	"fairlead/store"
)

// counted is a connection that counts writes.
type counted struct {
	mu     sync.Mutex
	header http.Header
	body   bytes.Buffer
	writes int
	seen   chan struct{} // one token where something was written
}

func (c *counted) Header() http.Header { return c.header }
func (c *counted) WriteHeader(int)     {}
func (c *counted) Flush()              {}
func (c *counted) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	select {
	case c.seen <- struct{}{}:
	default:
	}
	return c.body.Write(b)
}

// text joins the pieces written so far, live and logged, as a viewer does.
func (c *counted) text(tb testing.TB) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	for line := range strings.Lines(c.body.String()) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var f struct {
			Type string
			Data session.DeltaData
		}
		if err := json.Unmarshal([]byte(data), &f); err != nil {
			tb.Fatalf("%v in %s", err, line)
		}
		d, have := f.Data, int64(text.Len())
		if (f.Type == "delta" || f.Type == session.AssistantDelta.Name) && d.Offset <= have && d.Offset+int64(len(d.Text)) > have {
			text.WriteString(d.Text[have-d.Offset:])
		}
	}
	return text.String()
}

// following streams a new log to a counting viewer until stop.
func following(tb testing.TB) (log *session.Log, viewer *counted, stop func()) {
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: tb.TempDir()})})
	log, err := lib.Create(tb.Context(), session.CreatedData{})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	viewer = &counted{header: http.Header{}, seen: make(chan struct{}, 1)}
	s := &Server{now: time.Now, closing: make(chan struct{})}
	c := &call{Request: httptest.NewRequestWithContext(ctx, "GET", "/", nil), device: &Device{gone: make(chan struct{})}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.follow(c, openSSE(viewer), log, 0)
	}()
	<-viewer.seen // the log's first event: it watches
	return log, viewer, func() {
		cancel()
		<-done
		if err := log.Close(context.WithoutCancel(ctx)); err != nil {
			tb.Error(err)
		}
	}
}

const burst = 5000

func speak(log *session.Log, from int) {
	for i := range burst {
		log.Delta(session.DeltaData{Message: "m1", Channel: "text", Offset: int64(from + i), Text: "x"})
	}
}

func TestABurstIsFewWritesAndNothingIsLost(t *testing.T) {
	log, viewer, stop := following(t)
	defer stop()
	speak(log, 0)
	log.FlushDeltas(t.Context())
	for len(viewer.text(t)) < burst {
		<-viewer.seen
	}
	viewer.mu.Lock()
	defer viewer.mu.Unlock()
	if viewer.writes > burst/20 {
		t.Errorf("%d pieces took %d writes", burst, viewer.writes)
	}
}

// BenchmarkFollow reports what a viewer of a fast reply costs: writes and bytes of a
// piece of one character.
func BenchmarkFollow(b *testing.B) {
	log, viewer, stop := following(b)
	defer stop()
	from := 0
	for b.Loop() {
		speak(log, from)
		from += burst
	}
	viewer.mu.Lock()
	defer viewer.mu.Unlock()
	pieces := float64(from)
	b.ReportMetric(float64(viewer.writes)/pieces, "writes/piece")
	b.ReportMetric(float64(viewer.body.Len())/pieces, "B/piece")
}
