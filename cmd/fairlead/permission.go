package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"fairlead/permission/proof"
)

func permissionVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "permission",
		Short: "Judge commands as the gate would; list, narrow and revoke standing permissions and trust in folders",
		Args:  c.verbOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.permissionCheck(), c.permissionRules(), c.permissionNarrow(), c.permissionRevoke(), c.permissionTrust())
	return cmd
}

// judged is one line of permission check's output, and with Shell of its input.
type judged struct {
	Cmd      string `json:"cmd"`
	Shell    string `json:"shell,omitempty"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

func (c *console) permissionCheck() *cobra.Command {
	var shell, folder string
	cmd := &cobra.Command{
		Use:   "check [CMD]",
		Short: "Say whether a shell command is proved to only look, and why not",
		Long: `Say whether a shell command is proved to only look, and why not.

With CMD it prints the verdict and exits with 0 for allow and 3 for ask. Without CMD it
reads one JSON object a line from stdin, {"cmd": "…", "shell": "bash" or "powershell"},
and writes {"cmd", "decision", "reason"} a line in the same order.

The text alone is judged. With --folder what is on the disk there is looked at too:
links that lead to a secret ask, and git does where the settings of the repository
could start a program.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			judge, err := c.judge(folder)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return c.judgeLines(judge, shell)
			}
			v, err := judge(args[0], shell)
			if err != nil {
				return err
			}
			if v.Decision == "allow" {
				fmt.Fprintln(c.out, "allow")
				return nil
			}
			fmt.Fprintln(c.out, "ask: "+v.Reason)
			return &exit{code: exitRefused}
		},
	}
	cmd.Flags().StringVar(&shell, "shell", "bash", "the shell that would run it: bash or powershell")
	cmd.Flags().StringVar(&folder, "folder", "", "the folder it would run in, whose repository is looked at too")
	return cmd
}

// judge makes the function that judges one command, with the folder resolved once.
func (c *console) judge(folder string) (func(cmd, shell string) (judged, error), error) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(at); err != nil || !info.IsDir() {
		return nil, usage("There is no folder %s. Nothing was judged.", at)
	}
	place := proof.Place{Folder: at, Home: c.environ("HOME")}
	return func(cmd, shell string) (judged, error) {
		var v proof.Verdict
		switch shell {
		case "bash":
			v = proof.Bash(cmd, place)
		case "powershell":
			v = proof.PowerShell(cmd, place)
		default:
			return judged{}, usage("There is no shell %q; known are bash and powershell. Nothing was judged.", shell)
		}
		if v.Looks && folder != "" {
			if err := v.OnDisk(place); err != nil {
				v = proof.Verdict{Reason: err.Error()}
			}
		}
		if v.Looks {
			return judged{Cmd: cmd, Decision: "allow"}, nil
		}
		return judged{Cmd: cmd, Decision: "ask", Reason: v.Reason}, nil
	}, nil
}

func (c *console) judgeLines(judge func(cmd, shell string) (judged, error), shell string) error {
	in := bufio.NewReaderSize(c.in, 64<<10)
	out := bufio.NewWriter(c.out)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		line, readErr := in.ReadBytes('\n')
		if len(line) > 1 || len(line) == 1 && line[0] != '\n' {
			q := judged{Shell: shell}
			if err := json.Unmarshal(line, &q); err != nil {
				return usage("Line %d of the input is no JSON object with a cmd: %v. The lines before it were judged.", n, err)
			}
			v, err := judge(q.Cmd, q.Shell)
			if err != nil {
				return err
			}
			if err := enc.Encode(v); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return out.Flush()
		}
		if readErr != nil {
			return readErr
		}
	}
}
