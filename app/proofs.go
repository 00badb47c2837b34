package app

import (
	"context"
	"encoding/json"

	"fairlead/catalog"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// offerProofs registers what the command line does with a session to prove it, for
// the page and other programs. Without a library there is nothing to prove.
func (a *App) offerProofs(f *graph.Fiber) error {
	lib, err := graph.Get(f, session.LibraryKey)
	if fault.Is(err, fault.Unavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	one := json.RawMessage(`{"type":"object","properties":{"session":{"type":"string"}},"required":["session"],"additionalProperties":false}`)
	command.Register(f,
		command.Command{Name: "session.verify", Scope: command.Host, Params: one, Summary: "Prove that nothing in a session was changed, dropped or put elsewhere.",
			Run: named(func(ctx context.Context, id session.ID, _ int) (any, error) {
				known, err := a.known(ctx, f, id)
				if err != nil {
					return nil, err
				}
				report, err := lib.Verify(ctx, id, known...)
				if err != nil {
					return nil, err
				}
				return Proved(report), nil
			})},
		command.Command{Name: "session.repair", Scope: command.Host, Params: one, Summary: "Make a damaged session valid again; the damaged log is kept beside it.",
			Run: named(func(ctx context.Context, id session.ID, _ int) (any, error) {
				report, err := lib.Repair(ctx, id)
				if err != nil || report.Kept == "" {
					return report, err
				}
				if c, ok := graph.Lookup(f.Realm(), catalog.Key); ok {
					err = c.Reread(ctx, id)
				}
				return report, err
			})},
		command.Command{Name: "session.replay", Scope: command.Host, Params: one, Summary: "Run a session again on its recorded replies and results and name the first place that differs.",
			Run: named(func(ctx context.Context, id session.ID, _ int) (any, error) {
				log, err := lib.Read(ctx, id)
				if err != nil {
					return nil, err
				}
				defer log.Close(context.WithoutCancel(ctx))
				return Replay(ctx, log)
			})},
		command.Command{Name: "session.request", Scope: command.Host, Summary: "The exact bytes of the nth request of a session, without n of the one for its title, written again from the log.",
			Params: json.RawMessage(`{"type":"object","properties":{"session":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["session"],"additionalProperties":false}`),
			Run: named(func(ctx context.Context, id session.ID, n int) (any, error) {
				log, err := lib.Read(ctx, id)
				if err != nil {
					return nil, err
				}
				defer log.Close(context.WithoutCancel(ctx))
				ask := func() (*Sent, error) { return Request(log, n) }
				if n == 0 {
					ask = func() (*Sent, error) { return TitleRequest(log) }
				}
				sent, err := ask()
				if sent == nil {
					return nil, err
				}
				return sent, nil // that it was not reproduced is the answer
			})},
	)
	return nil
}

// known is the catalog's copy of a session's last event, where there is a catalog.
func (a *App) known(ctx context.Context, f *graph.Fiber, id session.ID) ([]session.Mark, error) {
	c, ok := graph.Lookup(f.Realm(), catalog.Key)
	if !ok {
		return nil, nil
	}
	seq, hash, found, err := c.Mark(ctx, id)
	if err != nil || !found || seq == 0 {
		return nil, err
	}
	return []session.Mark{{Seq: seq, Hash: hash}}, nil
}

// named reads the session that a call is about.
func named(run func(ctx context.Context, id session.ID, n int) (any, error)) func(context.Context, command.Call) (any, error) {
	return func(ctx context.Context, call command.Call) (any, error) {
		var args struct {
			Session session.ID
			N       int
		}
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return nil, fault.Wrap(fault.Invalid, "app.proof", err, "The call names no session. Nothing was done.")
		}
		return run(ctx, args.Session, args.N)
	}
}
