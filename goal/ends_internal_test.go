package goal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/session"
)

func TestTheEndOfATurnSaysWhatBecomesOfAGoal(t *testing.T) {
	ended := func(kind, by string) session.TurnEndData {
		return session.TurnEndData{Reason: session.EndReason{Kind: kind, By: by}, Steps: 1}
	}
	failed := func(code string) session.TurnEndData {
		d := ended(session.EndError, "")
		d.Error = &session.ErrorData{Code: code, Message: "It failed. Try again."}
		return d
	}
	type became struct{ Phase, Why string }
	for name, c := range map[string]struct {
		end    session.TurnEndData
		person bool // the turn was no round
		state  State
		want   became
	}{
		"a round goes on to the next":             {end: ended(session.EndCompleted, "")},
		"so does one that a guard ended":          {end: ended(session.EndGuard, "repeated")},
		"a stop pauses":                           {end: ended(session.EndAborted, "user"), want: became{Paused, WhyStopped}},
		"a stop of the person's turn too":         {end: ended(session.EndAborted, "user"), person: true, want: became{Paused, WhyStopped}},
		"a shutdown leaves it":                    {end: ended(session.EndAborted, "shutdown")},
		"a server that fails pauses":              {end: failed("server"), want: became{Paused, WhyServer}},
		"one that cannot be reached too":          {end: failed("transport"), person: true, want: became{Paused, WhyServer}},
		"a credit that is used up too":            {end: failed("quota"), want: became{Paused, WhyServer}},
		"another failure blocks":                  {end: failed("refused"), want: became{Blocked, WhyError}},
		"a failure of the person's turn does not": {end: failed("refused"), person: true},
		"a budget blocks":                         {end: ended(session.EndBudget, "tokens"), want: became{Blocked, WhyBudget}},
		"nobody to approve blocks":                {end: ended(session.EndBlocked, "nobody"), want: became{Blocked, WhyUnanswered}},
		"a turn that could not run blocks":        {end: ended(session.EndBlocked, ""), want: became{Blocked, WhyError}},
		"three idle rounds block":                 {end: ended(session.EndCompleted, ""), state: State{Idle: 3}, want: became{Blocked, WhyIdle}},
		"the last round blocks":                   {end: ended(session.EndCompleted, ""), state: State{Rounds: 9}, want: became{Blocked, WhyRounds}},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.state
			s.Phase, s.Max, s.Round = Active, 9, !c.person
			got, ends := s.after(c.end)
			if diff := cmp.Diff(c.want, became{got.Phase, got.Why}); diff != "" || ends != (c.want != became{}) {
				t.Error(diff)
			}
			if ends && got.Text == "" {
				t.Error("nothing is said of it")
			}
		})
	}
}

func TestFormsOfTheCommandAreRead(t *testing.T) {
	type read struct{ Form, Rest string }
	for text, want := range map[string]read{
		"":                     {"show", ""},
		" show ":               {"show", ""},
		"pause":                {"pause", ""},
		"clear the cache":      {"new", "clear the cache"},
		"new pause":            {"new", "pause"},
		"edit  all tests pass": {"edit", "all tests pass"},
		"all tests pass":       {"new", "all tests pass"},
	} {
		form, rest := parse(text)
		if diff := cmp.Diff(want, read{form, rest}); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestFormsAreRefusedWhereTheyDoNotFit(t *testing.T) {
	d := &driver{mark: "here", max: 5}
	with := func(phase, host string, used int) State {
		return State{ChangedData: ChangedData{ID: "g1", Phase: phase, Host: host, Max: 5}, Rounds: used}
	}
	for name, c := range map[string]struct {
		state      State
		form, rest string
		want       fault.Kind
	}{
		"nothing to reach":           {State{}, "new", "", fault.Invalid},
		"a second goal":              {with(Blocked, "", 0), "new", "more", fault.Conflict},
		"none to pause":              {State{}, "pause", "", fault.NotFound},
		"a complete one to edit":     {with(Complete, "", 1), "edit", "more", fault.NotFound},
		"paused twice":               {with(Paused, "", 0), "pause", "", fault.Conflict},
		"resumed where it is active": {with(Active, "here", 0), "resume", "", fault.Conflict},
		"resumed without rounds":     {with(Blocked, "", 5), "resume", "", fault.Conflict},
	} {
		if got, err := d.asked(c.state, c.form, c.rest); !fault.Is(err, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got, err := d.asked(with(Active, "elsewhere", 2), "resume", ""); err != nil || got.Host != "here" {
		t.Errorf("a goal that waits since a restart is not resumed: %+v, %v", got, err)
	}
}

func TestTheModelMayNotGiveUpBeforeThreeRounds(t *testing.T) {
	d := &driver{}
	if _, err := d.blocked().end(State{Tried: 1, Open: true}, "no"); !fault.Is(err, fault.Denied) {
		t.Errorf("it may in its second round: %v", err)
	}
	got, err := d.blocked().end(State{Tried: 2, Rounds: 2, Open: true}, "no such thing")
	if err != nil || got.Why != WhyStuck || got.Phase != Blocked {
		t.Errorf("it may not in its third round: %+v, %v", got, err)
	}
}
