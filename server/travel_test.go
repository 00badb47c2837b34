package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"fairlead/interchange"
	"fairlead/server"
)

func TestSessionsAreTakenAwayAndBroughtBack(t *testing.T) {
	h := newHouse(t, newHomes(t), "reply\n  say Hello from the model.\n")
	at := h.create()
	events := h.watch(at+"/events", "")
	h.say(at, server.Message{Text: "Say hello", Mode: "bypass"})
	events.until("turn/end")

	for as, want := range map[string]string{"md": "Hello from the model.", "html": "Hello from the model.", "json": `"events":[`, "zip": "PK\x03\x04", "": "PK\x03\x04"} {
		status, header, body := h.send("GET", at+"/export?as="+as, nil)
		if status != http.StatusOK || !strings.Contains(string(body), want) || !strings.HasPrefix(header.Get("Content-Disposition"), "attachment") {
			t.Errorf("export as %q: %d, %.60q", as, status, body)
		}
		if as != "zip" {
			continue
		}
		// The same session is here already: nothing is made of it a second time.
		if status, _, _ := h.send("POST", "/api/v1/import", body); status != http.StatusConflict {
			t.Errorf("importing a session that is here: %d", status)
		}
	}
	if status, _, _ := h.send("GET", at+"/export?as=pdf", nil); status != http.StatusBadRequest {
		t.Errorf("an unknown format: %d", status)
	}

	foreign := `{"type":"session_meta","payload":{"id":"x","cwd":"/w"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"From elsewhere"}]}}
`
	status, _, body := h.send("POST", "/api/v1/import", []byte(foreign))
	var made interchange.Brought
	if err := json.Unmarshal(body, &made); err != nil || status != http.StatusOK || made.Origin != "codex" || made.Title != "From elsewhere" {
		t.Errorf("imported %d %+v, %v", status, made, err)
	}
	if status, _, _ := h.send("POST", "/api/v1/import", bytes.Repeat([]byte("x"), 100)); status != http.StatusBadRequest {
		t.Errorf("importing rubbish: %d", status)
	}
}

// send makes a request whose body, if any, is bytes.
func (h *house) send(method, path string, body []byte) (int, http.Header, []byte) {
	h.t.Helper()
	r := h.request(method, path, nil)
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", "application/octet-stream")
	}
	res, err := h.client.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, res.Header, text
}
