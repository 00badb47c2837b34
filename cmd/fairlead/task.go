package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/task"
)

func taskVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "task", Short: "Prompts that are sent at set times",
		Long: `Prompts that are sent at set times.

They fire while "fairlead web" runs, with or without a page. What was due while it
did not is told at its next start, and one run catches up where the task allows it.`,
		Args: c.verbOnly, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.taskList(), c.taskAdd(), c.taskRun(), c.taskSwitch("on", true), c.taskSwitch("off", false), c.taskRemove())
	return cmd
}

// changeTask has the running host change a task, which then looks at it at once, or
// changes it here.
func (c *console) changeTask(ctx context.Context, name string, args any, here func() error) error {
	home, err := c.home()
	if err != nil {
		return err
	}
	if host, running := c.host(home); running {
		return host.post(ctx, "/commands", map[string]any{"name": name, "args": args}, nil)
	}
	return here()
}

// tasks is the folder of this home.
func (c *console) tasks() (*task.Folder, error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	return task.NewFolder(app.Home(home).Tasks()), nil
}

// onTask makes a verb about one task.
func (c *console) onTask(use, short string, do func(ctx context.Context, tasks *task.Folder, name string) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("task %s takes the name of one task. Nothing was done; fairlead task list shows them.", use)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			tasks, err := c.tasks()
			if err != nil {
				return err
			}
			return do(cmd.Context(), tasks, args[0])
		},
	}
}

func (c *console) taskList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [NAME]", Short: "List the tasks, or one with what became of its due times", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			tasks, err := c.tasks()
			if err != nil {
				return err
			}
			name := strings.Join(args, "")
			list, err := tasks.Show(name, time.Now())
			switch {
			case err != nil:
				return err
			case asJSON:
				return c.json(map[string]any{"tasks": list})
			case len(list) == 0:
				_, err := fmt.Fprintln(c.out, `No tasks. One is made with: fairlead task add NAME --cron "0 7 * * 1-5" "PROMPT"`)
				return err
			case name != "":
				return c.taskDetail(list[0])
			}
			w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "NAME\tMODE\tNEXT\tLAST")
			for _, t := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Name, t.Mode, nextOf(t), lastOf(t))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func nextOf(t task.Shown) string {
	switch {
	case t.Problem != "":
		return "cannot run"
	case t.Off:
		return "off"
	case len(t.Next) == 0:
		return "never again"
	}
	return moment(t.Next[0])
}

func lastOf(t task.Shown) string {
	switch {
	case t.Problem != "":
		return t.Problem
	case t.Last == nil:
		return ""
	}
	return became(*t.Last)
}

func moment(t time.Time) string { return t.Format("Mon 2006-01-02 15:04 MST") }

// became says what became of a due time.
func became(r task.Record) string {
	text := string(r.Outcome)
	if r.Count > 1 {
		text += fmt.Sprintf(" ×%d", r.Count)
	}
	if r.Late > 0 {
		text += fmt.Sprintf(", %s late", time.Duration(r.Late)*time.Second)
	}
	return text + " · " + r.Due.Local().Format("2006-01-02 15:04")
}

func (c *console) taskDetail(t task.Shown) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s · %s\n", t.Name, t.Mode, nextOf(t))
	if t.Problem != "" {
		fmt.Fprintf(&b, "! %s\n", t.Problem)
	}
	for _, next := range t.Next {
		fmt.Fprintf(&b, "  due %s\n", moment(next))
	}
	fmt.Fprintf(&b, "> %s\n", strings.ReplaceAll(strings.TrimSpace(t.Prompt), "\n", "\n  "))
	for _, r := range t.History {
		fmt.Fprintf(&b, "\n── %s\n", became(r))
		if r.Session != "" {
			fmt.Fprintf(&b, "   session %s\n", r.Session)
		}
		report(&b, r)
	}
	_, err := fmt.Fprint(c.out, spelled(b.String()))
	return err
}

