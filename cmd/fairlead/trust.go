package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"fairlead/app"
	"fairlead/permission"
)

// permissionTrust shows and takes back what was answered about files that folders
// bring along. A running host reads the file each time.
func (c *console) permissionTrust() *cobra.Command {
	cmd := &cobra.Command{
		Use: "trust", Short: "List and forget what was answered about files that folders bring along", Args: c.verbOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.trustList(), c.trustRevoke())
	return cmd
}

func (c *console) trustFile() (*permission.TrustFile, error) {
	home, err := c.home()
	if err != nil {
		return nil, err
	}
	return permission.NewTrustFile(app.Home(home).Trust()), nil
}

func (c *console) trustList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the answers, by folder", Args: noArguments("permission trust list"),
		RunE: func(*cobra.Command, []string) error {
			file, err := c.trustFile()
			if err != nil {
				return err
			}
			list, err := file.List()
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(map[string]any{"folders": append([]permission.Trusted{}, list...)})
			}
			if len(list) == 0 {
				_, err := fmt.Fprintln(c.out, "No answers yet. A folder that brings along settings is asked about when it is opened.")
				return err
			}
			w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
			for _, folder := range list {
				for _, said := range []struct {
					word string
					sums map[string]string
				}{{"accepted", folder.Accepted}, {"refused", folder.Refused}} {
					for _, path := range slices.Sorted(maps.Keys(said.sums)) {
						fmt.Fprintf(w, "%s\t%s\t%s\tsha256 %.12s…\n", folder.Folder, said.word, path, said.sums[path])
					}
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *console) trustRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke FOLDER", Short: "Forget what was answered for a folder",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("permission trust revoke takes one folder. Nothing was changed; see fairlead permission trust list.")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			folder, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			file, err := c.trustFile()
			if err != nil {
				return err
			}
			if err := file.Revoke(folder); err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.out, "Forgotten. The folder is asked about again when it is opened; sessions that are open keep what they have.")
			return err
		},
	}
}
