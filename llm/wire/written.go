package wire

import (
	"slices"
	"sync"

	"fairlead/llm"
)

// Written remembers how the histories of the latest requests were written, so that a
// request which extends one costs only what it adds. Writing stays a pure function:
// what is remembered is only used for equal messages, and a history must not be
// changed once it was written. The zero value is ready; it serves any number of
// goroutines.
type Written struct {
	mu    sync.Mutex
	pages []*page // the latest last
}

// page is one history as it was written.
type page struct {
	quirks   llm.Quirks
	messages []llm.Message
	text     []byte
	marks    []mark
}

// mark says that the first so many messages end at a place of the text.
type mark struct{ messages, end int }

// pagesKept is how many histories are remembered: one for each session that works at
// the same time, up to a number whose memory is no burden.
const pagesKept = 8

// Write appends the encoding of a history to b. Group writes messages that belong
// together, the first of those it is given, and reports how many it took; whether it
// takes a message may depend on that message and the ones before it alone.
func (w *Written) Write(b []byte, quirks llm.Quirks, list []llm.Message, group func(b []byte, rest []llm.Message) ([]byte, int, error)) ([]byte, error) {
	from := len(b)
	p, known := w.find(quirks, list)
	var marks []mark
	at := 0
	if known > 0 {
		last := p.marks[known-1]
		b = append(b, p.text[:last.end]...)
		marks, at = slices.Clone(p.marks[:known]), last.messages
	}
	for at < len(list) {
		var n int
		var err error
		if b, n, err = group(b, list[at:]); err != nil {
			return b, err
		}
		at += n
		marks = append(marks, mark{at, len(b) - from})
	}
	w.keep(p, &page{quirks: quirks, messages: list, text: b[from:len(b):len(b)], marks: marks})
	return b, nil
}

// find gives the page that shares the longest beginning with a history, and how many
// of its marks hold. The last group of the shared part is left out: the group could
// go on in the new history.
func (w *Written) find(quirks llm.Quirks, list []llm.Message) (best *page, known int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range slices.Backward(w.pages) {
		if p.quirks != quirks {
			continue
		}
		same := 0
		for same < min(len(list), len(p.messages)) && llm.Same(&list[same], &p.messages[same]) {
			same++
		}
		n, _ := slices.BinarySearchFunc(p.marks, same, func(m mark, want int) int { return m.messages - want })
		if n > known {
			best, known = p, n
		}
		if same == len(p.messages) {
			break // this history goes on from that one
		}
	}
	return best, known
}

// keep remembers a page in the place of the one that it goes on from.
func (w *Written) keep(before, p *page) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.pages, before); before != nil && i >= 0 && len(before.messages) <= len(p.messages) {
		w.pages = slices.Delete(w.pages, i, i+1)
	} else if len(w.pages) == pagesKept {
		w.pages = slices.Delete(w.pages, 0, 1)
	}
	w.pages = append(w.pages, p)
}