// report says what a run came to.
func report(b *strings.Builder, r task.Record) {
	if r.Text != "" {
		fmt.Fprintf(b, "   %s\n", strings.ReplaceAll(r.Text, "\n", "\n   "))
	}
	if r.Refused > 0 {
		fmt.Fprintf(b, "   Nobody was there to approve %d of its calls.\n", r.Refused)
	}
	switch {
	case len(r.Changed) > 0:
		fmt.Fprintf(b, "   Changed: %s\n", strings.Join(r.Changed, ", "))
	case r.Session != "":
		fmt.Fprintln(b, "   No file was changed with the file tools.")
	}
}

func (c *console) taskAdd() *cobra.Command {
	var w task.Wish
	var replace, yes bool
	cmd := &cobra.Command{
		Use: "add NAME PROMPT", Short: "Make a task",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("task add takes a name and a prompt. Nothing was saved; put the prompt in quotes.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			tasks, err := c.tasks()
			if err != nil {
				return err
			}
			w.Name, w.Prompt = args[0], args[1]
			if w.Folder, err = folderOf(w.Folder); err != nil {
				return err
			}
			if _, err := tasks.Get(w.Name); !fault.Is(err, fault.NotFound) && !replace {
				if fault.Is(err, fault.Invalid) {
					return err
				}
				return usage("There is a task %s already. Nothing was saved; --replace changes it.", w.Name)
			}
			if w.Yes, err = c.yesToBypass(w, yes); err != nil {
				return err
			}
			if err := c.changeTask(cmd.Context(), "task.save", w, func() error { return tasks.SaveWish(w) }); err != nil {
				return err
			}
			list, err := tasks.Show(w.Name, time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "%s saved · %s · next: %s\n", w.Name, list[0].Mode, nextOf(list[0]))
			return err
		},
	}
	v := cmd.Flags()
	v.StringVar(&w.Cron, "cron", "", `due by a cron `+"`expression`"+`, such as "0 7 * * 1-5"`)
	v.StringVar(&w.Every, "every", "", "due every `duration`, such as 90m")
	v.StringVar(&w.At, "at", "", "due once, at a `moment` such as \"2026-12-24 18:00\"")
	v.StringVar(&w.Zone, "zone", "", "the time `zone`, such as Europe/Berlin; this machine's by default")
	v.StringVar(&w.Missed, "missed", "", "what to do about due times without a host: once (default) or skip")
	v.StringVar(&w.Folder, "workspace", "", "the `folder` to work in; this one by default")
	v.StringVar(&w.Mode, "mode", "", "plan (default), manual or bypass; nobody is asked in any of them")
	v.StringVar(&w.Model, "model", "", "the `route` to use")
	v.StringVar(&w.Effort, "effort", "", "how much to think: low, medium, high, xhigh")
	v.StringVar(&w.Preset, "preset", "", "the `preset` of its sessions")
	v.BoolVar(&replace, "replace", false, "change the task of that name")
	v.BoolVar(&yes, "yes-bypass", false, "say yes to runs in bypass without being asked here")
	return cmd
}

// folderOf makes a workspace absolute and checks that it is there.
func folderOf(path string) (string, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "task.folder", err, "The folder %q cannot be found. Nothing was saved.", path)
	}
	if info, err := os.Stat(full); err != nil || !info.IsDir() {
		return "", usage("The folder %s is not there. Nothing was saved.", full)
	}
	return full, nil
}

// yesToBypass asks for the yes that a task in bypass wants.
func (c *console) yesToBypass(w task.Wish, given bool) (string, error) {
	switch {
	case w.Mode != agent.Bypass:
		return "", nil
	case given:
		return agent.Bypass, nil
	case !terminal(c.in):
		return "", nil // the refusal says what is missing
	}
	fmt.Fprintf(c.err, "In Bypass every run of %s changes files and runs commands without asking, while nobody watches.\nType yes to save it: ", w.Name)
	line, err := bufio.NewReader(c.in).ReadString('\n')
	if err != nil {
		return "", fault.Wrap(fault.Invalid, "task.add", err, "There was no answer. Nothing was saved.")
	}
	if strings.TrimSpace(line) != "yes" {
		return "", usage("The answer was not yes. Nothing was saved.")
	}
	return agent.Bypass, nil
}

