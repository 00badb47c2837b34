package turnguard

import (
	"fmt"
	"strconv"
	"time"

	"fairlead/llm"
	"fairlead/settings"
)

// Limits are what a scope may use up. A limit of 0 is none.
type Limits struct {
	Steps  int           `yaml:"steps" json:"steps,omitempty" doc:"Model requests with their calls."`
	Tokens int           `yaml:"tokens" json:"tokens,omitempty" doc:"Tokens, in and out."`
	USD    float64       `yaml:"usd" json:"usd,omitempty" doc:"US dollars, by the price table."`
	Time   time.Duration `yaml:"time" json:"ns,omitempty" doc:"Time in which the agent works."`
}

// Budgets are the limits of every scope.
type Budgets struct {
	Turn    Limits `yaml:"turn"`    // one turn
	Session Limits `yaml:"session"` // all turns of a session
	Goal    Limits `yaml:"goal"`    // the rounds of a goal
	Tree    Limits `yaml:"tree"`    // a session with its helpers, and theirs
}

// Section is the part of the settings that holds the person's budgets.
var Section = settings.NewSection("budget", "What the agent may use up before it stops and says so: in a turn, a session, a goal, and a session with all its helpers. 0 is no limit.", Budgets{})

// The scopes, from the narrowest on.
const (
	scopeTurn    = "turn"
	scopeSession = "session"
	scopeGoal    = "goal"
	scopeTree    = "tree"
)

// of gives the limits of a scope.
func (b *Budgets) of(scope string) *Limits {
	return map[string]*Limits{scopeTurn: &b.Turn, scopeSession: &b.Session, scopeGoal: &b.Goal, scopeTree: &b.Tree}[scope]
}

// over gives l with what other limits instead.
func (l Limits) over(other Limits) Limits {
	pick := func(a, b int) int {
		if b > 0 {
			return b
		}
		return a
	}
	l.Steps, l.Tokens = pick(l.Steps, other.Steps), pick(l.Tokens, other.Tokens)
	if other.USD > 0 {
		l.USD = other.USD
	}
	if other.Time > 0 {
		l.Time = other.Time
	}
	return l
}

// Words of [session.EndReason].By for what was used up.
const (
	bySteps  = "steps"
	byTokens = "tokens"
	byMoney  = "money"
	byTime   = "time"
)

// reached says which limit is used up, "" for none, with both figures for a person.
func (l Limits) reached(t Tally) (by, used, limit string) {
	switch {
	case l.Steps > 0 && t.Steps >= l.Steps:
		return bySteps, count(t.Steps), count(l.Steps)
	case l.Tokens > 0 && t.Tokens >= l.Tokens:
		return byTokens, count(t.Tokens), count(l.Tokens)
	case l.USD > 0 && t.Cost >= llm.Dollars(l.USD):
		return byMoney, t.Cost.String(), llm.Dollars(l.USD).String()
	case l.Time > 0 && t.time() >= l.Time:
		return byTime, span(t.time()), span(l.Time)
	}
	return "", "", ""
}

// larger doubles what was reached, or what was used up where that is more.
func (l Limits) larger(by string, t Tally) Limits {
	switch by {
	case bySteps:
		return Limits{Steps: max(2*l.Steps, t.Steps+l.Steps)}
	case byTokens:
		return Limits{Tokens: max(2*l.Tokens, t.Tokens+l.Tokens)}
	case byMoney:
		return Limits{USD: max(2*l.USD, t.Cost.Dollars()+l.USD)}
	case byTime:
		return Limits{Time: max(2*l.Time, t.time()+l.Time)}
	}
	return Limits{}
}

// count writes a number with its thousands apart.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// span writes a time as people do.
func span(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
