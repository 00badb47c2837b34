package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/session"
)

func sessionVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "List, show, prove and keep sessions",
		Args:  c.verbOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.sessionList(), c.sessionShow(), c.sessionVerify(), c.sessionReplay(), c.sessionRequest())
	cmd.AddCommand(c.sessionFiles()...)
	cmd.AddCommand(c.sessionKeeping()...)
	return cmd
}

// library opens the sessions of the home folder for reading, with nothing started.
func (c *console) library() (*session.Library, error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	return app.Sessions(home, c.log())
}

// one makes a verb about one session: its id, or a unique prefix of it, and --json.
func (c *console) one(use, short string, do func(ctx context.Context, lib *session.Library, id session.ID, args []string, asJSON bool) error, extra int) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: exactly(1 + extra),
		RunE: func(cmd *cobra.Command, args []string) error {
			lib, err := c.library()
			if err != nil {
				return err
			}
			id, err := lib.Resolve(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return do(cmd.Context(), lib, id, args[1:], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) json(v any) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (c *console) sessionList() *cobra.Command {
	var asJSON, archived bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the sessions, the one used last first", Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			lib, err := c.library()
			if err != nil {
				return err
			}
			list, err := lib.List(cmd.Context())
			if err != nil {
				return err
			}
			shown := list[:0]
			for _, s := range list {
				if archived || !s.Archived {
					shown = append(shown, s)
				}
			}
			if asJSON {
				return c.json(map[string]any{"sessions": shown})
			}
			return c.table(shown)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&archived, "archived", false, "also those that were put away")
	return cmd
}

func (c *console) table(list []session.Summary) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.out, "No sessions yet. Begin one with: fairlead run \"…\"")
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		end, title, where := s.Last.Kind, s.Title, s.Folder
		switch {
		case s.Problem != "":
			end, title, where = "unreadable", "-", s.Problem // the last column may be long
		case end == "" && s.Turns > 0:
			end = "open"
		case end == "":
			end = "new"
		}
		if s.ForkOf != "" {
			title += " (fork)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, time.UnixMilli(s.At).Format("2006-01-02 15:04"), end, count(s.Turns, "turn"), tame(title), tame(where))
	}
	return w.Flush()
}

// exactly refuses any other number of arguments than n.
func exactly(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage("%s takes %s, not %d: %s. Nothing was done.", cmd.Name(), count(n, "argument"), len(args), cmd.UseLine())
	}
}

// count says how many there are of something.
func count[N int | int64](n N, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// list is never null in JSON.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// tame makes what would steer a terminal visible: text of models, tools and other
// products may hold anything. Line breaks and tabs stay.
func tame(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '\u2400' + r // the picture of the character
		case r == '\x7f' || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return '\ufffd'
		}
		return r
	}, text)
}
