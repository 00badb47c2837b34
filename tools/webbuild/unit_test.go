package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"
)

// The core of the page touches no DOM, so its tests need no browser: each
// *.test.ts is bundled and run in a JavaScript engine. A test file calls
// test("promise", () => {…}) and throws where the promise does not hold.
func TestCoreOfThePage(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "ui", "src", "*.test.ts"))
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob(filepath.Join(root, "ui", "src", "*", "*.test.ts"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, deeper...)
	if len(files) == 0 {
		t.Fatal("no test of the core found")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { runUnits(t, file) })
	}
}

func runUnits(t *testing.T, file string) {
	opt, err := options(root)
	if err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	opt.EntryPoints, opt.Splitting, opt.Format = []string{abs}, false, api.FormatIIFE
	opt.Target = api.ES2017 // what the engine speaks
	opt.MinifyIdentifiers, opt.MinifySyntax, opt.MinifyWhitespace = false, false, false
	built := api.Build(opt)
	if err := failure(built.Errors); err != nil {
		t.Fatal(err)
	}
	var script string
	for _, f := range built.OutputFiles {
		if filepath.Ext(f.Path) == ".js" {
			script = string(f.Contents)
		}
	}
	engine := goja.New()
	ran := 0
	err = engine.Set("test", func(name string, body goja.Callable) {
		ran++
		t.Run(name, func(t *testing.T) {
			if _, err := body(goja.Undefined()); err != nil {
				t.Error(describe(err))
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.RunScript(filepath.Base(file), script); err != nil {
		t.Fatal(describe(err))
	}
	if ran == 0 {
		t.Error("the file holds no test")
	}
}

// describe gives a script's failure with its stack.
func describe(err error) string {
	if thrown, ok := err.(*goja.Exception); ok {
		return thrown.String()
	}
	return fmt.Sprint(err)
}
