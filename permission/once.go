package permission

import (
	"context"

	"fairlead/session"
	"fairlead/tool"
)

// chatID is what is asked once in a chat.
type chatID struct {
	chat    session.ID
	subject string
}

// askOnce asks for the whole chat: while one question waits, others wait for its
// answer instead of asking again.
func (s *Service) askOnce(ctx context.Context, q *question) (tool.Answer, error) {
	at := chatID{q.chat.root(), q.once}
	for {
		s.mu.Lock()
		settled, busy := s.settling[at]
		if !busy {
			s.settling[at] = make(chan struct{})
		}
		s.mu.Unlock()
		if !busy {
			break
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return tool.Answer{DeniedBy: byNobody}, q.withdraw(ctx, byStop, "not needed any more")
		}
	}
	defer func() {
		s.mu.Lock()
		close(s.settling[at])
		delete(s.settling, at)
		s.mu.Unlock()
	}()
	rule, err := s.webRule(ctx, q.call.Log, q.chat, q.once)
	switch {
	case err != nil:
		return tool.Answer{}, err
	case rule.No:
		d := tool.DecidedData{Decision: Denied, By: "rule", Rule: rule.ID, Reason: "the chat was answered no to the web"}
		return tool.Answer{DeniedBy: "rule", Model: webRefusal}, q.conclude(ctx, d)
	case rule.ID != "":
		d := tool.DecidedData{Decision: Allowed, By: "rule", Rule: rule.ID, Reason: "the chat was answered yes to the web"}
		return tool.Answer{Approved: true, Policy: q.verdict.Policy}, q.conclude(ctx, d)
	}
	return s.put(ctx, q)
}

// conclude logs a decision on a call that needed no question of its own.
func (q *question) conclude(ctx context.Context, d tool.DecidedData) error {
	d.Call, d.Mode = q.call.ID, string(q.mode)
	return q.record(context.WithoutCancel(ctx), q, d, nil)
}
