//go:build unix

package toolbox_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"fairlead/llm"
	"fairlead/session"
)

func TestAPipeIsNotOpened(t *testing.T) {
	h := newHouse(t)
	if err := syscall.Mkfifo(h.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan *session.ToolResultData, 1)
	go func() { ended <- h.run("read", args{"path": "pipe"}) }()
	select {
	case r := <-ended:
		if r.Code != "SPECIAL_FILE" || !strings.Contains(llm.Plain(r.Content), "is a pipe") {
			t.Errorf("%+v", r)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("reading a pipe hangs")
	}
}
