package subagent

import (
	"fmt"
	"slices"

	"fairlead/session"
)

// Family is what works for a session.
type Family struct {
	Helpers []Member `json:"helpers"`
	// Wakes counts the reports that woke the session since a person said something.
	Wakes int `json:"wakes,omitempty"`
}

// Member is one helper as a row shows it. Times are Unix milliseconds.
type Member struct {
	Session session.ID `json:"session"`
	Name    string     `json:"name"`
	Task    string     `json:"task"`
	Status  string     `json:"status"`
	Model   string     `json:"model,omitempty"`
	Preset  string     `json:"preset,omitempty"`
	Fork    bool       `json:"fork,omitempty"`
	Depth   int        `json:"depth"`
	Round   int        `json:"round"`
	Began   int64      `json:"began"` // of the round
	Ended   int64      `json:"ended,omitempty"`
	Tokens  int        `json:"tokens"`
	Steps   int        `json:"steps"`
	Why     string     `json:"why,omitempty"`
	// Call is the call whose result is to be the report of the round that ended last;
	// Owed is true where that result never came, so that nobody was told.
	Call string `json:"call,omitempty"`
	Owed bool   `json:"owed,omitempty"`
}

// unfinished reports whether the end of the helper's work is still to come.
func (m Member) unfinished() bool { return m.Status == Working || m.Status == Waiting }

// Helpers folds the family of a session. A fork begins without one.
var Helpers = session.Projection[Family]{
	Name: "helpers", Version: 1, Fold: foldFamily,
	View: func(f Family) any { return append([]Member{}, f.Helpers...) },
}

func foldFamily(f Family, e session.Event) Family {
	switch e.Type {
	case session.Forked.Name:
		return Family{}
	case Started.Name:
		if d, err := Started.Decode(e); err == nil {
			f.Helpers = append(slices.Clip(f.Helpers), Member{Session: d.Helper, Name: d.Name, Task: d.Task, Status: Working, Model: d.Model, Preset: d.Preset,
				Fork: d.Fork, Depth: d.Depth, Round: 1, Began: e.At})
		}
	case Changed.Name:
		if d, err := Changed.Decode(e); err == nil {
			return f.with(d.Helper, func(m *Member) { m.change(d, e.At) })
		}
	case Ended.Name:
		if d, err := Ended.Decode(e); err == nil {
			return f.with(d.Helper, func(m *Member) { m.end(d, e.At) })
		}
	case session.ToolResult.Name:
		return f.answered(e)
	case session.InboxChanged.Name:
		if d, err := session.InboxChanged.Decode(e); err == nil && d.Op == "queued" && d.Message.Delivery == wakes && d.Message.Origin == origin {
			f.Wakes++
		}
	case session.UserMessage.Name:
		if d, err := session.UserMessage.Decode(e); err == nil && d.Origin != origin {
			f.Wakes = 0
		}
	}
	return f
}

func (m *Member) change(d ChangedData, at int64) {
	if d.Round > m.Round {
		m.Round, m.Began, m.Ended, m.Why, m.Call, m.Owed = d.Round, at, 0, "", "", false
	}
	if d.Status != "" {
		m.Status = d.Status
	}
	m.Tokens, m.Steps = max(m.Tokens, d.Tokens), max(m.Steps, d.Steps)
	if d.Told {
		m.Owed = false
	}
}

func (m *Member) end(d EndedData, at int64) {
	m.Status, m.Round, m.Ended, m.Tokens, m.Steps, m.Why, m.Call = d.Outcome, d.Round, at, d.Tokens, d.Steps, d.Why, d.Call
}

// answered notes the result of a call that was to be a report.
func (f Family) answered(e session.Event) Family {
	if !slices.ContainsFunc(f.Helpers, func(m Member) bool { return m.Call != "" }) {
		return f
	}
	d, err := session.ToolResult.Decode(e)
	if err != nil {
		return f
	}
	i := slices.IndexFunc(f.Helpers, func(m Member) bool { return m.Call != "" && m.Call == d.Call })
	if i < 0 {
		return f
	}
	return f.with(f.Helpers[i].Session, func(m *Member) {
		m.Call, m.Owed = "", d.Failed
	})
}

// with gives the family with one member changed.
func (f Family) with(id session.ID, change func(*Member)) Family {
	f.Helpers = slices.Clone(f.Helpers)
	for i := range f.Helpers {
		if f.Helpers[i].Session == id {
			change(&f.Helpers[i])
		}
	}
	return f
}

// member finds a helper by its name or session.
func (f Family) member(name string) (Member, bool) {
	i := slices.IndexFunc(f.Helpers, func(m Member) bool { return m.Name == name || string(m.Session) == name })
	if i < 0 {
		return Member{}, false
	}
	return f.Helpers[i], true
}

// free makes a name that no other helper of the family has.
func (f Family) free(name string) string {
	for n := 1; ; n++ {
		try := name
		switch {
		case name == "":
			try = fmt.Sprintf("helper-%d", len(f.Helpers)+n)
		case n > 1:
			try = fmt.Sprintf("%s-%d", name, n)
		}
		if _, taken := f.member(try); !taken {
			return try
		}
	}
}
