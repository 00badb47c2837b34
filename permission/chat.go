package permission

import (
	"context"
	"errors"
	"slices"

	"fairlead/fault"
	"fairlead/session"
)

// chat is the conversation that a session belongs to: itself, or where it is a
// helper's, the one that the helper works for in the end. A person answers there.
type chat struct {
	// above are the sessions that may answer for this one, itself first, the chat last.
	above []session.ID
	// scheduled is true where the chat is a scheduled run: nobody is asked.
	scheduled bool
}

func (c chat) root() session.ID { return c.above[len(c.above)-1] }

// answers reports whether a question may be answered in a session.
func (c chat) answers(in session.ID) bool { return slices.Contains(c.above, in) }

// deepest bounds the helpers of helpers.
const deepest = 16

// chatOf finds the chat of a session. A scheduled run is its own, and
// so is a fork that works for nobody.
func (s *Service) chatOf(ctx context.Context, log *session.Log) (chat, error) {
	var c chat
	for {
		state, err := s.state(log)
		if err != nil {
			return c, err
		}
		header := log.Header()
		c.above = append(c.above, log.ID())
		c.scheduled = state.Scheduled || state.Origin == originTask
		if header.Parent == "" || state.Scheduled {
			return c, nil
		}
		if slices.Contains(c.above, header.Parent) || len(c.above) == deepest {
			return c, fault.New(fault.Invalid, "permission.chat", "The session %s does not say whom it works for, so nobody can be asked for it.", c.above[0])
		}
		next, err := s.reading(ctx, header.Parent)
		if err != nil {
			return c, err
		}
		defer next.Close(context.WithoutCancel(ctx))
		log = next
	}
}

// reading opens another session for looking.
func (s *Service) reading(ctx context.Context, id session.ID) (*session.Log, error) {
	lib, err := s.library()
	if err != nil {
		return nil, err
	}
	log, err := lib.Read(ctx, id)
	if err != nil {
		return nil, fault.Wrap(fault.KindOf(err), "permission.chat", err, "The chat that a helper works for cannot be read, so nobody can be asked for it.")
	}
	return log, nil
}

func (s *Service) library() (*session.Library, error) {
	if s.options.Sessions != nil {
		if lib, ok := s.options.Sessions(); ok {
			return lib, nil
		}
	}
	return nil, fault.New(fault.Unavailable, "permission.chat", "The sessions of helpers cannot be found here, so nobody can be asked for them.")
}

// tellChat keeps an answer for the whole chat in the chat's own log.
func (s *Service) tellChat(ctx context.Context, c chat, changed RuleChangedData) (err error) {
	lib, err := s.library()
	if err != nil {
		return err
	}
	log, err := lib.Open(ctx, c.root())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close(ctx)) }()
	if _, err := log.Append(ctx, RuleChanged.New(0, 0, changed)); err != nil {
		return err
	}
	return log.Flush(ctx)
}
