package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/fault"
)

// Exit codes, as interfaces.md fixes them.
const (
	exitOK          = 0
	exitFailed      = 1   // model, tool host, internal
	exitUsage       = 2   // wrong use or configuration
	exitRefused     = 3   // policy, mode, or nobody there to approve
	exitBudget      = 4   // budget, step limit or guard
	exitModel       = 5   // the model is unavailable
	exitInterrupted = 130 // SIGINT
	exitTerminated  = 143 // SIGTERM
)

// console is what a verb sees of the process.
type console struct {
	in       io.Reader
	out, err io.Writer
	environ  func(string) string
}

// exit ends a verb with a code. Its error, where there is one, has not been printed.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage marks an error as the caller's mistake.
func usage(format string, args ...any) error {
	return fault.New(fault.Invalid, "command line", format, args...)
}

// verb is a verb of this build, made by its own file.
type verb struct {
	name string
	made func(*console) *cobra.Command
}

var verbs = []verb{
	{"run", runVerb}, {"web", webVerb}, {"session", sessionVerb}, {"config", configVerb}, {"graph", graphVerb},
	{"permission", permissionVerb}, {"mcp", mcpVerb}, {"tool", toolVerb}, {"external", externalVerb}, {"plugin", pluginVerb}, {"connection", connectionVerb}, {"models", modelsVerb}, {"task", taskVerb}, {"doctor", doctorVerb}, {"version", versionVerb},
}

// wanted are the verbs that args can reach: the one named first, so that a run does
// not wait until the flags of all the others are made, else every one.
func wanted(args []string) []verb {
	for i, v := range verbs {
		if len(args) > 0 && args[0] == v.name {
			return verbs[i : i+1]
		}
	}
	return verbs
}

func (c *console) run(args []string) int {
	root := &cobra.Command{
		Use:           "fairlead",
		Short:         "An agent that works in your folder, with your approval",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          c.verbOnly,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // how Go says that it is no number
		return usage("%s. Nothing was done; see %s --help.", capital(text), cmd.CommandPath())
	})
	for _, v := range wanted(args) {
		root.AddCommand(v.made(c))
	}
	return c.code(root.ExecuteContext(context.Background()))
}

// verbOnly refuses a word that is no verb of cmd, and names the nearest one.
func (c *console) verbOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	near := ""
	cmd.SuggestionsMinimumDistance = 2
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		near = " Did you mean " + strings.Join(like, " or ") + "?"
	}
	return usage("There is no verb %q.%s Nothing was done; see %s --help.", args[0], near, cmd.CommandPath())
}

// code prints an error for the person and gives the exit code.
func (c *console) code(err error) int {
	if err == nil {
		return exitOK
	}
	e, ended := errors.AsType[*exit](err)
	if ended && e.err == nil {
		return e.code
	}
	fmt.Fprintln(c.err, "fairlead: "+fault.Person(err))
	if cause := details(err); cause != "" {
		fmt.Fprintln(c.err, "  "+cause)
	}
	switch {
	case ended:
		return e.code
	case fault.CodeOf(err) == "model-unavailable":
		return exitModel
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound:
		return exitUsage
	case fault.Denied:
		return exitRefused
	}
	return exitFailed
}

// details is the technical cause behind the text for the person.
func details(err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Err == nil {
		return ""
	}
	return strings.ReplaceAll(e.Err.Error(), "\n", "\n  ")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// home finds the home folder.
func (c *console) home() (string, error) { return app.HomeOf(c.environ) }

// log is what the process writes about itself: nothing, unless FAIRLEAD_LOG names a
// level.
func (c *console) log() *slog.Logger {
	var level slog.Level
	word := c.environ("FAIRLEAD_LOG")
	if word == "" || level.UnmarshalText([]byte(word)) != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: level}))
}

// terminal reports whether a stream is one that a person sits at.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
