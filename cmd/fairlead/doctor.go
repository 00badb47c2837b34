package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/fault"
	"fairlead/graph"
)

func doctorVerb(c *console) *cobra.Command {
	var f treeFlags
	var startup bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with this installation",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(c)
			if err != nil {
				return err
			}
			if startup {
				return c.startup(cmd.Context(), o)
			}
			checked, err := app.Check(o)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "configuration: the profile %s is sound, %d rows are enabled\n", checked.Tree.Profile, len(checked.Rows))
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&startup, "startup", false, "start the profile once and print how long each part took")
	return cmd
}

// startup boots a profile, prints what each fiber's start took, the slowest first,
// and stops it again.
func (c *console) startup(ctx context.Context, o app.Options) error {
	began := time.Now()
	a, err := app.Boot(ctx, o)
	if err != nil {
		return err
	}
	total := time.Since(began)
	fibers := a.Graph().Inventory()
	if err := a.Close(ctx); err != nil {
		fmt.Fprintln(c.err, "fairlead: not everything could be closed cleanly: "+fault.Person(err))
	}
	slices.SortStableFunc(fibers, func(a, b graph.Status) int { return cmp.Compare(b.Took, a.Took) })
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range fibers {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Took.Round(10*time.Microsecond), s.Path, s.Plugin)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "%d fibers active after %s (they start side by side)\n", len(fibers), total.Round(100*time.Microsecond))
	return err
}
