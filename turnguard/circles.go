package turnguard

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// circlesEnd is how many calls that lead nowhere end a turn, and rounds the longest
// circle that is looked for among them.
const (
	circlesEnd = 12
	rounds     = 3
)

// Words of [session.EndReason].By for what went on without end.
const (
	byRepeated    = "repeated"    // the same call
	byAlternating = "alternating" // two or three calls in turn
	byVaried      = "varied"      // the same call but for trifles
)

// Form tells calls apart, each time with less care: their exact arguments; letters
// and digits alone, in lower case; and those without telling numbers apart.
type Form struct {
	Exact  string `json:"exact"`
	Plain  string `json:"plain"`
	Number string `json:"number"`
}

func formOf(tool, args string) Form {
	exact := canonical(args)
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, exact)
	var number strings.Builder
	digits := false
	for _, r := range plain {
		if d := unicode.IsDigit(r); d && digits {
			continue
		} else if digits = d; d {
			r = '0'
		}
		number.WriteRune(r)
	}
	return Form{hash(tool, exact), hash(tool, plain), hash(tool, number.String())}
}

func hash(tool, text string) string {
	sum := sha256.Sum256([]byte(tool + "\x00" + text))
	return hex.EncodeToString(sum[:8])
}

// circle says how the newest calls go in circles, "" where they do not. Numbers are
// trifles only among calls that all failed: who reads a long file on and on gets
// somewhere.
func (c Course) circle() string {
	if c.Run >= circlesEnd {
		return byRepeated
	}
	if len(c.Calls) < circlesEnd {
		return ""
	}
	failed := true
	for _, m := range c.Calls {
		failed = failed && m.Failed
	}
	for period := 1; period <= rounds; period++ {
		if goesRound(c.Calls, period, func(f Form) string { return f.Plain }) || failed && goesRound(c.Calls, period, func(f Form) string { return f.Number }) {
			if period == 1 {
				return byVaried
			}
			return byAlternating
		}
	}
	return ""
}

func goesRound(calls []Made, period int, form func(Form) string) bool {
	for i := period; i < len(calls); i++ {
		if form(calls[i].Form) != form(calls[i-period].Form) {
			return false
		}
	}
	return true
}
