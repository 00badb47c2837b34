package tool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"fairlead/llm"
	"fairlead/session"
)

// A result whose text is longer than spillOver bytes is kept beside the log and
// the model gets its first and last part.
const (
	spillOver   = 50_000
	previewHead = 16_000
	previewTail = 8_000
)

// SpillScheme begins the path under which the read tool gives a kept result.
const SpillScheme = "spill:"

// Locator names a kept text to the model: the read tool takes it as a path.
func Locator(ref session.BlobRef) string { return SpillScheme + ref.SHA256[:12] }

// spill shortens content that is too long and keeps the whole; what is kept is nil
// where nothing was cut.
func spill(ctx context.Context, log *session.Log, content []llm.Part) ([]llm.Part, *session.BlobRef, error) {
	size := 0
	for _, p := range content {
		size += len(p.Text)
	}
	if size <= spillOver {
		return content, nil, nil
	}
	whole := llm.Plain(content)
	ref, err := log.PutBlob(ctx, []byte(whole))
	if err != nil {
		return content, nil, err
	}
	short := []llm.Part{{Text: Preview(whole, previewHead, previewTail, Locator(ref))}}
	for _, p := range content {
		if p.MIME != "" {
			short = append(short, p)
		}
	}
	return short, &ref, nil
}

// Preview gives about the first head and the last tail bytes of a text, cut
// between lines where there are any, with a line between that says what is left
// out and how to read it. A text that fits is given whole.
func Preview(text string, head, tail int, locator string) string {
	if len(text) <= head+tail {
		return text
	}
	first, last := cutAfter(text, head), cutBefore(text, len(text)-tail)
	left := text[first:last]
	from := strings.Count(text[:first], "\n") + 1
	return fmt.Sprintf("%s\n[%d bytes left out, from line %d on; the whole text has %d bytes and %d lines. Read on: read with path %q and offset %d]\n%s",
		strings.TrimSuffix(text[:first], "\n"), len(left), from, len(text), lineCount(text), locator, from, text[last:])
}

// cutAfter gives the end of the last whole line within the first n bytes, else of
// the last whole character.
func cutAfter(s string, n int) int {
	if i := strings.LastIndexByte(s[:n], '\n'); i >= n/2 {
		return i + 1
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// cutBefore gives the start of the first whole line from byte n on, else of the
// first whole character.
func cutBefore(s string, n int) int {
	if i := strings.IndexByte(s[n:], '\n'); i >= 0 && i < (len(s)-n)/2 {
		return n + i + 1
	}
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return n
}

func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
