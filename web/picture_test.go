package web_test

import (
	"bytes"
	"net/http"
	"testing"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
)

func TestPictureIsKnownByItsBytes(t *testing.T) {
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 64)...)
	give := func(body []byte, kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(body)
		}
	}
	h := newHouse(t, sites{
		"png.example": give(png, "text/html"), "svg.example": give([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`), "image/svg+xml"),
		"page.example": give([]byte("<html>"), "image/png"), "big.example": give(append(png, bytes.Repeat([]byte{1}, 11<<20)...), "image/png"), "gone.example": status(404),
	})
	p, ok := graph.Lookup(h.graph.Root().Realm(), command.PictureKey)
	if !ok {
		t.Fatal("nobody fetches pictures")
	}
	mime, data, err := p.Picture(t.Context(), "https://png.example/x")
	if err != nil || mime != "image/png" || !bytes.Equal(data, png) {
		t.Errorf("got %s, %d bytes, %v", mime, len(data), err)
	}
	for address, kind := range map[string]fault.Kind{"https://svg.example/": fault.Invalid, "https://page.example/": fault.Invalid, "https://big.example/": fault.TooLarge,
		"https://gone.example/": fault.NotFound, "http://127.0.0.1/": fault.Denied, "file:///x.png": fault.Invalid} {
		if _, _, err := p.Picture(t.Context(), address); !fault.Is(err, kind) {
			t.Errorf("%s: %v, want %s", address, err, kind)
		}
	}
}