func (c *console) taskSwitch(word string, on bool) *cobra.Command {
	short := "Let a task fire again; what was due meanwhile does not count"
	if !on {
		short = "Keep a task from firing"
	}
	return c.onTask(word, short, func(ctx context.Context, tasks *task.Folder, name string) error {
		if err := c.changeTask(ctx, "task.switch", map[string]any{"name": name, "on": on}, func() error { return tasks.Switch(name, on) }); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "%s is %s\n", name, word)
		return err
	})
}

func (c *console) taskRemove() *cobra.Command {
	return c.onTask("remove", "Remove a task; the sessions of its runs stay", func(ctx context.Context, tasks *task.Folder, name string) error {
		if err := c.changeTask(ctx, "task.remove", map[string]any{"name": name}, func() error { return tasks.Remove(name) }); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "%s removed\n", name)
		return err
	})
}

func (c *console) taskRun() *cobra.Command {
	return c.onTask("run", "Run a task now and show what it came to", func(ctx context.Context, tasks *task.Folder, name string) error {
		if _, err := tasks.Get(name); err != nil {
			return err
		}
		r, err := c.runTask(ctx, tasks, name)
		if err != nil {
			return err
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s · session %s\n", became(r), r.Session)
		report(&b, r)
		if _, err := fmt.Fprint(c.out, spelled(b.String())); err != nil {
			return err
		}
		switch r.Outcome {
		case task.Ran:
			return nil
		case task.Denied:
			return &exit{code: exitRefused}
		}
		return &exit{code: exitFailed}
	})
}

// runTask has the running host run a task, or runs it here, and waits for its end.
func (c *console) runTask(ctx context.Context, tasks *task.Folder, name string) (task.Record, error) {
	home, err := c.home()
	if err != nil {
		return task.Record{}, err
	}
	args := map[string]any{"name": name}
	if host, running := c.host(home); running {
		var begun task.Record
		if err := host.post(ctx, "/commands", map[string]any{"name": "task.run", "args": args}, &begun); err != nil {
			return task.Record{}, err
		}
		return ended(ctx, tasks, name, begun)
	}
	a, err := app.Boot(ctx, app.Options{Home: home, Profile: "headless", Environ: c.environ, Env: os.Environ(), Version: fullVersion(), Log: c.log(),
		Flags: `{"rows": [{"id": "tasks", "plugin": "tasks", "config": {"asked": true}}]}`})
	if err != nil {
		return task.Record{}, err
	}
	r, err := runHere(ctx, a, tasks, name, args)
	if closing := a.Close(context.WithoutCancel(ctx)); err == nil {
		err = closing
	}
	return r, err
}

func runHere(ctx context.Context, a *app.App, tasks *task.Folder, name string, args map[string]any) (task.Record, error) {
	run, ok := command.Find(ctx, a.Graph().Root().Realm(), "task.run")
	if !ok {
		return task.Record{}, fault.New(fault.Unavailable, "task.run", "The row tasks is switched off, so nothing was run.")
	}
	text, err := json.Marshal(args)
	if err != nil {
		return task.Record{}, err
	}
	begun, err := run.Run(ctx, command.Call{Args: text})
	if err != nil {
		return task.Record{}, err
	}
	return ended(ctx, tasks, name, begun.(task.Record))
}

// ended waits until a run that a person asked for has its final record.
func ended(ctx context.Context, tasks *task.Folder, name string, begun task.Record) (task.Record, error) {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		records, err := tasks.Records(name)
		if err != nil {
			return task.Record{}, err
		}
		for _, r := range records {
			if r.Asked && r.Due.Equal(begun.Due) && r.Final() {
				return r, nil
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return task.Record{}, context.Cause(ctx)
		}
	}
}
