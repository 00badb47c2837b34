package openai_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"fairlead/llm/openai"
)

func TestNoServerHasTheWholeRequestBeforeItMayBeAnswered(t *testing.T) {
	body := append(bytes.Repeat([]byte(" "), 1<<20), "{}"...)
	arrived, whole := make(chan struct{}), make(chan int, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(arrived)
		text, err := io.ReadAll(r.Body)
		if err != nil {
			whole <- -1
			return
		}
		whole <- len(text)
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer s.Close()
	adapter := openai.New(openai.Options{BaseURL: s.URL + "/v1", Client: s.Client()})
	ready := func() error {
		<-arrived // the request is on its way while it is being held
		select {
		case n := <-whole:
			t.Errorf("the server had all %d bytes before it might", n)
		default:
		}
		return nil
	}
	for _, err := range adapter.StreamHeld(t.Context(), body, ready) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := <-whole; n != len(body) {
		t.Errorf("the server got %d bytes of %d", n, len(body))
	}
}

func TestARequestThatMustNotBeSentIsGivenUp(t *testing.T) {
	whole := make(chan error, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		whole <- err
	}))
	defer s.Close()
	adapter := openai.New(openai.Options{BaseURL: s.URL + "/v1", Client: s.Client()})
	full := errors.New("the disk is full")
	var got error
	for _, err := range adapter.StreamHeld(t.Context(), bytes.Repeat([]byte(" "), 1<<20), func() error { return full }) {
		got = err
	}
	if !errors.Is(got, full) {
		t.Errorf("the sequence ended with %v", got)
	}
	if err := <-whole; err == nil {
		t.Error("the server got a whole request")
	}
}
