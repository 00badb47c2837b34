package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fairlead/session"
	"fairlead/undo"
)

// sessionFiles are the verbs about what a session changed in files.
func (c *console) sessionFiles() []*cobra.Command {
	return []*cobra.Command{c.sessionDiff(), c.sessionUndo()}
}

func (c *console) sessionDiff() *cobra.Command {
	var turn int
	cmd := c.one("diff ID", "Show what the turns of a session changed in files", func(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
		log, err := lib.Read(ctx, id)
		if err != nil {
			return err
		}
		deeds, err := reviewed(log, turn)
		if err := errors.Join(err, log.Close(ctx)); err != nil {
			return err
		}
		if asJSON {
			return c.json(map[string]any{"session": id, "deeds": deeds})
		}
		return c.deeds(deeds)
	}, 0)
	cmd.Flags().IntVar(&turn, "turn", 0, "that turn alone; all where it is 0")
	return cmd
}

// reviewed gives the deeds of a session, or that of one turn, with their differences.
func reviewed(log *session.Log, turn int) ([]undo.Deed, error) {
	list, err := undo.List(log)
	if err != nil {
		return nil, err
	}
	deeds := []undo.Deed{}
	for _, d := range list {
		if turn != 0 && d.Turn != turn {
			continue
		}
		whole, err := undo.Review(log, d.ID)
		if err != nil {
			return nil, err
		}
		deeds = append(deeds, whole)
	}
	return deeds, nil
}

// deeds prints differences; to a terminal without what would steer it.
func (c *console) deeds(deeds []undo.Deed) error {
	if len(deeds) == 0 {
		_, err := fmt.Fprintln(c.out, "No file was changed with the file tools.")
		return err
	}
	var b strings.Builder
	for _, d := range deeds {
		switch {
		case d.Turn > 0:
			fmt.Fprintf(&b, "── turn %d\n", d.Turn)
		default:
			fmt.Fprintf(&b, "── %s took back %s\n", d.ID, d.Of)
		}
		for _, f := range d.Files {
			state := ""
			switch {
			case f.Undone != "":
				state = ", taken back by " + f.Undone
			case f.Now == "changed":
				state = ", changed since"
			case f.Now == "gone":
				state = ", deleted since"
			}
			fmt.Fprintf(&b, "%s (%s, +%d −%d%s)\n%s", f.Path, f.Kind, f.Added, f.Removed, state, f.Unified)
		}
	}
	text := b.String()
	if terminal(c.out) {
		text = spelled(text)
	}
	_, err := fmt.Fprint(c.out, text)
	return err
}

// spelled writes control characters as the pictures Unicode has for them, so that
// what a file holds cannot steer the terminal it is shown on.
func spelled(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7F:
			return 0x2421
		case r > 0x7F && r < 0xA0:
			return 0xFFFD
		}
		return r
	}, s)
}

func (c *console) sessionUndo() *cobra.Command {
	var w undo.Wish
	cmd := c.one("undo ID", "Take back what a turn changed in files; what you changed since is kept", func(ctx context.Context, lib *session.Library, id session.ID, _ []string, asJSON bool) error {
		if w.Turn < 0 {
			return usage("--turn wants the number of a turn, not %d. Nothing was taken back.", w.Turn)
		}
		done, err := c.takeBack(ctx, lib, id, w)
		if err != nil {
			return err
		}
		if asJSON {
			return c.json(done)
		}
		for _, f := range done.Files {
			fmt.Fprintf(c.out, "%s %s\n", f.Path, becameWords[f.Now])
		}
		_, err = fmt.Fprintf(c.out, "Taken back: %s. Bring it back with: fairlead session undo %s --redo\n", done.Of, id)
		return err
	}, 0)
	cmd.Flags().IntVar(&w.Turn, "turn", 0, "the turn; the last one with changes where it is 0")
	cmd.Flags().StringArrayVar(&w.Files, "file", nil, "only this file; may be given several times")
	cmd.Flags().BoolVar(&w.Redo, "redo", false, "bring back what was taken back last")
	return cmd
}

var becameWords = map[string]string{
	"restored": "is as it was before", "merged": "is changed back; your own changes are kept", "made": "is there again",
	"deleted": "is deleted again", "as-was": "was put back already",
}

// takeBack has the running host do it, which may hold the session; otherwise it is
// done here.
func (c *console) takeBack(ctx context.Context, lib *session.Library, id session.ID, w undo.Wish) (*undo.Done, error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	if h, running := c.host(home); running {
		done := &undo.Done{}
		return done, h.post(ctx, "/sessions/"+string(id)+"/undo", w, done)
	}
	log, err := lib.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	done, err := undo.Take(ctx, log, w)
	return done, errors.Join(err, log.Close(ctx))
}
