package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/catalog"
	"fairlead/fault"
	"fairlead/interchange"
	"fairlead/session"
)

// sessionKeeping are the verbs that change a session or take it elsewhere. Where a
// running host holds the session the lease says so, and nothing is done.
func (c *console) sessionKeeping() []*cobra.Command {
	return []*cobra.Command{
		c.one("rename ID TITLE", "Give a session a title that stays", c.appendTo(func(args []string, _ session.MetaState) (session.Draft, string, error) {
			title := session.CleanTitle(strings.Join(strings.Fields(args[0]), " "))
			if title == "" {
				return session.Draft{}, "", usage("A title must not be empty. The old one stays.")
			}
			return session.Titled.New(0, 0, session.TitledData{Title: title, By: session.ByPerson}), "renamed", nil
		}), 1),
		c.one("archive ID", "Put a session away; it is kept and can be brought back", c.appendTo(func(_ []string, m session.MetaState) (session.Draft, string, error) {
			return session.Archived.New(0, 0, session.ArchivedData{Archived: true, Pinned: m.Pinned}), "archived", nil
		}), 0),
		c.one("unarchive ID", "Bring a session back", c.appendTo(func(_ []string, m session.MetaState) (session.Draft, string, error) {
			return session.Archived.New(0, 0, session.ArchivedData{Pinned: m.Pinned}), "brought back", nil
		}), 0),
		c.sessionDelete(), c.sessionFork(), c.sessionRepair(), c.sessionSweep(), c.sessionSearch(), c.sessionExport(), c.sessionImport(),
	}
}

// did reports what a verb did.
func (c *console) did(asJSON bool, id session.ID, what string) error {
	if asJSON {
		return c.json(map[string]any{"session": id, "done": what})
	}
	_, err := fmt.Fprintf(c.out, "%s %s\n", id, what)
	return err
}

// appendTo makes a verb that adds one event to a session.
func (c *console) appendTo(draft func(args []string, m session.MetaState) (session.Draft, string, error)) func(context.Context, *session.Library, session.ID, []string, bool) error {
	return func(ctx context.Context, lib *session.Library, id session.ID, args []string, asJSON bool) error {
		log, err := lib.Open(ctx, id)
		if err != nil {
			return err
		}
		meta, err := session.StateOf(log, session.Meta)
		if err != nil {
			return errors.Join(err, log.Close(ctx))
		}
		d, what, err := draft(args, meta)
		if err == nil {
			_, err = log.Append(ctx, d)
		}
		if err == nil {
			err = log.Flush(ctx)
		}
		if err := errors.Join(err, log.Close(ctx)); err != nil {
			return err
		}
		return c.did(asJSON, id, what)
	}
}

func (c *console) sessionDelete() *cobra.Command {
	var yes bool
	cmd := c.one("delete ID", "Delete a session with everything it owns; there is no way back", func(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
		if !yes {
			return usage("Deleting cannot be taken back. Nothing was deleted; say it with --yes, or put the session away with: fairlead session archive %s", id)
		}
		if err := lib.Delete(ctx, id); err != nil {
			return err
		}
		return c.did(asJSON, id, "deleted")
	}, 0)
	cmd.Flags().BoolVar(&yes, "yes", false, "really delete it")
	return cmd
}

func (c *console) sessionFork() *cobra.Command {
	var at int64
	cmd := c.one("fork ID", "Begin a session that goes on from this one", func(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
		if at < 0 {
			return usage("--at wants the number of an event, not %d. Nothing was made.", at)
		}
		fork, err := lib.Fork(ctx, id, at)
		if err != nil {
			return err
		}
		made := fork.ID()
		if err := errors.Join(fork.Flush(ctx), fork.Close(ctx)); err != nil {
			return err
		}
		if asJSON {
			return c.json(map[string]any{"session": made, "forkOf": id})
		}
		_, err = fmt.Fprintln(c.out, made)
		return err
	}, 0)
	cmd.Flags().Int64Var(&at, "at", 0, "the event to go on from; the last one where it is 0")
	return cmd
}

func (c *console) sessionRepair() *cobra.Command {
	return c.one("repair ID", "Make a damaged session valid again; the damaged log is kept beside it", func(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
		report, err := lib.Repair(ctx, id)
		if err != nil {
			return err
		}
		if cat := c.catalog(lib); cat != nil && report.Kept != "" {
			if err := errors.Join(cat.Reread(ctx, id), cat.Close()); err != nil {
				return err
			}
		}
		if asJSON {
			return c.json(report)
		}
		if report.Kept == "" {
			return c.did(false, id, "is valid; nothing was done")
		}
		return c.did(false, id, fmt.Sprintf("repaired: %s, %s; the old log is kept as %s", count(report.Events, "event"), count(len(report.Incidents), "incident"), report.Kept))
	}, 0)
}

