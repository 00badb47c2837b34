package scripted

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"fairlead/llm"
)

// turn is what a script sees of one entry of a history.
type turn struct {
	role   llm.Role
	text   string
	failed bool
}

// Player plays one script to any number of clients.
type Player struct {
	script *Script
	next   int // of a script that is a list
	mu     sync.Mutex
	ids    atomic.Int64
}

// NewPlayer starts a script from its beginning.
func NewPlayer(s *Script) *Player { return &Player{script: s} }

// asked is what a script sees of a request.
type asked struct {
	system  string
	tools   bool
	history []turn
}

// forTitle reports whether a title is wanted rather than an answer.
func (a asked) forTitle() bool { return !a.tools && strings.HasPrefix(a.system, "Write a title") }

// titled finds the title of a conversation: that of the part which matches first in
// what is told of it.
func (s *Script) titled(history []turn) *reply {
	text, title := "", s.title
	for _, t := range history {
		if t.role == llm.User {
			text += t.text
		}
	}
	first := len(text)
	for i := range s.parts {
		p := &s.parts[i]
		if at := p.match.FindStringIndex(text); at != nil && at[0] < first {
			first, title = at[0], cmp.Or(p.title, s.title)
		}
	}
	if title == "" {
		return &reply{acts: []act{{verb: verbFail, status: 400, text: "the script has no title"}}}
	}
	return &reply{piece: 1 << 10, acts: []act{{verb: verbSay, text: title}}}
}

// reply finds the answer to a request.
func (p *Player) reply(a asked) *reply {
	s, history := p.script, a.history
	if a.forTitle() {
		return s.titled(history)
	}
	if len(s.parts) == 0 && s.otherwise == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		at := min(p.next, len(s.list)-1)
		p.next++
		return s.list[at].choose(history)
	}
	replies := 0
	unmatched := -1 // how many replies followed the last message that no part matches
	for i := len(history) - 1; i >= 0; i-- {
		switch history[i].role {
		case llm.Assistant:
			replies++
		case llm.User:
			for j := range s.parts {
				if s.parts[j].match.MatchString(history[i].text) {
					return s.parts[j].at(replies, history)
				}
			}
			if unmatched < 0 {
				unmatched = replies
			}
		}
	}
	if s.otherwise == nil {
		return &reply{piece: 1 << 10, acts: []act{{verb: verbSay, text: "The script has no part for this message."}}}
	}
	return s.otherwise.at(max(unmatched, 0), history)
}

func (p *part) at(n int, history []turn) *reply {
	if len(p.places) == 0 {
		return &reply{piece: 1 << 10, acts: []act{{verb: verbSay, text: "The script is over."}}}
	}
	return p.places[min(n, len(p.places)-1)].choose(history)
}

// choose takes the reply whose condition holds, else the one without.
func (p place) choose(history []turn) *reply {
	var last turn
	if n := len(history); n > 0 && history[n-1].role == llm.ToolRole {
		last = history[n-1]
	}
	for _, r := range p[1:] {
		if r.failed && last.failed || r.result != nil && r.result.MatchString(last.text) {
			return r
		}
	}
	return p[0]
}

// tokens counts a text as the script's model does.
func (s *Script) tokens(characters int) int {
	return int(float64(characters)/s.CharsPerToken + 0.999)
}

// count gives the usage of a reply to a request of so many characters.
func (s *Script) count(r *reply, characters int) *llm.Usage {
	out := 0
	for _, a := range r.acts {
		switch a.verb {
		case verbUsage:
			return &llm.Usage{Input: a.usage[0], Output: a.usage[1], Cached: a.usage[2], Reasoning: -1}
		case verbThink, verbSay, verbCall:
			out += utf8.RuneCountInString(a.text)
		}
	}
	if !s.Counting {
		return nil
	}
	return &llm.Usage{Input: s.tokens(characters), Output: s.tokens(out), Reasoning: -1}
}

// overflow refuses a request that does not fit the window, in llama.cpp's words.
func (s *Script) overflow(characters int) (prompt int, over bool) {
	prompt = s.tokens(characters)
	return prompt, s.Window > 0 && prompt >= s.Window
}

// pieces cuts text as a stream does.
func pieces(text string, size int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for size = max(size, 1); text != ""; {
			end, n := 0, 0
			for end < len(text) && n < size {
				_, w := utf8.DecodeRuneInString(text[end:])
				end, n = end+w, n+1
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
