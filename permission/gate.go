package permission

import (
	"context"
	"slices"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/tool"
)

// CodeModeUnavailable is the fault code where a turn could not get its mode.
const CodeModeUnavailable = "mode-unavailable"

// Admit is [fairlead/agent.Gate]: it settles the mode of a turn before the turn
// starts. mode is the word that came with the message; "" keeps the one in force.
// The mode is written, read back and compared; where that fails the turn must not
// start (fault.Unavailable, [CodeModeUnavailable]). It is durable before the turn has
// any effect: the loop waits for the disk before its first request.
func (s *Service) Admit(ctx context.Context, log *session.Log, turn int, mode string) (string, error) {
	state, err := s.state(log)
	if err != nil {
		return "", unavailable(err)
	}
	if owed := s.rooms.owes(log.ID()); len(owed) > 0 {
		if _, err := log.Append(ctx, owed...); err != nil {
			return "", unavailable(err)
		}
	}
	wanted, by := s.wanted(state, mode)
	if state.Host == "" || state.Mode != wanted || (wanted == Bypass && state.Host != s.mark) {
		if _, err := log.Append(ctx, ModeSelected.New(0, 0, ModeSelectedData{Mode: wanted, By: by, Host: s.mark})); err != nil {
			return "", unavailable(err)
		}
	}
	if state, err = s.state(log); err != nil {
		return "", unavailable(err)
	}
	if got := state.inForce(s.mark).Mode; got != wanted {
		return "", unavailable(fault.New(fault.Internal, "permission.admit", "turn %d wants %s, the log says %s", turn, wanted, got))
	}
	return string(wanted), nil
}

func (s *Service) wanted(state ModeState, word string) (Mode, string) {
	if word == "" {
		view := state.inForce(s.mark)
		return view.Mode, view.By
	}
	mode, known := ParseMode(word)
	if !known {
		return Manual, "unknown"
	}
	return mode, "person"
}

func unavailable(err error) error {
	return fault.Wrap(fault.Unavailable, "permission.admit", err, "The mode of this turn could not be confirmed, so it was not started. Try again; if it stays so, see Details.").
		WithCode(CodeModeUnavailable)
}

// Mode gives the mode in force for the next turn of a session.
func (s *Service) Mode(log *session.Log) (ModeView, error) {
	state, err := s.state(log)
	if err != nil {
		return ModeView{Mode: Manual}, err
	}
	return state.inForce(s.mark), nil
}

// Judge decides on a call; it is the pre-execute listener. Nothing of what the
// model wrote counts but the arguments themselves.
func (s *Service) Judge(ctx context.Context, call *tool.Call) (tool.Verdict, error) {
	state, err := s.state(call.Log)
	if err != nil {
		return tool.Verdict{}, err
	}
	f, err := s.facts(ctx, call)
	if err != nil {
		return tool.Verdict{}, err
	}
	mode := state.ofTurn(call.Turn, s.mark)
	v := judge(mode, f, s.walls(call))
	if v.Decision == tool.Ask && v.Grave == "" {
		if rule, ok := s.ruleFor(call, f); ok {
			v.Decision, v.By, v.Rule, v.Reason, v.Facts = tool.Allow, "rule", rule.ID, "a standing permission covers it", nil
		}
	}
	return v, nil
}

// facts looks at a call with our own code.
func (s *Service) facts(ctx context.Context, call *tool.Call) (f facts, err error) {
	if t, ok := call.Uses.(tool.ReadOnly); ok {
		f.looks = t.ReadOnly(call)
	}
	if t, ok := call.Uses.(tool.Delegator); ok && t.Delegates(call) {
		chat, err := s.chatOf(ctx, call.Log)
		if err != nil {
			return f, err
		}
		f.delegates, f.present = true, s.attends(chat)
	}
	if t, ok := call.Uses.(tool.Toucher); ok {
		for _, touch := range t.Touches(call) {
			f.touch(call, touch, s.options.Own)
		}
	}
	if t, ok := call.Uses.(tool.Commander); ok {
		if cmd, ok := t.Command(call); ok {
			f.command, f.cmd = true, cmd
			if s.options.Proof != nil {
				f.proved = s.options.Proof(ctx, cmd)
			}
		}
	}
	f.web, err = s.outbound(ctx, call)
	return f, err
}

// touch judges a path as given and as resolved. One that cannot be followed may
// lead anywhere, so changing it is judged as changing something protected.
func (f *facts) touch(call *tool.Call, t tool.Touch, own []string) {
	resolved, err := call.Resolve(t.Path)
	if err != nil {
		resolved = t.Path
		if t.Change && f.grave == "" {
			f.grave = t.Path
		}
	}
	if t.Change {
		f.changes = append(f.changes, resolved)
	}
	for _, path := range []string{t.Path, resolved} {
		if t.Change && f.grave == "" && tool.ProtectedPath(path, own...) {
			f.grave = resolved
		}
		if !t.Change && f.secret == "" && tool.SecretPath(path) {
			f.secret = resolved
		}
	}
}

// walls says how children of a call can be confined here.
func (s *Service) walls(call *tool.Call) walls {
	w := walls{path: s.options.Path, deny: slices.Concat(s.options.Own, tool.ProtectedAround(s.options.Personal))}
	if call.Folder != "" {
		w.deny = append(w.deny, tool.ProtectedIn(call.Folder)...)
	}
	w.write = s.writable(call.Folder)
	if s.options.Probe != nil {
		report := s.options.Probe()
		w.confines, w.files = report.Confines(), report.Files != ""
	}
	return w
}
