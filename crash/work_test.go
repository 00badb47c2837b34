//go:build linux

package crash_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// work is one message with what the model does about it and what that leaves behind.
type work struct {
	n     int
	kind  string
	id    string // of the message, once it was accepted
	text  string
	mode  string
	hangs string // "tool", "stream" or "ask": it does not come to an end by itself, and where it hangs
}

// lasting is how long a child sleeps that is to be found if it outlives its host; the
// number is nobody else's.
const lasting = "86419"

// kinds of work, each of which is caught in the middle by some kill.
var kinds = []string{"stream", "write", "shell", "several", "large", "steps", "children", "hang", "ask"}

func newWork(n int, kind string) *work {
	w := &work{n: n, kind: kind, mode: "bypass", text: fmt.Sprintf("work %d: %s", n, kind)}
	switch kind {
	case "children":
		w.hangs = "tool"
	case "hang":
		w.hangs = "stream"
	case "ask":
		w.mode, w.hangs = "manual", "ask"
	}
	return w
}

func (w *work) file() string { return fmt.Sprintf("made-%d.txt", w.n) }

// script is the model's part. The file grows by one line each time its call runs.
func (w *work) script() string {
	const talk = "A line of a reply that comes in pieces, so that it can be cut anywhere. "
	add := fmt.Sprintf(`call shell {"command":"echo %d >> %s; echo added"}`, w.n, w.file())
	write := fmt.Sprintf(`call write {"path":%q,"content":"%d\n"}`, w.file(), w.n)
	done := fmt.Sprintf("say Done with %d.", w.n)
	var replies []string
	switch w.kind {
	case "stream":
		replies = []string{"pace 1ms\n  think " + talk + "\n  say " + strings.Repeat(talk, 8)}
	case "write", "ask":
		replies = []string{"say I write it.\n  " + write, done}
	case "shell":
		replies = []string{add, done}
	case "several":
		replies = []string{"call list {\"path\":\".\"}\n  " + add + "\n  call glob {\"pattern\":\"*.none\"}\n  call list {\"path\":\".\"}", done}
	case "large":
		replies = []string{fmt.Sprintf(`call shell {"command":"echo %d >> %s; seq 1 12000"}`, w.n, w.file()), done}
	case "steps":
		replies = []string{"say One.\n  " + add, `call list {"path":"."}`, `call shell {"command":"sleep 0.1; echo slept"}`, done}
	case "children":
		replies = []string{fmt.Sprintf(`call shell {"command":"echo %d >> %s; setsid sleep %s & env -i $(command -v setsid) $(command -v sleep) %s & nohup sleep %s >/dev/null & sleep %s"}`,
			w.n, w.file(), lasting, lasting, lasting, lasting), done}
	case "long":
		replies = []string{"pace 2ms\n  piece 64\n  say " + strings.Repeat(talk, 500)}
	case "gated":
		replies = []string{fmt.Sprintf(`call shell {"command":"while ! test -e go-%d; do sleep 0.01; done; echo %d >> %s; seq 1 12000"}`, w.n, w.n, w.file()),
			done + " " + strings.Repeat(talk, 80)} // more than the last block of a full disk still takes
	case "hang":
		replies = []string{"pace 1ms\n  say " + talk + "\n  hang"}
	default:
		replies = []string{done}
	}
	return fmt.Sprintf("on /work %d:/\nreply\n  ", w.n) + strings.Join(replies, "\nreply\n  ") + "\n"
}

// effects reports whether the work leaves a file behind.
func (w *work) effects() bool {
	return w.kind != "stream" && w.kind != "long" && w.kind != "hang" && w.kind != "talk"
}

// checkEffect compares the file with the log: what a call did is preceded by its
// start on disk, and what a result says is so. The session's lock is held.
func (w *work) checkEffect(s *seen, p *place, l *diskLog) {
	if !w.effects() {
		return
	}
	content, err := os.ReadFile(filepath.Join(p.work, w.file()))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.complain("%s: %v", w.file(), err)
	}
	once := fmt.Sprintf("%d\n", w.n)
	switch string(content) {
	case "", once:
	default:
		s.complain("%s holds %q: the call ran more than once", w.file(), content)
	}
	call, started, succeeded := "", false, false
	for _, e := range l.lines {
		d := e.decode()
		switch {
		case e.Type == "tool/call" && strings.Contains(d.Arguments, w.file()):
			call = d.Call
		case e.Type == "tool/started" && d.Call == call:
			started = true
		case e.Type == "tool/result" && d.Call == call && call != "":
			succeeded = !d.Failed
		}
	}
	if len(content) > 0 && !started {
		s.complain("%s was made, but the log does not say that its call started", w.file())
	}
	if succeeded && string(content) != once {
		s.complain("the log says that %s was made, but it holds %q", w.file(), content)
	}
}
