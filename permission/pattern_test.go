package permission

import (
	"os"
	"path/filepath"
	"testing"

	"fairlead/tool"
)

func TestARuleSeesTheCommandInsideFolderAndLimits(t *testing.T) {
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(work, "sub"), 0o700)
	}
	if err == nil {
		err = os.Symlink("sub", filepath.Join(work, "link"))
	}
	if err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(work, "sub")
	exact := Rule{Folder: work, Command: "go test ./...", Dir: work}
	below := Rule{Folder: work, Command: "go test ./...", Dir: sub}
	for _, row := range []struct {
		text         string
		exact, below bool
	}{
		{"go test ./...", true, false},
		{"  go test ./...  ", true, false},
		{"cd sub && go test ./...", false, true},
		{"cd " + sub + " && go test ./...", false, true},
		{"cd link && go test ./...", false, true},
		{"cd sub && cd .. && go test ./...", false, false},
		{"cd . && timeout 60 go test ./...", true, false},
		{"timeout 60 go test ./...", true, false},
		{"timeout -k 5 --signal=KILL 1.5m go test ./...", true, false},
		{"timeout --foreground 60 nice go test ./...", true, false},
		{"nice -n 10 go test ./...", true, false},
		{"nice -10 go test ./...", true, false},
		{"nice --adjustment=5 timeout 9 go test ./...", true, false},
		// Anything else is another command.
		{"cd /tmp && go test ./...", false, false},
		{"cd - && go test ./...", false, false},
		{"cd ~ && go test ./...", false, false},
		{"cd $X && go test ./...", false, false},
		{"cd sub; go test ./...", false, false},
		{"cd sub || go test ./...", false, false},
		{"cd sub && go test ./... && rm -rf .", false, false},
		{"cd sub && go test ./... &", false, false},
		{"! go test ./...", false, false},
		{"go test ./... > out", false, false},
		{"> /etc/x timeout 5 go test ./...", false, false},
		{"timeout 5 > /etc/x go test ./...", false, false},
		{"timeout 5 go test ./... > x", false, false},
		{"timeout -x 5 go test ./...", false, false},
		{"timeout 5 env go test ./...", false, false},
		{"timeout $N go test ./...", false, false},
		{"timeout go test ./...", false, false},
		{"nice go", false, false},
		{"nice -n go test ./...", false, false},
		{"sudo go test ./...", false, false},
		{"xargs go test ./...", false, false},
		{"time go test ./...", false, false},
		{"GOFLAGS=-exec=x go test ./...", false, false},
		{"go test ./... -exec=x", false, false},
	} {
		cmd := tool.Command{Shell: "bash", Text: row.text, Dir: work}
		if got := exact.coversCommand(cmd); got != row.exact {
			t.Errorf("%q in the workspace: covered %t", row.text, got)
		}
		if got := below.coversCommand(cmd); got != row.below {
			t.Errorf("%q below it: covered %t", row.text, got)
		}
	}
}

