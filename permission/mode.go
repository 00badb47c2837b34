package permission

import (
	"crypto/rand"

	"fairlead/session"
)

// Mode says how much a session asks.
type Mode string

// The modes. Anything else is [Manual].
const (
	Manual Mode = "manual" // asks before any change
	Plan   Mode = "plan"   // looks only; a change is refused without asking
	Bypass Mode = "bypass" // asks for protected paths only; ends with the process
)

// ParseMode reads a mode; an unknown word is Manual, and known is false.
func ParseMode(word string) (mode Mode, known bool) {
	switch m := Mode(word); m {
	case Manual, Plan, Bypass:
		return m, true
	}
	return Manual, false
}

// Mark names a process at random. Bypass counts in the process that chose it, so
// each makes its own.
type Mark string

// NewMark makes the mark of a process.
func NewMark() Mark { return Mark(rand.Text()) }

// ModeSelectedData is a choice of mode. By is "person", "default", "unknown" (the
// word asked for was none) or "restart" (Bypass lapsed). Host is the process that
// chose it.
type ModeSelectedData struct {
	Mode Mode   `json:"mode"`
	By   string `json:"by"`
	Host Mark   `json:"host"`
}

// ModeSelected is appended before a turn where the mode is not yet what the turn wants.
var ModeSelected = session.Kind[ModeSelectedData]{Name: "mode/selected", Doc: "how much the session asks from here on"}

// ModeState is the fold behind the projection "mode": the last choice and the mode
// that the running turn was given.
type ModeState struct {
	Mode Mode   `json:"mode"`
	By   string `json:"by"`
	Host Mark   `json:"host,omitempty"`
	// Turn is the last turn that started, TurnMode the mode it started with and
	// Origin who gave it its input.
	Turn     int    `json:"turn,omitempty"`
	TurnMode Mode   `json:"turnMode,omitempty"`
	Origin   string `json:"origin,omitempty"`
	// Scheduled is true where a task made the session.
	Scheduled bool `json:"scheduled,omitempty"`
}

// ModeView is what viewers see: the mode in force. Lapsed is true where a Bypass
// of an earlier process has ended.
type ModeView struct {
	Mode   Mode   `json:"mode"`
	By     string `json:"by"`
	Lapsed bool   `json:"lapsed,omitempty"`
}

// inForce is the mode a new turn gets where nobody asks for another.
func (s ModeState) inForce(mark Mark) ModeView {
	if s.Mode == Bypass && s.Host != mark {
		return ModeView{Mode: Manual, By: "restart", Lapsed: true}
	}
	mode, _ := ParseMode(string(s.Mode))
	return ModeView{Mode: mode, By: s.By}
}

// ofTurn is the mode of a call in a turn: what the turn started with, Manual for a
// call outside the running turn.
func (s ModeState) ofTurn(turn int, mark Mark) Mode {
	if turn == 0 || turn != s.Turn {
		return Manual
	}
	mode, _ := ParseMode(string(s.TurnMode))
	if mode == Bypass && s.Host != mark {
		return Manual
	}
	return mode
}

// originTask is the origin of turns that a schedule started.
const originTask = "task"

// modeProjection folds the mode. What it shows depends on the process: a Bypass of
// another one has lapsed.
func modeProjection(mark Mark) session.Projection[ModeState] {
	return session.Projection[ModeState]{
		Name: "mode", Version: 2,
		Init: func() ModeState { return ModeState{Mode: Manual, By: "default"} },
		Fold: func(s ModeState, e session.Event) ModeState {
			switch {
			case ModeSelected.Of(e):
				if d, err := ModeSelected.Decode(e); err == nil {
					s.Mode, s.By, s.Host = d.Mode, d.By, d.Host
				} else {
					s.Mode, s.By, s.Host = Manual, "unknown", ""
				}
			case session.Forked.Of(e):
				s.Host, s.Scheduled = "", false // Bypass is for one session, and a fork is a person's
			case session.TurnStart.Of(e):
				d, err := session.TurnStart.Decode(e)
				if err != nil {
					d.Mode = string(Manual)
				}
				s.Scheduled = s.Scheduled || s.Turn == 0 && d.Origin == originTask
				s.Turn, s.TurnMode, s.Origin = e.Turn, Mode(d.Mode), d.Origin
			}
			return s
		},
		View: func(s ModeState) any { return s.inForce(mark) },
	}
}
