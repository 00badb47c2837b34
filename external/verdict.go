package external

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"fairlead/llm"
	"fairlead/tool"
)

// The words for how a run ended.
const (
	Answered   = "answered"
	NoAnswer   = "no-answer" // it ended well and said nothing
	NoSignIn   = "not-signed-in"
	Reported   = "agent-error" // it says itself what went wrong
	Complained = "stderr"      // it said nothing but on stderr
	TornOutput = "torn-output" // its output ended in the middle
	NotRead    = "not-understood"
	BadExit    = "exit-code"
	Killed     = "killed"
	TimedOut   = "timeout"
	Flooded    = "too-much-output"
	Stopped    = "stopped"
	NoStart    = "not-started"
)

// Heard is what a run's events come to.
type Heard struct {
	Session string
	// Answer is the last thing it said.
	Answer string
	// Failed: it said itself that the request failed.
	Failed bool
	Errors []string // the last of them
	Usage  *llm.Usage
	Cost   *llm.Money
	Turns  int
	// Over: it said that it was done.
	Over bool
	// Understood counts its lines that were, Broken those that were no JSON; Noise is the
	// last of these.
	Understood, Broken int
	Noise              string

	open bool // the next joined text goes on with the answer
}

const (
	mostErrors    = 5
	longestAnswer = 4 << 20 // bytes
)

// add takes in one event.
func (h *Heard) add(e Event) {
	if e.Broken {
		h.Broken++
		h.Noise = e.Text
		return
	}
	h.Understood++
	switch e.Kind {
	case Session:
		h.Session = e.Session
	case Text:
		if e.Joined && h.open {
			if len(h.Answer) < longestAnswer {
				h.Answer += e.Text
			}
		} else if strings.TrimSpace(e.Text) != "" || e.Final {
			h.Answer = e.Text
		}
		h.open = e.Joined
	case ToolUse, File:
		h.open = false
	case Failure:
		h.Errors = append(h.Errors[max(0, len(h.Errors)-mostErrors+1):], e.Text)
	}
	if e.Usage != nil {
		h.Usage = e.Usage
	}
	if e.Cost != nil {
		h.Cost = e.Cost
	}
	h.Turns = max(h.Turns, e.Turns)
	h.Over = h.Over || e.Over
	h.Failed = h.Failed || e.Kind == Failure && e.Over
	if e.Kind == Usage {
		h.open = false
	}
}

// signIn are ways in which programs say that nobody is signed in.
var signInWords = []string{"please run /login", "not logged in", "not signed in", "please log in", "please login", "login required", "sign in to", "invalid api key",
	"run `codex login`", "run codex login", "grok login", "claude login", "no credentials", "no auth credentials", "missing bearer", "incorrect api key", "visit this url to", "enter the code"}

// asksToSignIn reports whether a text says that nobody is signed in.
func asksToSignIn(text string) bool {
	text = strings.ToLower(text)
	for _, words := range signInWords {
		if strings.Contains(text, words) {
			return true
		}
	}
	return unauthorised(text)
}

func unauthorised(lower string) bool {
	return strings.Contains(lower, "401") && (strings.Contains(lower, "unauthori") || strings.Contains(lower, "authentication"))
}

const quoted = 400 // characters that a reason repeats of somebody else's words

// judged is what came of a run, as far as it is the same for all agents.
func judged(a *Adapter, h Heard, e Ended) Verdict {
	v := Verdict{Answer: strings.TrimSpace(h.Answer)}
	failed := func(code, format string, args ...any) Verdict {
		v.Code, v.Reason = code, a.Label+" "+fmt.Sprintf(format, args...)
		return v
	}
	if slices.Contains(h.Errors, v.Answer) {
		v.Answer = "" // what it said was its error
	}
	complaint := lastLines(e.Stderr)
	said := strings.Join(h.Errors, "\n")
	switch {
	case e.Stopped:
		return failed(Stopped, "was stopped before it was done.")
	case e.Flooded:
		return failed(Flooded, "printed over %d MiB and was ended.", e.Printed>>20)
	case v.Answer != "" && !h.Failed && !e.TimedOut && (e.Exit == 0 || e.Lingered):
		v.OK, v.Code = true, Answered
		return v
	case e.Waiting, asksToSignIn(said), h.Understood == 0 && asksToSignIn(h.Noise+"\n"+e.Stderr):
		return failed(NoSignIn, "is not signed in, so it did nothing. %s", a.SignIn)
	case e.TimedOut:
		return failed(TimedOut, "was not done after %s and was ended.", spell(e.Limit))
	case len(h.Errors) > 0:
		return failed(Reported, "reports: %s", tool.OutsideLine(h.Errors[len(h.Errors)-1], quoted))
	case e.Signal != "":
		return failed(Killed, "was killed by %s.%s", e.Signal, complaint)
	case e.Exit != 0:
		return failed(BadExit, "ended with exit code %d.%s", e.Exit, complaint)
	case e.Torn:
		return failed(TornOutput, "ended in the middle of its output, without an answer.%s", complaint)
	case complaint != "":
		return failed(Complained, "ended as if all were well, but gave no answer.%s", complaint)
	case h.Broken > 0 && h.Understood == 0:
		return failed(NotRead, "printed %d lines that are not understood, and no answer. The last: %s", h.Broken, tool.OutsideLine(strings.TrimPrefix(h.Noise, "not understood: "), quoted))
	}
	return failed(NoAnswer, "ended as if all were well, but gave no answer.")
}

var escapes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]") })

// lastLines are the last lines of stderr, as a sentence.
func lastLines(stderr string) string {
	const most = 3
	text := strings.TrimSpace(escapes().ReplaceAllString(stderr, ""))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	return " It said: " + tool.OutsideLine(strings.Join(lines[max(0, len(lines)-most):], " / "), quoted)
}
