package window

import (
	"fmt"
	"unicode/utf8"

	"fairlead/llm"
	"fairlead/session"
)

// A text longer than pruneFrom characters is shortened to its beginning and end.
const (
	pruneFrom = 8192
	pruneHead = 4096
	pruneTail = 1024
)

// shortened gives what is left of a message whose texts are long; false where none is.
func shortened(m *llm.Message) (content []llm.Part, left int, ok bool) {
	for _, p := range m.Content {
		if p.MIME == "" && len(p.Text) > pruneFrom {
			if text, n := excerpt(p.Text); n > 0 {
				p.Text, left, ok = text, left+n, true
			}
		}
		content = append(content, p)
	}
	return content, left, ok
}

// excerpt gives the beginning and the end of a text, with how many bytes are missing.
func excerpt(text string) (string, int) {
	if utf8.RuneCountInString(text) <= pruneFrom {
		return text, 0
	}
	head, tail := 0, len(text)
	for range pruneHead {
		_, n := utf8.DecodeRuneInString(text[head:])
		head += n
	}
	for range pruneTail {
		_, n := utf8.DecodeLastRuneInString(text[:tail])
		tail -= n
	}
	left := tail - head
	return fmt.Sprintf("%s\n\n[… %d bytes are left out here to make room …]\n\n%s", text[:head], left, text[tail:]), left
}

// pruned shortens one entry; false where there is nothing to shorten. Messages with
// calls stay as they are: their arguments are what the model did.
func pruned(e session.Entry) (PrunedData, bool) {
	content, left, ok := shortened(&e.Message)
	if !ok || len(e.Message.Calls) > 0 {
		return PrunedData{}, false
	}
	return PrunedData{Shadows: e.Span, Role: e.Message.Role, CallID: e.Message.CallID, Failed: e.Message.Failed, Content: content, Left: left}, true
}

// leftOut puts a mark in the place of a whole unit that nothing else can shorten.
func leftOut(run []session.Entry, tokens int) PrunedData {
	what := "A message"
	if len(run[0].Message.Calls) > 0 {
		what = "A step with calls of " + names(run[0].Message.Calls)
	}
	left := 0
	for i := range run {
		left += weight(&run[i].Message)
	}
	return PrunedData{Shadows: spanOf(run), Role: llm.User, Left: left,
		Content: llm.Text(fmt.Sprintf("[%s of about %d tokens stood here. It is left out, because it does not fit into the context.]", what, tokens))}
}

func names(calls []llm.Call) string {
	var list string
	seen := map[string]bool{}
	for _, c := range calls {
		if !seen[c.Name] {
			if seen[c.Name] = true; list != "" {
				list += ", "
			}
			list += c.Name
		}
	}
	return list
}
