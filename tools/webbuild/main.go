package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "the repository")
	watch := flag.Bool("watch", false, "bundle again whenever a source changes")
	vendor := flag.Bool("vendor", false, "fetch the packages of ui/vendor/LOCK again and pin their bytes")
	flag.Parse()
	if err := run(*root, *watch, *vendor); err != nil {
		fmt.Fprintln(os.Stderr, "webbuild:", err)
		os.Exit(1)
	}
}

func run(root string, watch, vendor bool) error {
	switch {
	case vendor:
		return fetchVendored(root)
	case watch:
		return watchPage(root)
	default:
		return buildPage(root)
	}
}
