package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/extension"
)

// pluginVerb keeps the plugin folder: what a person has not read is never run.
func pluginVerb(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "plugin", Short: "Read, approve and remove plugins", Args: c.verbOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.pluginList(), c.pluginAdd(), c.pluginShow(), c.pluginApprove(), c.pluginRemove())
	return cmd
}

func (c *console) pluginFolder() (*extension.Folder, error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	return extension.NewFolder(app.Home(home).Plugins()), nil
}

func (c *console) pluginList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the plugins: reviewed, new, changed or refused", Args: noArguments("plugin list"),
		RunE: func(*cobra.Command, []string) error {
			folder, err := c.pluginFolder()
			if err != nil {
				return err
			}
			files, err := folder.Files()
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(map[string]any{"plugins": append([]extension.KeptPlugin{}, files...)})
			}
			if len(files) == 0 {
				_, err := fmt.Fprintln(c.out, "There are no plugins. fairlead plugin add FILE brings one in.")
				return err
			}
			w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
			for _, f := range files {
				fmt.Fprintf(w, "%s\t%s\t%d bytes\tsha256 %s\n", f.Name, f.State, f.Bytes, f.SHA256)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) pluginAdd() *cobra.Command {
	var called string
	cmd := &cobra.Command{
		Use: "add FILE|FOLDER|ARCHIVE", Short: "Bring in a plugin: a TypeScript file, or a folder or archive that is made into one; it is not run before it is approved", Args: oneArgument("plugin add", "file, folder or archive"),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := c.pluginFolder()
			if err != nil {
				return err
			}
			if about, err := os.Stat(args[0]); err == nil && (about.IsDir() || filepath.Ext(args[0]) != ".ts") {
				b, err := folder.Bring(args[0], called)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(c.out, "Added %s, as one file.\nfrom %s\nlicence: %s\nsha256 %s\nIt is not run: read it with fairlead plugin show %s.\n", b.Name, b.Origin, b.Licence, b.SHA256, b.Name)
				return err
			}
			code, err := os.ReadFile(args[0])
			if err != nil {
				return usage("%s cannot be read: %s. Nothing was added.", args[0], err)
			}
			name := cmp.Or(called, strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0])))
			if err := folder.Keep(name, code); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "Added %s. It is not run: read it with fairlead plugin show %s.\n", name, name)
			return err
		},
	}
	cmd.Flags().StringVar(&called, "name", "", "what it is called; otherwise as its package, file or folder is")
	return cmd
}

func (c *console) pluginShow() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a plugin's whole source, what it asks for, and the difference to what was reviewed last", Args: oneArgument("plugin show", "plugin"),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := c.pluginFolder()
			if err != nil {
				return err
			}
			r, err := folder.Review(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(c.out, "%s: %s, %d bytes\nsha256 %s\nasks for: %s\n\n%s\n", r.Name, r.State, r.Bytes, r.SHA256, strings.Join(r.Asks, ", "), strings.TrimRight(r.Source, "\n"))
			if r.Diff != "" {
				fmt.Fprintf(c.out, "\nDifference to what was reviewed last:\n%s", r.Diff)
			}
			_, err = fmt.Fprintf(c.out, "\nTo let it run: fairlead plugin approve %s %s\n", r.Name, r.SHA256)
			return err
		},
	}
}

func (c *console) pluginApprove() *cobra.Command {
	return &cobra.Command{
		Use: "approve NAME SHA256", Short: "Let exactly these bytes of a plugin run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("plugin approve takes a plugin and the hash that plugin show has printed. Nothing was approved.")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := c.pluginFolder()
			if err != nil {
				return err
			}
			if err := folder.Accept(args[0], args[1]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "Approved. %s runs when Fairlead is started next.\n", args[0])
			return err
		},
	}
}

func (c *console) pluginRemove() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Delete a plugin's file", Args: oneArgument("plugin remove", "plugin"),
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := c.pluginFolder()
			if err != nil {
				return err
			}
			if err := folder.Delete(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "Removed %s. A process that runs keeps it until it ends.\n", args[0])
			return err
		},
	}
}

// oneArgument refuses anything but one argument.
func oneArgument(verb, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes one %s. Nothing was done.", verb, what)
		}
		return nil
	}
}
