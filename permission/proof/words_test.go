package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairlead/permission/proof"
	"fairlead/sandbox"
)

// driver has bash parse and run each line of the folder given as $1 without running any
// program: the builtins, and the programs that are named by a path, are functions that
// say their arguments, other names are not found, and file names are not expanded. It
// answers "line N P" before line N under policy P of which programs fail, then a line
// of arguments for each simple command; or "refused N" where bash does not parse it.
const driver = `
set -f
exec 9>&1 >/dev/null 2>&1 </dev/null
say() {
	builtin local IFS=$'\2' line
	line="$*"
	builtin printf 'call %s\n' "${line//$'\n'/$'\1'}" >&9
	builtin printf 'S'
	case $policy in
	0) builtin return 0 ;;
	1) builtin return 1 ;;
	*) builtin return $(( ${#line} * 7 / policy % 2 )) ;;
	esac
}
command_not_found_handle() { say "$@"; }
names=$(compgen -b; cat paths)
PATH=/nowhere
for policy in $names; do
	[ "$policy" = builtin ] || spoken+="function $policy { say $policy \"\$@\"; }; "
done
lines=$1 n=0
while [ -f "$lines/$n" ]; do
	if "$BASH" -n "$lines/$n"; then good+="$n "; else printf 'refused %s\n' $n >&9; fi
	n=$(( n + 1 ))
done
builtin eval "$spoken"
for n in $good; do
	IFS= builtin read -r -d '' text <"$lines/$n"
	for policy in 0 1 2 3 4; do
		builtin printf 'line %s %s\n' $n $policy >&9
		( builtin eval "$text" )
	done
done
`

