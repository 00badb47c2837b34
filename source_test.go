package fairlead_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// goFile is one parsed source file of this module.
type goFile struct {
	Path  string // slash-separated, relative to the root
	Dir   string // the package's folder; "." for the root
	Lines int
	Test  bool
	Gen   bool
	AST   *ast.File
	Fset  *token.FileSet
}

// sources parses every Go file of the module. Nested modules (tools/…), test data
// and hidden folders are left out. It parses in this process, so that the test
// cache sees what was read.
func sources(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules" || p == "tools") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, p, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(p)
		files = append(files, goFile{
			Path: slash, Dir: path.Dir(slash), Lines: fset.File(parsed.FileStart).LineCount(),
			Test: strings.HasSuffix(name, "_test.go"), Gen: ast.IsGenerated(parsed), AST: parsed, Fset: fset,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d Go files found; the rules would pass on nothing", len(files))
	}
	return files
}

// imports gives the import paths of a file.
func (f goFile) imports() []string {
	paths := make([]string, 0, len(f.AST.Imports))
	for _, spec := range f.AST.Imports {
		paths = append(paths, strings.Trim(spec.Path.Value, `"`))
	}
	return paths
}

// at gives file:line of a node.
func (f goFile) at(n ast.Node) string {
	return f.Fset.Position(n.Pos()).String()
}
