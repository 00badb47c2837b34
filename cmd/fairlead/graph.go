package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/graph"
)

func graphVerb(c *console) *cobra.Command {
	var f treeFlags
	var dot, asJSON bool
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Show the live graph of the running host, or of a profile without starting it",
		Long: `Show the live graph of the running host, or of a profile without starting it.

With --profile, --patch or --rows it is always that of the profile.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.options(c)
			if err != nil {
				return err
			}
			fibers, err := c.fibers(cmd, o)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				e := json.NewEncoder(c.out)
				e.SetIndent("", "  ")
				return e.Encode(fibers)
			case dot:
				return printDOT(c.out, fibers)
			}
			return printFibers(c.out, fibers, time.Now())
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&dot, "dot", false, "print it for Graphviz")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.MarkFlagsMutuallyExclusive("dot", "json")
	return cmd
}

// fibers are those of the running host, unless a configuration was asked for.
func (c *console) fibers(cmd *cobra.Command, o app.Options) ([]graph.Status, error) {
	asked := slices.ContainsFunc([]string{"profile", "patch", "rows"}, cmd.Flags().Changed)
	if host, running := c.host(o.Home); running && !asked {
		var fibers []graph.Status
		return fibers, host.view(cmd.Context(), "graph", &fibers)
	}
	return app.Plan(o)
}

// printFibers prints one line a fiber, and below it why it is not active.
func printFibers(out io.Writer, fibers []graph.Status, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STATE\tSINCE\tSTART\tFIBER\tPLUGIN\tPROVIDES\tUSES")
	for _, s := range fibers {
		since, took := "", ""
		if s.Since > 0 {
			since, took = now.Sub(time.UnixMilli(s.Since)).Round(time.Second).String(), s.Took.Round(10*time.Microsecond).String()
		}
		var uses []string
		for _, in := range s.Injects {
			uses = append(uses, in.Key+missing(in))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.State, since, took, s.Path, s.Plugin, strings.Join(s.Provides, " "), strings.Join(uses, " "))
		if s.Reason != "" {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(s.Reason, "\n", "\n  "))
		}
	}
	return w.Flush()
}

// missing marks a service that nobody provides: ! where it is needed, ? where not.
func missing(in graph.Injected) string {
	switch {
	case in.Provider != "":
		return ""
	case in.Optional:
		return "?"
	}
	return "!"
}

// colours of the states in a drawn graph.
var colours = map[graph.State]string{
	graph.Active: "palegreen", graph.Starting: "khaki", graph.Waiting: "khaki", graph.Stopping: "khaki", graph.Failed: "salmon",
}

func printDOT(out io.Writer, fibers []graph.Status) error {
	var b strings.Builder
	b.WriteString("digraph fairlead {\n  rankdir=LR;\n  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\"];\n")
	for _, s := range fibers {
		label := s.Path + "\n" + s.Plugin
		if s.State != "" {
			label += "\n" + string(s.State)
		}
		fmt.Fprintf(&b, "  %q [label=%q", s.Path, label)
		if colour := colours[s.State]; colour != "" {
			fmt.Fprintf(&b, ", fillcolor=%s", colour)
		}
		b.WriteString("];\n")
		if s.Parent != "" {
			fmt.Fprintf(&b, "  %q -> %q [style=dotted, arrowhead=none];\n", s.Parent, s.Path)
		}
		for _, in := range s.Injects {
			if in.Provider == "" {
				continue
			}
			style := ""
			if in.Optional {
				style = ", style=dashed"
			}
			fmt.Fprintf(&b, "  %q -> %q [label=%q%s];\n", s.Path, in.Provider, in.Key, style)
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}
