package ui_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"regexp"
	"testing"

	"fairlead/ui"
)

const (
	scriptLimit  = 110 << 10 // bytes of all script of the chat page, gzip
	requestLimit = 5         // for the first view: the page, its style, its scripts
)

var fetched = regexp.MustCompile(`(?:src|href)="/([^"]+\.(?:js|css))"`)

func TestThePageStaysLight(t *testing.T) {
	page, err := fs.ReadFile(ui.Files, "index.html")
	if err != nil {
		t.Fatal(err)
	}
	requests, script := 1, 0
	for _, m := range fetched.FindAllSubmatch(page, -1) {
		requests++
		name := string(m[1])
		text, err := fs.ReadFile(ui.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasSuffix(m[1], []byte(".js")) {
			script += zipped(t, text)
		}
	}
	if requests > requestLimit || requests < 3 {
		t.Errorf("the first view needs %d requests; the limit is %d", requests, requestLimit)
	}
	if script > scriptLimit || script == 0 {
		t.Errorf("all script of the chat page is %d bytes gzip; the limit is %d", script, scriptLimit)
	}
	t.Logf("%d requests, %d KB of script gzip", requests, script>>10)
}

func zipped(t *testing.T, text []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
