package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fairlead/mcp"
)

// toolVerb is for the person's own tools, which stand in the settings.
func toolVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{Use: "tool", Short: "Your own tools: list them, approve their commands", Args: c.verbOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(c.toolList(), c.toolApprove())
	return cmd
}

func (c *console) toolList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List your own tools and what waits for approval", Args: noArguments("tool list"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.servers(cmd.Context(), func(_ context.Context, s *mcp.Servers) error {
				list := s.OwnTools()
				switch {
				case asJSON:
					return c.json(map[string]any{"tools": list})
				case len(list) == 0:
					_, err := fmt.Fprintln(c.out, "No tools of your own. Write one into the settings, under tools.own.")
					return err
				}
				w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
				for _, one := range list {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", one.Name, one.Config.Kind, one.State, one.Config.Command)
				}
				if err := w.Flush(); err != nil {
					return err
				}
				for _, one := range list {
					if one.Reason != "" {
						fmt.Fprintln(c.out, one.Reason)
					}
					if one.Digest != "" {
						fmt.Fprintf(c.out, "To let %s run, as it is shown by fairlead tool list --json: fairlead tool approve %s %s\n", one.Name, one.Name, one.Digest)
					}
				}
				return nil
			})
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) toolApprove() *cobra.Command {
	return &cobra.Command{Use: "approve NAME DIGEST", Short: "Let exactly this command run, with what the settings let it do",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("tool approve takes a tool and the digest that tool list has printed. Nothing was approved.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.servers(cmd.Context(), func(ctx context.Context, s *mcp.Servers) error {
				if _, err := s.ApproveOwn(ctx, args[0], args[1]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(c.out, "Approved. %s is there from the next message on.\n", args[0])
				return err
			})
		}}
}
