package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/config"
	"fairlead/fault"
)

// treeFlags say which configuration a verb is about.
type treeFlags struct {
	profile, rows string
	patches       []string
}

func (f *treeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.profile, "profile", "web", "the profile to start from")
	cmd.Flags().StringArrayVar(&f.patches, "patch", nil, "a patch `file` of rows; may be repeated")
	cmd.Flags().StringVar(&f.rows, "rows", "", "a `file` of rows, such as a dump, in place of the profile")
}

func (f *treeFlags) options(c *console) (app.Options, error) {
	home, err := c.home()
	if err != nil {
		return app.Options{}, err
	}
	return app.Options{Home: home, Profile: f.profile, Rows: f.rows, Patches: f.patches, Environ: c.environ, Env: os.Environ(), Version: fullVersion(), Log: c.log()}, nil
}

func configVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and check what a profile consists of",
		Args:  c.verbOnly,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.configDump(), c.configCheck(), c.configPath())
	return cmd
}

// about makes a verb about one configuration. Nothing is started by it.
func (c *console) about(use, short string, do func(app.Options) error) *cobra.Command {
	var f treeFlags
	cmd := &cobra.Command{
		Use: use, Short: short,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o, err := f.options(c)
			if err != nil {
				return err
			}
			return do(o)
		},
	}
	f.add(cmd)
	return cmd
}

func (c *console) configDump() *cobra.Command {
	return c.about("dump", "Print the effective rows, each value with where it came from", func(o app.Options) error {
		tree, err := config.Load(o.Sources())
		if err != nil {
			return err
		}
		for _, w := range tree.Warnings {
			fmt.Fprintln(c.err, "warning: "+w.String())
		}
		_, err = fmt.Fprint(c.out, tree.Dump())
		return err
	})
}

func (c *console) configCheck() *cobra.Command {
	return c.about("check", "Check the rows and the presets against the plugins of this build", func(o app.Options) error {
		checked, err := app.Check(o)
		if err != nil {
			return err
		}
		for _, w := range checked.Tree.Warnings {
			fmt.Fprintln(c.out, "warning: "+w.String())
		}
		var broken error
		for _, p := range checked.Presets {
			if p.Broken != "" {
				broken = errors.Join(broken, fault.New(fault.Invalid, "config.check", "The preset %s cannot be chosen: %s", p.ID, p.Broken))
			}
		}
		if broken != nil {
			return fault.New(fault.Invalid, "config.check", "%s", broken)
		}
		_, err = fmt.Fprintf(c.out, "The profile %s is sound: %d rows of %d are enabled.\n", checked.Tree.Profile, len(checked.Rows), len(checked.Tree.Rows))
		return err
	})
}

func (c *console) configPath() *cobra.Command {
	return c.about("path", "Name the files a profile is read from, the strongest last", func(o app.Options) error {
		for _, path := range o.Sources().Files() {
			state := ""
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				state = "  (not there)"
			}
			if _, err := fmt.Fprintln(c.out, path+state); err != nil {
				return err
			}
		}
		return nil
	})
}
