package skill

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// exitBlocks is the exit code with which a hook says no; stderr is its reason.
const exitBlocks = 2

// answer is what a hook, or several of one event, said. It can only hold back.
type answer struct {
	block, ask, halt bool
	// reason is for the model, and with halt for the person.
	reason string
	// context is told to the model, note to the person.
	context, note string
}

// hookOutput is the JSON that a hook may print.
type hookOutput struct {
	Continue      *bool  `json:"continue"`
	StopReason    string `json:"stopReason"`
	SystemMessage string `json:"systemMessage"`
	Decision      string `json:"decision"`
	Reason        string `json:"reason"`
	Specific      struct {
		Decision string          `json:"permissionDecision"`
		Reason   string          `json:"permissionDecisionReason"`
		Context  string          `json:"additionalContext"`
		Updated  json.RawMessage `json:"updatedInput"`
	} `json:"hookSpecificOutput"`
}

// interpret reads what a hook said by how it ended.
func interpret(event string, r ranHook) answer {
	switch {
	case r.err != nil:
		return unheard(event, "could not be run: "+r.err.Error())
	case r.late:
		return unheard(event, fmt.Sprintf("gave no answer within %s", r.hook.limit))
	case r.code == exitBlocks:
		return answer{block: true, reason: cmp.Or(strings.TrimSpace(r.stderr), "a hook says no and gives no reason")}
	case r.code != 0:
		return answer{note: fmt.Sprintf("The hook %q at %s failed with exit code %d. %s", r.hook.command, event, r.code, strings.TrimSpace(r.stderr))}
	}
	text := strings.TrimSpace(r.stdout)
	var out hookOutput
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &out) != nil {
		if event == sessionStart || event == userPromptSubmit {
			return answer{context: text}
		}
		return answer{}
	}
	return out.answer(event)
}

// unheard is what is made of a hook that gave no answer: one that guards something
// is taken to say no.
func unheard(event, why string) answer {
	if event == preToolUse || event == userPromptSubmit {
		return answer{block: true, reason: "a hook that guards this " + why}
	}
	return answer{note: "A hook at " + event + " " + why + "."}
}

// answer says what the output means. A yes means nothing: policy decides that.
func (o hookOutput) answer(event string) answer {
	a := answer{context: o.Specific.Context, note: o.SystemMessage}
	if o.Continue != nil && !*o.Continue {
		a.halt, a.reason = true, cmp.Or(o.StopReason, "a hook ended the turn")
		return a
	}
	switch cmp.Or(o.Specific.Decision, o.Decision) {
	case "deny", "block":
		a.block, a.reason = true, cmp.Or(o.Specific.Reason, o.Reason, "a hook says no and gives no reason")
	case "ask":
		a.ask, a.reason = true, cmp.Or(o.Specific.Reason, o.Reason)
	}
	if updated := strings.TrimSpace(string(o.Specific.Updated)); event == preToolUse && !a.block && updated != "" && updated != "null" {
		// What was asked for and shown is what runs; a hook cannot put something else there.
		a.block, a.ask, a.reason = true, false, "a hook wants other arguments; call again with these, where they serve: "+updated
	}
	return a
}

// and puts the answers of several hooks together: the strictest counts.
func (a answer) and(b answer) answer {
	join := func(x, y string) string {
		if x == "" || y == "" || x == y {
			return cmp.Or(x, y)
		}
		return x + "\n" + y
	}
	rank := func(a answer) int {
		switch {
		case a.halt:
			return 3
		case a.block:
			return 2
		case a.ask:
			return 1
		}
		return 0
	}
	out := answer{block: a.block || b.block, ask: a.ask || b.ask, halt: a.halt || b.halt, context: join(a.context, b.context), note: join(a.note, b.note)}
	switch {
	case rank(a) > rank(b):
		out.reason = a.reason
	case rank(b) > rank(a):
		out.reason = b.reason
	default:
		out.reason = join(a.reason, b.reason)
	}
	return out
}

// word names an answer in the log.
func (a answer) word() string {
	switch {
	case a.halt:
		return "halt"
	case a.block:
		return "block"
	case a.ask:
		return "ask"
	}
	return ""
}
