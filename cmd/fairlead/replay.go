package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/session"
)

func (c *console) sessionReplay() *cobra.Command {
	return c.one("replay ID", "Run a session again on its recorded replies and results and name the first place that differs: exit 0 the same, 1 not", c.replay, 0)
}

func (c *console) replay(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
	log, err := lib.Read(ctx, id)
	if err != nil {
		return err
	}
	defer log.Close(ctx)
	r, err := app.Replay(ctx, log)
	if err != nil {
		return err
	}
	switch d := r.Divergence; {
	case asJSON:
		if err := c.json(r); err != nil {
			return err
		}
	case d == nil:
		fmt.Fprintf(c.out, "%s goes the same way again: %s, %s, byte for byte. Nothing was sent and nothing ran.\n", id, count(r.Turns, "turn"), count(r.Requests, "request"))
	default:
		fmt.Fprintf(c.out, "%s goes another way at request %d (turn %d): %s.\n", id, d.Request, d.Turn, d.What)
		if d.Recorded != "" || d.Replayed != "" {
			fmt.Fprintf(c.out, "  from byte %d\n  recorded: %q\n  replayed: %q\n", d.Offset, d.Recorded, d.Replayed)
		}
		fmt.Fprintln(c.out, "Nothing was sent and nothing ran; the session is as it was.")
	}
	if r.Divergence != nil {
		return &exit{code: exitFailed}
	}
	return nil
}
