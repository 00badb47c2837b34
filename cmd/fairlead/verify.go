package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"fairlead/session"
)

func (c *console) sessionVerify() *cobra.Command {
	return c.one("verify ID", "Prove that a session is as it was written: exit 0 valid, 1 changed", c.verify, 0)
}

func (c *console) verify(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
	report, err := lib.Verify(ctx, id)
	if err != nil {
		return &exit{code: exitFailed, err: err}
	}
	if asJSON {
		if err := c.json(map[string]any{"id": report.ID, "valid": report.Valid(), "events": report.Events, "last": report.Last, "problems": report.Problems}); err != nil {
			return err
		}
	} else if report.Valid() {
		fmt.Fprintf(c.out, "%s is as it was written: %d events, the last one with seq %d.\n", id, report.Events, report.Last.Seq)
	}
	if report.Valid() {
		return nil
	}
	if !asJSON {
		fmt.Fprintf(c.out, "%s is not as it was written:\n", id)
		for _, p := range report.Problems {
			fmt.Fprintln(c.out, "  "+p.Text)
		}
		fmt.Fprintf(c.out, "Nothing was changed by looking. Make a valid copy with: fairlead session repair %s\n", id)
	}
	return &exit{code: exitFailed}
}
