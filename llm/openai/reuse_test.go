package openai_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"fairlead/llm/openai"
)

func TestTheConnectionOfAFinishedReplyServesTheNextRequest(t *testing.T) {
	const requests = 5
	var opened atomic.Int32
	read, over := make(chan struct{}), make(chan struct{}, 4*requests)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		w.(http.Flusher).Flush()
		<-read // the end of the body comes after the last event, as real servers send it
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
		case http.StateIdle, http.StateClosed:
			over <- struct{}{}
		}
	}
	s.Start()
	defer s.Close()
	adapter := openai.New(openai.Options{BaseURL: s.URL + "/v1", Client: s.Client()})

	for range requests {
		for _, err := range adapter.Stream(t.Context(), []byte("{}")) {
			if err != nil {
				t.Fatal(err)
			}
		}
		read <- struct{}{}
		<-over
	}
	if got := opened.Load(); got == requests {
		t.Errorf("%d connections were opened for %d requests", got, requests)
	}
}
