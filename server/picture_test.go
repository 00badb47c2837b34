package server_test

import (
	"context"
	"net/http"
	"testing"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
)

// gallery is a [command.Pictures] with one picture.
type gallery struct{}

func (gallery) Picture(_ context.Context, address string) (string, []byte, error) {
	if address != "https://pictures.example/a b.png" {
		return "", nil, fault.New(fault.Denied, "test", "not there")
	}
	return "image/png", []byte("bytes"), nil
}

func TestPictureIsServedOnRequestAlone(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say hi\n", graph.Plugin{Name: "gallery", Provides: []graph.AnyKey{command.PictureKey},
		Apply: func(f *graph.Fiber, _ any) error {
			return graph.Provide[command.Pictures](f, command.PictureKey, gallery{})
		}})
	get := func(address, token string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/api/v1/picture?url="+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		response, err := h.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	r := get("https%3A%2F%2Fpictures.example%2Fa%20b.png", h.token)
	body := make([]byte, 16)
	n, _ := r.Body.Read(body)
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "image/png" || r.Header.Get("X-Content-Type-Options") != "nosniff" || string(body[:n]) != "bytes" {
		t.Errorf("%d %v %q", r.StatusCode, r.Header, body[:n])
	}
	if r := get("http%3A%2F%2F127.0.0.1%2F", h.token); r.StatusCode != 403 {
		t.Errorf("a refused address answers %d", r.StatusCode)
	}
	if r := get("x", "no token"); r.StatusCode != 401 {
		t.Errorf("without a token: %d", r.StatusCode)
	}
}

func TestWithoutTheWebNoPictureIsServed(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say hi\n")
	if status, _ := h.try("GET", "/api/v1/picture?url=https%3A%2F%2Fx.example", nil, nil); status != 503 {
		t.Errorf("answered %d", status)
	}
}