func TestAPatternLeavesOperandsOpenAndNothingElse(t *testing.T) {
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		pattern, text string
		want          bool
	}{
		{"go test *", "go test ./...", true},
		{"go test *", "go test ./a ./b", true},
		{"go test *", "go test", true},
		{"go test *", "cd . && timeout 60 go test ./a", true},
		{"go test *", "go test ./a 2>&1", true},
		{"go test *", "go test ./a >/dev/null 2>&1", true},
		{"go test *", "go test -exec=./evil ./a", false},
		{"go test *", "go test ./a -exec ./evil", false},
		{"go test *", "go vet ./a", false},
		{"go test *", "go test ./a > out", false},
		{"go test *", "go test ./a; rm -rf .", false},
		{"go test *", "go test ./a | tee x", false},
		{"go test *", "go test $(cat x)", false},
		{"go test *", "go test $X", false},
		{"go test *", "go test ./*", false},
		{"go test *", "go test ~/x", false},
		{"go test *", "go test {-exec,./evil}", false},
		{"go test *", "go test # a note\\\n./evil", false}, // bash runs the second line
		{"go test *", "go test #\\\n rm -rf .", false},
		{"go test *", "X=1 go test ./a", false},
		{"go test *", "cd / && go test ./a", false},
		{"go test *", "sudo go test ./a", false},
		{"make test *", "make test fast", true},
		{"make test *", "make test SHELL=./evil", false},
		{"gcc -c *", "gcc -c @options", false},
		{"cargo build *", "cargo build +nightly", false},
		{"npm test * --silent", "npm test a --silent", true},
		{"npm test * --silent", "npm test --silent", false},
		{"npm test * --silent", "npm test --evil --silent", false},
		{"git log --max-count=*", "git log --max-count=5", true},
		{"git push origin *", "git push origin feature/x", true},
		{"git push origin *", "git push -f origin x", false},
		{"git push origin *", "git -c core.pager=x push origin x", false},
		// These are no patterns, so they cover nothing.
		{"go run *", "go run ./x", false},
		{"npm exec *", "npm exec x", false},
		{"python3 *", "python3 x.py", false},
		{"env *", "env ls", false},
		{"timeout 5 *", "timeout 5 ls", false},
		{"./x *", "./x a", false},
		{"* x", "rm x", false},
		{"git *", "git push", false},
		{"git config *", "git config a", false},
		{"go test ./a", "go test ./a", false},
	} {
		rule := Rule{Folder: work, Pattern: row.pattern}
		if got := rule.coversCommand(tool.Command{Shell: "bash", Text: row.text, Dir: work}); got != row.want {
			t.Errorf("%q and %q: covered %t", row.pattern, row.text, got)
		}
	}
}

func TestACardOffersAPatternOnlyBehindAVerb(t *testing.T) {
	for text, want := range map[string]string{
		"go test ./...": "go test *", "go test -race ./a ./b": "go test -race *", "npm test x": "npm test *", "git push origin main": "git push *",
		"go test": "", "rm build x": "", "rm -rf build": "", "go run ./x": "", "go test ./a -v": "", "npm run build": "", "git config a b": "", "python3 x.py y": "", "go test 'a b' c": "go test *",
	} {
		in, ok := innerOf(tool.Command{Shell: "bash", Text: text, Dir: t.TempDir()})
		got := ""
		if ok {
			got = patternOf(in.words)
		}
		if got != want {
			t.Errorf("%q offers %q, want %q", text, got, want)
		}
	}
}

func TestARuleIsOnlyEverNarrowed(t *testing.T) {
	for _, row := range []struct {
		pattern, to string
		want        bool
	}{
		{"go test *", "go test ./store/*", true},
		{"go test *", "go test ./...", true},
		{"go test *", "go test * *", true},
		{"go test *", "go test -exec=x *", false},
		{"go test *", "go vet ./...", false},
		{"go test *", "go *", false},
		{"go test ./a *", "go test *", false},
		{"go test ./a *", "go test ./b *", false},
		{"go test ./a/*", "go test ./a/b", true},
		{"go test ./a/*", "go test *", false},
		{"go test ./a/*", "go test ./a/* ./b", false},
		{"go test *", "go test $(evil)", false},
		{"go test *", "sudo go test *", false},
		{"go test *", "", false},
	} {
		rules := NewRules(filepath.Join(t.TempDir(), "rules.yaml"))
		if err := rules.add(Rule{ID: "r1", Folder: "/w", Pattern: row.pattern}); err != nil {
			t.Fatal(err)
		}
		if err := rules.Narrow("r1", row.to); (err == nil) != row.want {
			t.Errorf("%q to %q: %v", row.pattern, row.to, err)
		}
		if list, err := rules.List(); err != nil || len(list) != 1 {
			t.Errorf("%q to %q leaves %+v, %v", row.pattern, row.to, list, err)
		}
	}
}
