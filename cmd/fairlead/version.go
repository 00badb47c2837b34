package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for a release.
var version = "dev"

func versionVerb(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.version() },
	}
}

func (c *console) version() error {
	_, err := fmt.Fprintf(c.out, "fairlead %s %s/%s %s\n", fullVersion(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return err
}

// fullVersion is the release, or for a build from a checkout its commit.
func fullVersion() string {
	if version != "dev" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + "-" + s.Value[:12]
		}
	}
	return version
}
