package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/catalog"
	"fairlead/session"
)

func (c *console) sessionVerify() *cobra.Command {
	return c.one("verify ID", "Prove that a session is as it was written: exit 0 valid, 1 changed", c.verify, 0)
}

func (c *console) verify(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
	report, err := lib.Verify(ctx, id, c.known(ctx, lib, id)...)
	if err != nil {
		return &exit{code: exitFailed, err: err}
	}
	if asJSON {
		if err := c.json(app.Proved(report)); err != nil {
			return err
		}
	} else if report.Valid() {
		fmt.Fprintf(c.out, "%s is as it was written: %s, the last one with seq %d.\n", id, count(report.Events, "event"), report.Last.Seq)
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

// known is the catalog's copy of a session's last event, which tells of a log that is
// shorter than it was.
func (c *console) known(ctx context.Context, lib *session.Library, id session.ID) []session.Mark {
	cat := c.catalog(lib)
	if cat == nil {
		return nil
	}
	defer cat.Close()
	seq, hash, found, err := cat.Mark(ctx, id)
	if err != nil {
		c.log().Warn("the catalog could not be asked how far the session reached", "error", err)
	}
	if err != nil || !found || seq == 0 {
		return nil
	}
	return []session.Mark{{Seq: seq, Hash: hash}}
}

// catalog opens the home's catalog, nil where there is none yet.
func (c *console) catalog(lib *session.Library) *catalog.Catalog {
	home, err := c.home()
	if err != nil {
		return nil // the library was found in it
	}
	path := app.Home(home).Catalog()
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return catalog.New(catalog.Options{Path: path, Library: lib, Log: c.log()})
}
