package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/external"
)

func externalVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{Use: "external", Short: "Other products' agents on this machine: Claude Code, Codex, Grok", Args: c.verbOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(c.externalList(), c.externalRun())
	return cmd
}

// agents runs work with the agents of this machine.
func (c *console) agents(ctx context.Context, work func(a *external.Agents) error) (err error) {
	var f treeFlags
	o, err := f.options(c)
	if err != nil {
		return err
	}
	o.Profile = "headless"
	booted, err := app.Boot(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, booted.Close(context.WithoutCancel(ctx))) }()
	a, err := booted.Agents()
	if err != nil {
		return err
	}
	return work(a)
}

func (c *console) externalList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the agents with their versions and whether somebody is signed in", Args: noArguments("external list"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.agents(cmd.Context(), func(a *external.Agents) error {
				list := a.Found(cmd.Context())
				if asJSON {
					return c.json(map[string]any{"agents": list})
				}
				w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "NAME\tSTATE\tVERSION\tWHERE")
				for _, f := range list {
					where := f.Path
					if f.Reason != "" {
						where = strings.TrimSpace(where + " " + f.Reason)
					}
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, f.State, f.Version, where)
				}
				return w.Flush()
			})
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) externalRun() *cobra.Command {
	var q external.Question
	var asJSON bool
	cmd := &cobra.Command{Use: "run NAME PROMPT", Short: "Ask an agent in a folder and print its answer; what it does goes to stderr",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("external run takes an agent and a prompt. Nothing was started; put the prompt in quotes.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			q.Agent, q.Prompt = args[0], args[1]
			if q.Folder, err = folderOf(q.Folder); err != nil {
				return err
			}
			if !asJSON {
				q.Heard = func(e external.Event) { fmt.Fprintln(c.err, spelled(e.Line())) }
			}
			return c.agents(cmd.Context(), func(a *external.Agents) error {
				answer, err := a.Ask(cmd.Context(), q)
				switch {
				case err != nil:
					return err
				case asJSON:
					err = c.json(answer)
				case answer.Verdict.OK:
					_, err = fmt.Fprintln(c.out, spelled(answer.Verdict.Answer))
				default:
					_, err = fmt.Fprintln(c.err, spelled(answer.Verdict.Reason))
				}
				if err == nil && !answer.Verdict.OK {
					return &exit{code: exitFailed}
				}
				return err
			})
		}}
	f := cmd.Flags()
	f.StringVar((*string)(&q.Access), "access", "", "read-only (default), workspace-write or full; the settings count before this")
	f.StringVar((*string)(&q.Effort), "effort", "", "how much to think: low, medium, high, xhigh")
	f.StringVar(&q.Folder, "workspace", "", "the `folder` to work in; this one by default")
	f.StringVar(&q.Session, "session", "", "the agent's own session to go on with")
	f.BoolVar(&q.New, "new-session", false, "begin a new session of the agent")
	f.DurationVar(&q.Limit, "limit", 15*time.Minute, "how long it may take, 1m to 1h")
	f.BoolVar(&asJSON, "json", false, "print the answer with the run and its events as JSON")
	return cmd
}
