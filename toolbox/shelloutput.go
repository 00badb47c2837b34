package toolbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/tool"
)

// How much of a command's output is shown and kept, in bytes.
const (
	shownHead  = 16_000
	shownTail  = 32_000
	keptOutput = 64 << 20
)

// output takes what a command writes, both streams in the order of the writes. It
// holds the beginning and the end in memory and the whole in a file, up to a limit;
// what is over it is counted and dropped, so that no command can fill memory or disk.
type output struct {
	live func(string)

	mu    sync.Mutex
	clean cleaner
	head  []byte
	tail  []byte // the last bytes after head, at most twice shownTail
	total int64  // bytes after cleaning
	lines int64
	file  *os.File
	kept  int64
	err   error // why the whole is not kept
}

func newOutput(live func(string)) *output { return &output{live: live} }

// Write never fails: a command must not notice that its reader has enough.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if text := o.clean.text(p); text != "" {
		o.take(text)
	}
	return len(p), nil
}

func (o *output) take(text string) {
	if o.live != nil {
		o.live(text)
	}
	o.total += int64(len(text))
	o.lines += int64(strings.Count(text, "\n"))
	o.keep(text)
	if room := shownHead - len(o.head); room > 0 {
		n := min(room, len(text))
		o.head = append(o.head, text[:n]...)
		text = text[n:]
	}
	o.tail = append(o.tail, text...)
	if len(o.tail) > 2*shownTail {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-shownTail:]...)
	}
}

// keep writes to the file once there is more than is shown.
func (o *output) keep(text string) {
	if o.err != nil || o.total <= shownHead+shownTail && o.file == nil {
		return
	}
	if o.file == nil {
		if o.file, o.err = os.CreateTemp("", "fairlead-output-*"); o.err != nil {
			return
		}
		o.write(string(o.head) + string(o.tail))
	}
	o.write(text)
}

func (o *output) write(text string) {
	if room := keptOutput - o.kept; int64(len(text)) > room {
		text = text[:room]
	}
	n, err := o.file.WriteString(text)
	o.kept += int64(n)
	o.err = errors.Join(o.err, err)
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file != nil {
		o.file.Close()
		os.Remove(o.file.Name()) // a temporary file that stays is the system's to sweep
	}
}

// shown gives what the model reads: all of it, or its beginning and its end, cut
// between lines, with what is missing said and where the whole can be read.
func (o *output) shown(ctx context.Context, log *session.Log, r *tool.Result, view *terminalView) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if rest := o.clean.rest(); rest != "" {
		o.take(rest)
	}
	if o.total <= shownHead+shownTail {
		return strings.TrimSuffix(string(o.head)+string(o.tail), "\n"), nil
	}
	head := o.head
	if i := bytes.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	tail := o.tail[max(0, len(o.tail)-shownTail):]
	if i := bytes.IndexByte(tail, '\n'); i >= 0 && i < len(tail)-1 {
		tail = tail[i+1:]
	}
	view.Cut = &cutView{Total: o.total, Lines: o.lines, ShownHead: len(head), ShownTail: len(tail)}
	where, err := o.whole(ctx, log, r)
	if err != nil {
		return "", err
	}
	left := o.total - int64(len(head)) - int64(len(tail))
	return fmt.Sprintf("%s\n[… %s of %s bytes left out here; %s]\n%s", characters(head), grouped(int(left)), grouped(int(o.total)), where, strings.TrimSuffix(characters(tail), "\n")), nil
}

// whole keeps the file's content beside the log and says where it is.
func (o *output) whole(ctx context.Context, log *session.Log, r *tool.Result) (string, error) {
	if o.err != nil {
		return "the whole could not be kept: " + o.err.Error(), nil
	}
	content, err := os.ReadFile(o.file.Name())
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "toolbox.shell", err, "The command's output could not be read back")
	}
	ref, err := log.PutBlob(ctx, content)
	if err != nil {
		return "", err
	}
	r.Spill = &ref
	if o.kept < o.total {
		return fmt.Sprintf("the first %s bytes: read with path %s", grouped(int(o.kept)), tool.Locator(ref)), nil
	}
	return "the whole: read with path " + tool.Locator(ref), nil
}

// characters makes text of bytes that may begin or end inside a character.
func characters(b []byte) string { return strings.ToValidUTF8(string(b), "") }
