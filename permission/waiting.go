package permission

import (
	"context"
	"slices"
	"sync"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/tool"
)

// Kinds lists what this room declares; the kinds of questions and decisions are
// [tool.Asked] and [tool.Decided].
func Kinds() []session.AnyKind { return []session.AnyKind{ModeSelected, RuleChanged} }

// What was decided on a call.
const (
	Approved = "approved" // a person said yes
	Denied   = "denied"   // somebody or something said no
	Allowed  = "allowed"  // nobody needed to be asked
)

// Who decided, where it was not a person, a mode, a rule, the proof or the tool.
const (
	byNobody = "nobody" // there was nobody to be asked
	byStop   = "stop"   // the question was withdrawn with its turn
)

// Approvals folds the questions that wait, in the order asked. Asked again
// for the same call, a question replaces the earlier one: the target changed while
// it waited. A decision, a result and the end of the turn close one.
var Approvals = session.Projection[[]tool.AskedData]{
	Name: "approvals", Version: 2,
	Fold: foldWaiting,
	View: func(waiting []tool.AskedData) any {
		if waiting == nil {
			return []tool.AskedData{}
		}
		return waiting
	},
}

func foldWaiting(waiting []tool.AskedData, e session.Event) []tool.AskedData {
	switch {
	case tool.Asked.Of(e):
		d, err := tool.Asked.Decode(e)
		if err != nil {
			return waiting // a question nobody can read cannot be answered; its call stays closed
		}
		return append(without(waiting, d.Call), d)
	case tool.Decided.Of(e):
		if d, err := tool.Decided.Decode(e); err == nil {
			return without(waiting, d.Call)
		}
	case session.ToolResult.Of(e):
		if d, err := session.ToolResult.Decode(e); err == nil {
			return without(waiting, d.Call)
		}
	case session.TurnEnd.Of(e):
		// A question about the folder belongs to no turn.
		return slices.DeleteFunc(slices.Clone(waiting), func(w tool.AskedData) bool { return w.Tool != folderTool })
	case session.Forked.Of(e):
		return nil
	}
	return waiting
}

// without leaves out a call's question. It copies: a fold never changes an earlier state.
func without(waiting []tool.AskedData, call string) []tool.AskedData {
	var kept []tool.AskedData
	for _, w := range waiting {
		if w.Call != call {
			kept = append(kept, w)
		}
	}
	return kept
}

// Consult is [tool.Consulter]: a call waits for a person's word that is no approval.
func (s *Service) Consult(ctx context.Context, call *tool.Call) (left <-chan struct{}, done func(), reason string) {
	chat, err := s.chatOf(ctx, call.Log)
	if err != nil {
		return nil, nil, fault.Person(err)
	}
	if left, reason = s.attendance(chat); reason != "" {
		return nil, nil, reason
	}
	id := call.Log.ID()
	s.consulting(id, 1)
	return left, sync.OnceFunc(func() { s.consulting(id, -1) }), ""
}

func (s *Service) consulting(id session.ID, by int) {
	s.mu.Lock()
	if s.consulted[id] += by; s.consulted[id] == 0 {
		delete(s.consulted, id)
	}
	s.mu.Unlock()
	s.announce()
}

// Sessions are those in which something waits for a person: an approval, or another
// word of theirs.
func (s *Service) Sessions() map[session.ID]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[session.ID]bool{}
	for at := range s.waiting {
		all[at.session] = true
	}
	for id := range s.consulted {
		all[id] = true
	}
	return all
}