// sessionSweep shows what a policy would let go, and lets it go when told to.
func (c *console) sessionSweep() *cobra.Command {
	var days int
	var megabytes int64
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use: "sweep", Short: "Show which sessions a policy by age and size would delete; --yes deletes them", Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if days < 0 || megabytes < 0 || days == 0 && megabytes == 0 {
				return usage("A sweep needs --days or --megabytes, above 0. Nothing was deleted.")
			}
			lib, err := c.library()
			if err != nil {
				return err
			}
			gone, err := lib.Sweep(cmd.Context(), session.Retention{Age: time.Duration(days) * 24 * time.Hour, Bytes: megabytes << 20}, !yes)
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(map[string]any{"sessions": list(gone), "deleted": yes})
			}
			var total int64
			for _, s := range gone {
				total += s.Total
				fmt.Fprintf(c.out, "%s  %s  %.1f MB  %s  %s\n", s.ID, time.UnixMilli(s.At).Format(time.DateOnly), float64(s.Total)/(1<<20), s.Why, tame(s.Title))
			}
			word := "would go; delete them with --yes"
			if yes {
				word = "are deleted"
			}
			_, err = fmt.Fprintf(c.out, "%s, %.1f MB, %s. Pinned and open ones stay.\n", count(len(gone), "session"), float64(total)/(1<<20), word)
			return err
		},
	}
	cmd.Flags().IntVar(&days, "days", 0, "those not used for so many days")
	cmd.Flags().Int64Var(&megabytes, "megabytes", 0, "the oldest, until all together take no more than this")
	cmd.Flags().BoolVar(&yes, "yes", false, "really delete them")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) sessionSearch() *cobra.Command {
	var asJSON, archived bool
	var limit int
	cmd := &cobra.Command{
		Use: "search WORDS", Short: "Find what was said in any session",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("A search needs words: %s. Nothing was done.", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			home, err := c.home()
			if err != nil {
				return err
			}
			lib, err := c.library()
			if err != nil {
				return err
			}
			cat := catalog.New(catalog.Options{Path: app.Home(home).Catalog(), Library: lib, Log: c.log()})
			defer cat.Close()
			if err := cat.CatchUp(ctx); err != nil {
				return err
			}
			hits, err := cat.Search(ctx, catalog.Query{Words: strings.Join(args, " "), Archived: archived, Limit: limit})
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(map[string]any{"hits": list(hits)})
			}
			return c.hits(hits, strings.Join(args, " "))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&archived, "archived", false, "also in sessions that were put away")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many places to show at most")
	return cmd
}

func (c *console) hits(hits []catalog.Hit, words string) error {
	if len(hits) == 0 {
		_, err := fmt.Fprintf(c.out, "Nothing found for %s.\n", words)
		return err
	}
	for _, h := range hits {
		if _, err := fmt.Fprintf(c.out, "%s  %s\n  %s: %s\n", h.Session, tame(h.Title), h.Who, tame(h.Snippet)); err != nil {
			return err
		}
	}
	return nil
}

// writers are the formats of an export.
var writers = map[string]func(ctx context.Context, lib *session.Library, id session.ID, w io.Writer) error{
	"zip":  interchange.Archive,
	"md":   reading(interchange.Markdown),
	"html": reading(interchange.Page),
	"json": reading(interchange.JSON),
}

func reading(write func(*session.Log, io.Writer) error) func(context.Context, *session.Library, session.ID, io.Writer) error {
	return func(ctx context.Context, lib *session.Library, id session.ID, w io.Writer) error {
		log, err := lib.Read(ctx, id)
		if err != nil {
			return err
		}
		return errors.Join(write(log, w), log.Close(ctx))
	}
}

func (c *console) sessionExport() *cobra.Command {
	var as, to string
	cmd := c.one("export ID", "Write a session as zip (comes back whole), md, html or json", func(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
		write, ok := writers[as]
		switch {
		case !ok:
			return usage("There is no format %q. Nothing was written; choose zip, md, html or json.", as)
		case to == "" && terminal(c.out) && as == "zip":
			return usage("A zip is not for a terminal. Nothing was written; name a file with --to, or send the output to one.")
		case to == "":
			return write(ctx, lib, id, c.out)
		}
		if err := writeNew(to, func(w io.Writer) error { return write(ctx, lib, id, w) }); err != nil {
			return err
		}
		return c.did(asJSON, id, "written to "+to)
	}, 0)
	cmd.Flags().StringVar(&as, "as", "zip", "the format: zip, md, html, json")
	cmd.Flags().StringVar(&to, "to", "", "the file to write; the output where it is empty")
	return cmd
}

// writeNew writes a file that appears whole or not at all, readable by its owner.
func writeNew(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".fairlead-export-*")
	if err != nil {
		return fault.Wrap(fault.Invalid, "session.export", err, "%s cannot be written. Nothing was exported; name a place that can.", path)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (c *console) sessionImport() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Bring in a session: our own zip, or one of Claude Code, Codex or DeepSeek Harness", Args: exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := c.in
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return fault.Wrap(fault.Invalid, "session.import", err, "The file %s cannot be read. Nothing was imported.", args[0])
				}
				defer f.Close()
				in = f
			}
			lib, err := c.library()
			if err != nil {
				return err
			}
			made, err := interchange.Bring(cmd.Context(), lib, in)
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(made)
			}
			fmt.Fprintf(c.out, "%s  %s (%s)\n", made.Session, tame(made.Title), count(made.Turns, "turn"))
			for kind, n := range made.Left {
				fmt.Fprintf(c.err, "left out: %d × %s\n", n, kind)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
