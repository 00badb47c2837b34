package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/permission"
)

// rules opens the standing permissions of the home folder. A running host reads the
// file again when it changed.
func (c *console) rules() (*permission.Rules, error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	return permission.NewRules(app.Home(home).Rules()), nil
}

func (c *console) permissionRules() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "rules", Short: "List the standing permissions of projects", Args: noArguments("permission rules"),
		RunE: func(*cobra.Command, []string) error {
			rules, err := c.rules()
			if err != nil {
				return err
			}
			list, err := rules.List()
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(map[string]any{"rules": append([]permission.Rule{}, list...)})
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(c.out, "No standing permissions. One is given behind Approve, on a card.")
				return err
			}
			w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
			for _, r := range list {
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.ID, r.Folder, covers(r))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// covers says what a rule allows.
func covers(r permission.Rule) string {
	switch {
	case r.Command != "":
		return "runs " + r.Command
	case r.Pattern != "":
		return "runs " + r.Pattern + "  (pattern)"
	}
	return "changes below " + r.Below
}

func (c *console) permissionNarrow() *cobra.Command {
	return &cobra.Command{
		Use: "narrow ID PATTERN", Short: "Let a standing permission cover less",
		Long: `Let a standing permission cover less.

For a rule with a pattern PATTERN is a narrower one, or one command of it: "go test *"
can become "go test ./store/*" or "go test ./...". A * stands for any one operand, never
for an option; a last one for any number of them. For a rule about files it is a folder
inside the one that the rule covers, as an absolute path.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("permission narrow takes an id and a pattern. Nothing was changed; see fairlead permission rules.")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := c.rules()
			if err != nil {
				return err
			}
			if err := rules.Narrow(args[0], args[1]); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.out, "The permission covers less now. What it no longer covers is asked about again.")
			return err
		},
	}
}

func (c *console) permissionRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Take a standing permission back",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("permission revoke takes one id. Nothing was changed; see fairlead permission rules.")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := c.rules()
			if err != nil {
				return err
			}
			if err := rules.Revoke(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.out, "The permission was taken back. What it covered is asked about again.")
			return err
		},
	}
}

// noArguments refuses words after a verb that takes none.
func noArguments(verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage("%s takes no %q. Nothing was done.", verb, args[0])
		}
		return nil
	}
}