// bash runs the driver over lines and gives for each what it called, once each; nil
// for a line that bash does not parse.
func bash(t *testing.T, s *sandbox.Spawner, at proof.Place, lines []string) [][][]string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(at.Folder), "lines")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i, line := range lines {
		calls, inputs := proof.Words(line, at)
		for _, call := range calls {
			if strings.Contains(call[0].Text, "/") && call[0].Known {
				paths = append(paths, call[0].Text)
			}
		}
		for _, input := range inputs { // without it the command would not be called
			path := filepath.Join(at.Folder, input)
			if filepath.IsAbs(input) {
				path = input
			}
			if !strings.HasPrefix(path, filepath.Dir(at.Folder)) {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
				t.Logf("%q reads what cannot be made: %v", line, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(at.Folder, "paths"), []byte(strings.Join(paths, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p, err := s.Start(t.Context(), sandbox.Spec{Argv: []string{"bash", "--norc", "--noprofile", "-c", driver, "bash", dir}, Dir: at.Folder, Env: []string{"HOME=" + at.Home}, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(t.Context()); err != nil || exit.Signal != "" {
		t.Fatalf("bash ended with %+v, %v", exit, err)
	}
	heard := make([][][]string, len(lines))
	var n, policy int
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if said, ok := strings.CutPrefix(line, "call "); ok {
			call := strings.Split(strings.ReplaceAll(said, "\x01", "\n"), "\x02")
			if !slices.ContainsFunc(heard[n], func(c []string) bool { return slices.Equal(c, call) }) {
				heard[n] = append(heard[n], call)
			}
		} else if _, err := fmt.Sscanf(line, "line %d %d", &n, &policy); err == nil {
			if heard[n] == nil {
				heard[n] = [][]string{}
			}
		} else if !strings.HasPrefix(line, "refused ") {
			t.Fatalf("bash said %q", line)
		}
	}
	return heard
}

// agree compares what the proof judged of an allowed line with what bash called. whole
// wants every judged command to have been called, too.
func agree(judged [][]proof.Word, called [][]string, whole bool) error {
	if called == nil {
		return errors.New("bash does not parse it")
	}
	met := make([]bool, len(judged))
	for _, call := range called {
		found := false
		for i, words := range judged {
			if fits(words, call) {
				found, met[i] = true, true
			}
		}
		if !found {
			return fmt.Errorf("bash calls %q, judged was %v", call, judged)
		}
	}
	if i := slices.Index(met, false); whole && i >= 0 {
		return fmt.Errorf("%v is judged, bash calls %q", judged[i], called)
	}
	return nil
}

// fits reports whether a call is of these words: one that is not known may have
// become any number of them.
func fits(words []proof.Word, call []string) bool {
	switch {
	case len(words) == 0:
		return len(call) == 0
	case words[0].Known:
		return len(call) > 0 && call[0] == words[0].Text && fits(words[1:], call[1:])
	}
	for n := range len(call) + 1 {
		if fits(words[1:], call[n:]) {
			return true
		}
	}
	return false
}

// workshop is a confined bash with an empty folder and an empty home.
func workshop(t testing.TB) (*sandbox.Spawner, proof.Place) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := proof.Place{Folder: filepath.Join(top, "work"), Home: filepath.Join(top, "home")}
	if err := errors.Join(os.Mkdir(at.Folder, 0o700), os.Mkdir(at.Home, 0o700)); err != nil {
		t.Fatal(err)
	}
	s := sandbox.New(sandbox.Options{Env: []string{"PATH=" + os.Getenv("PATH")}})
	t.Cleanup(func() { s.Close(0) })
	return s, at
}

// spellings are lines whose words are hard to read; what of them passes must be read
// as bash reads it.
var spellings = []string{
	`ls a\ b 'c d' "e f" $'g\th' ""`, `echo "a\$b" "a\b" "a\\b" "a\"b" 'a\b'`, `echo a\` + "\n" + `b`, `echo "a\` + "\n" + `b"`, `echo 'a\` + "\n" + `b'`, `echo {a,b}{1,2} x{,y} {1..3} {a..c} {3..1..2}`, `echo '{a,b}' \{a,b} {a} {} {a,"b c"}`,
	`echo ~ ~/x '~' \~ "~/x" a~ x=~/y ~root`, `echo $HOME "$HOME/x" '$HOME' \$HOME ${HOME}`, `grep -e '*.go' a*b "a*b" a\*b [ab] x?y`, "echo a # b", "echo a#b '#c' \\#d", "ls;ls -a ; ls -l", "ls &&\nls -a", "ls |\n# note\nwc -l", "ls\n\n\nls -a",
	`"ls" -la`, `l\s`, `'l's -a`, `/bin/ls -l`, `/usr/bin/wc -l a`, `ls -"l"a`, `echo -e 'a\nb'`, `echo "$(echo "a b" | wc -w)" c`, "echo `ls` b", `echo $(echo $(echo a))`, `echo $((1+2)) "$((2 * (3 + 1)))"`, `if ls a; then echo b; elif test c; then echo d; else echo e; fi`,
	`{ ls; echo a; }`, `( ls; echo a ) | wc`, `! ls`, `time ls`, `[ -f a -a "b c" = d ]`, `[[ -f a && b == c* ]] && echo d`, `test ! -e a || echo b`, `LC_ALL=C sort a`, `ls 2>/dev/null 1>&2`, `2>/dev/null ls -a`, `ls 2> /dev/null -a`, `wc -l <a b`, `printf '%s\n' a b`, `type ls wc`, `command -v ls`,
	`cd sub && ls || echo none; pwd`, `ls -- -a`, `echo 'it'\''s'`, `echo "a'b" 'c"d'`, `echo a'b'"c"$'d'`, `echo $'a\'b'`, `echo "a` + "\n" + `b"`, "echo a\tb", `echo a;echo b`, `echo a|cat`, `echo a&&echo b`, `ls >/dev/null 2>&1`, `ls &>/dev/null`, `echo a=b c=d`, `true && false || echo x`,
	`echo [!a]`, `echo !a`, `echo a!b`, `echo ^a^b`, `echo %1 @a +b`, `echo {a,b`, `echo a}b`, `echo {a..}`, `echo {01..3}`, `echo {a,b\,c}`, `echo "{a,b}"{c,d}`, `echo $'\n'`, `echo \\`, `echo \\\a`, `echo "\` + "`" + `"`, `echo é "ü x"`, `echo {1..3}{a,b}`, `echo {,a}{b,}`, `echo a{b,c{d,e}}`, `echo $HOME{a,b}`, `echo {$HOME,b}`, `echo {-1..1}`, `echo {10..1..3}`, `echo {a..e..2}`, `echo {A..c}`, `echo x{a,b}$(ls)`,
	`echo {$,x}HOME`, `echo {a$HOME,b}c`, `echo {$?,b}c`, `echo {A..z}`, `echo {Z..a}x`, `cat ~key`, `echo ~key`, `echo {,}`, `echo x{,}`, `echo ""{,}`, `echo {a,\\}b`, `echo {\$,a}HOME`, `echo ~/{a,b}`, `echo {~,b}`, `echo {~/a,b}`, `echo a{~,b}`, `ls {~/x,y}`, `echo {a,~}`, `echo '~'/x ~"/x"`, `echo ~''/x`, `echo a:~/b`, `echo --x=~/y`, `cat <~/a`, `echo $PWD/x "$PWD"`, `echo "${HOME}"x`, `echo "$HOME"{a,b}`, `echo 1>&2 a`, `echo a 2>&1`, `echo 2 >/dev/null`, `echo a2>/dev/null`,
}

// TestTheWordsAreThoseOfBash runs every allowed line through a bash whose programs say
// their arguments, under several ways of failing, so that every branch is taken.
func TestTheWordsAreThoseOfBash(t *testing.T) {
	s, at := workshop(t)
	lines := slices.Clone(spellings)
	for _, c := range readCases(t, "testdata/bash.txt") {
		lines = append(lines, c.command)
	}
	asked := len(lines)
	lines = slices.DeleteFunc(lines, func(line string) bool { return !proof.Bash(line, at).Looks })
	asked -= len(lines)
	for i, called := range bash(t, s, at, lines) {
		judged, _ := proof.Words(lines[i], at)
		if err := agree(judged, called, !strings.Contains(lines[i], "[[")); err != nil {
			t.Errorf("%q: %v", lines[i], err)
		}
	}
	t.Logf("%d lines compared, %d ask", len(lines), asked)
}

// TestChangedLinesAreReadAsBashReadsThem puts a random piece of syntax into allowed
// lines: what still passes must be read alike.
func TestChangedLinesAreReadAsBashReadsThem(t *testing.T) {
	s, at := workshop(t)
	pieces := []string{" ", "\n", "\t", "'", `"`, `\`, "`", "$", "$(", ")", "(", "{", "}", ",", "..", "{a,b}", "~", "*", "?", "[", "]", "|", "||", "&&", ";", "<", "2>&1", "#", "!", "=", "+", "-", "--", "@", "%", ":", "/", "^", "$'", `$"`, "$HOME", "${", "\\\n", "é", "0", "a", "1>", "[[", "]]", "time ", "if ", "; then ", "; fi", "(( ", "))", "&>"}
	base := slices.Clone(spellings)
	for _, c := range readCases(t, "testdata/bash.txt") {
		base = append(base, c.command)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for range 4000 {
		line := base[random.IntN(len(base))]
		for range 1 + random.IntN(2) {
			i := random.IntN(len(line) + 1)
			line = line[:i] + pieces[random.IntN(len(pieces))] + line[min(len(line), i+random.IntN(2)):]
		}
		if proof.Bash(line, at).Looks && len(lines) < 250 {
			lines = append(lines, line)
		}
	}
	for i, called := range bash(t, s, at, lines) {
		judged, _ := proof.Words(lines[i], at)
		if err := agree(judged, called, false); err != nil {
			t.Errorf("%q: %v", lines[i], err)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, line := range spellings {
		f.Add(line)
	}
	s, at := workshop(f)
	f.Fuzz(func(t *testing.T, line string) {
		if !proof.Bash(line, at).Looks {
			return
		}
		judged, _ := proof.Words(line, at)
		if err := agree(judged, bash(t, s, at, []string{line})[0], false); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	})
}
