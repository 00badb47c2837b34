package fairlead_test

import (
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// longest is the hard limit of a hand-written file; at 500 lines look for a seam.
const longest = 900

func TestFilesStayReadable(t *testing.T) {
	for _, f := range sources(t) {
		if !f.Gen && f.Lines > longest {
			t.Errorf("%s has %d lines, the limit is %d; split it by noun", f.Path, f.Lines, longest)
		}
	}
}

func TestEveryPackageSaysWhatItPromises(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range sources(t) {
		if f.Test {
			continue
		}
		word := "Package " + f.AST.Name.Name
		if f.AST.Name.Name == "main" {
			word = "Command "
		}
		has := f.AST.Doc != nil && strings.HasPrefix(f.AST.Doc.Text(), word)
		documented[f.Dir] = documented[f.Dir] || has
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment; write a doc.go that says what it promises, owns and refuses to know", dir)
		}
	}
}

// forbidden calls, with where they are allowed and why they are not elsewhere.
var forbidden = []struct {
	call    string
	tests   bool // applies to tests only; otherwise to the rest only
	allowed []string
	reason  string
}{
	{"time.Sleep", true, nil, "wait for an event, or run in a testing/synctest bubble; a sleep is a guess"},
	{"os.Getenv", false, []string{"cmd/", "app", "bench", "crash"}, "the environment is read in cmd and app and handed down"},
	{"os.LookupEnv", false, []string{"cmd/", "app", "bench", "crash"}, "the environment is read in cmd and app and handed down"},
	{"os.Environ", false, []string{"cmd/", "app", "bench", "crash"}, "the environment is read in cmd and app and handed down"},
	{"fmt.Print", false, []string{"cmd/", "bench", "crash"}, "rooms return values; cmd prints"},
	{"fmt.Println", false, []string{"cmd/", "bench", "crash"}, "rooms return values; cmd prints"},
	{"fmt.Printf", false, []string{"cmd/", "bench", "crash"}, "rooms return values; cmd prints"},
	{"slog.Default", false, []string{"cmd/"}, "loggers are passed in"},
	{"os.Exit", false, []string{"cmd/", "bench", "crash"}, "only a main ends the process"},
}

func TestForbiddenCallsStayAway(t *testing.T) {
	for _, f := range sources(t) {
		bubble := usesSynctest(f)
		ast.Inspect(f.AST, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok {
				return true
			}
			name := pkg.Name + "." + sel.Sel.Name
			for _, rule := range forbidden {
				if name != rule.call || rule.tests != f.Test || mayCall(f.Dir, rule.allowed) {
					continue
				}
				if rule.tests && bubble {
					continue // time is fake there: a sleep is exact
				}
				t.Errorf("%s: %s: %s", f.at(n), name, rule.reason)
			}
			return true
		})
	}
}

func usesSynctest(f goFile) bool { return slices.Contains(f.imports(), "testing/synctest") }

func mayCall(dir string, allowed []string) bool {
	for _, a := range allowed {
		if dir == a || strings.HasPrefix(dir+"/", strings.TrimSuffix(a, "/")+"/") {
			return true
		}
	}
	return false
}

func TestNoInitRunsBeforeMain(t *testing.T) {
	for _, f := range sources(t) {
		for _, d := range f.AST.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: func init; constructors are called by app, so that two houses fit in one process", f.at(d))
			}
		}
	}
}

// A process that only prints its version pays for what is compiled before main.
func TestNoExpressionIsCompiledBeforeMain(t *testing.T) {
	for _, f := range sources(t) {
		if f.Test || strings.HasPrefix(f.Path, "tools/") || strings.HasPrefix(f.Path, "testkit/") {
			continue
		}
		for _, d := range f.AST.Decls {
			if gen, ok := d.(*ast.GenDecl); ok {
				ast.Inspect(gen, func(n ast.Node) bool {
					if _, inner := n.(*ast.FuncLit); inner {
						return false
					}
					if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" {
						t.Errorf("%s: a regular expression is compiled before main; put it into sync.OnceValue", f.at(sel))
					}
					return true
				})
			}
		}
	}
}

func TestNoSkippedTestCountsAsPassed(t *testing.T) {
	for _, f := range sources(t) {
		if !f.Test {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "Skip" || sel.Sel.Name == "Skipf" || sel.Sel.Name == "SkipNow") {
				if recv, ok := sel.X.(*ast.Ident); ok && (recv.Name == "t" || recv.Name == "tb" || recv.Name == "b" || recv.Name == "f") {
					t.Errorf("%s: a skipped test proves nothing; give it what it needs or remove it", f.at(n))
				}
			}
			return true
		})
	}
}

// unfinished words have no place in a tree that says what holds.
var unfinished = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}

func TestNothingIsMarkedUnfinished(t *testing.T) {
	for _, f := range sources(t) {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range unfinished {
			if strings.Contains(string(text), word+":") || strings.Contains(string(text), word+"(") {
				t.Errorf("%s contains %s; finish it or say in docs what does not hold", f.Path, word)
			}
		}
	}
}

func TestAgentRulesStayShort(t *testing.T) {
	text, err := os.ReadFile("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := 0
	for line := range strings.Lines(string(text)) {
		if dot := strings.IndexByte(line, '.'); dot > 0 && dot < 3 && strings.Trim(line[:dot], "0123456789") == "" {
			rules++
		}
	}
	if rules == 0 || rules > 25 {
		t.Errorf("AGENTS.md has %d numbered rules; 1 to 25 can be kept in mind", rules)
	}
}
