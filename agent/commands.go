package agent

import (
	"context"
	"encoding/json"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

// offerCommands registers what people do with the messages that wait.
func offerCommands(f *graph.Fiber, h *Host) {
	const one = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`
	verb := func(name, summary, params string, run func(context.Context, *Agent, queueArguments) error) command.Command {
		return command.Command{Name: name, Scope: command.Session, Summary: summary, Params: json.RawMessage(params),
			Run: func(ctx context.Context, c command.Call) (any, error) {
				var args queueArguments
				if len(c.Args) > 0 {
					if err := json.Unmarshal(c.Args, &args); err != nil {
						return nil, fault.Wrap(fault.Invalid, "agent.queue", err, "%s takes other arguments. Nothing was changed.", name)
					}
				}
				a, err := h.Open(ctx, session.ID(c.Session))
				if err != nil {
					return nil, err
				}
				return struct{}{}, run(ctx, a, args)
			}}
	}
	command.Register(f,
		verb("queue.remove", "takes a waiting message out of the queue", one,
			func(ctx context.Context, a *Agent, args queueArguments) error { return a.Remove(ctx, args.ID) }),
		verb("queue.promote", "sends a waiting message with the next step", one,
			func(ctx context.Context, a *Agent, args queueArguments) error { return a.Promote(ctx, args.ID) }),
		verb("queue.edit", "replaces the text of a waiting message",
			`{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string","minLength":1}},"required":["id","text"],"additionalProperties":false}`,
			func(ctx context.Context, a *Agent, args queueArguments) error {
				return a.Edit(ctx, args.ID, llm.Text(args.Text))
			}),
		verb("queue.hold", "keeps the queue from going on", "",
			func(ctx context.Context, a *Agent, _ queueArguments) error { return a.Hold(ctx, true) }),
		verb("queue.release", "lets the queue go on", "",
			func(ctx context.Context, a *Agent, _ queueArguments) error { return a.Hold(ctx, false) }),
	)
}

type queueArguments struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}
