package app_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fairlead/agent"
	"fairlead/app"
	"fairlead/llm"
	"fairlead/llm/scripted"
	"fairlead/session"
	"fairlead/tool"
)

// planted is a folder in which something names a program: the canary. It lies outside
// the folder, so that nothing has a reason to open it but to start it.
type planted struct {
	t      *testing.T
	name   string
	dir    string // the workspace of the session
	canary string // absolute
	sang   string // the file that the canary leaves behind
	watch  int    // of every opening of the canary
}

// plant makes the folder and the canary.
func plant(t *testing.T, name string) *planted {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &planted{t: t, name: name, dir: filepath.Join(top, "work"), canary: filepath.Join(top, "canary"), sang: filepath.Join(top, "sang")}
	p.write("a.txt", "one\n")
	if err := os.WriteFile(p.canary, []byte("#!/bin/sh\n: > '"+p.sang+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if p.watch, err = syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC); err == nil {
		_, err = syscall.InotifyAddWatch(p.watch, p.canary, syscall.IN_OPEN)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Close(p.watch); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *planted) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
		p.t.Fatal(err)
	}
}

// git runs git as a person without settings would.
func (p *planted) git(args ...string) {
	p.t.Helper()
	if out, err := p.bare("git", args...); err != nil {
		p.t.Fatalf("%s: git %v: %v\n%s", p.name, args, err, out)
	}
}

func (p *planted) bare(program string, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e@example.invalid", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e@example.invalid"}
	return cmd.CombinedOutput()
}

// repository makes the folder a repository with two commits, a changed file and one
// that attributes give to a driver and a filter of the name x.
func (p *planted) repository() {
	p.t.Helper()
	p.write(".gitattributes", "*.x diff=x filter=x merge=x\n")
	p.write("b.x", "one\n")
	p.git("init", "-q", "-b", "main")
	p.git("add", ".")
	p.git("commit", "-qm", "first")
	p.write("b.x", "one\ntwo\n")
	p.git("commit", "-qam", "second")
	p.write("a.txt", "one\ntwo\n")
	p.write("b.x", "one\ntwo\nthree\n")
}

// opened reports whether the canary was opened since it was asked last: a program is
// opened by being started, also where it could leave nothing behind.
func (p *planted) opened() bool {
	n, err := syscall.Read(p.watch, make([]byte, 4096))
	return err == nil && n > 0
}

// silent fails where the canary was started.
func (p *planted) silent() {
	p.t.Helper()
	if p.opened() {
		p.t.Errorf("%s: the canary was started", p.name)
	}
	if _, err := os.Stat(p.sang); !errors.Is(err, fs.ErrNotExist) {
		p.t.Errorf("%s: the canary sang (%v)", p.name, err)
	}
}

// A session in Manual with nobody to ask, in the real composition.
type unattended struct {
	t    *testing.T
	host *agent.Host
}

// decisions has the session's model call the shell with each command, and gives who
// decided on each: "proof" only where the command really ran.
func (u unattended) decisions(dir string, commands []string) []string {
	t := u.t
	t.Helper()
	a, err := u.host.Create(t.Context(), agent.Spec{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = a.Send(t.Context(), agent.Input{ID: "m1", Content: llm.Text("Look around."), Mode: "manual"}); err != nil {
		t.Fatal(err)
	}
	if err := a.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var calls []string
	by := map[string]string{}
	for e, err := range a.Log().Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case tool.Decided.Of(e):
			d, err := tool.Decided.Decode(e)
			if err != nil {
				t.Fatal(err)
			}
			calls, by[d.Call] = append(calls, d.Call), d.By
		case session.ToolResult.Of(e):
			d, err := session.ToolResult.Decode(e)
			if err != nil {
				t.Fatal(err)
			}
			if ran := !strings.Contains(string(d.Code), "DENIED") && len(d.Content) > 0; ran != (by[d.Call] == "proof") {
				t.Errorf("decided by %s, and then: %+v", by[d.Call], d)
			}
		}
	}
	if len(calls) != len(commands) {
		t.Fatalf("%d decisions on %d commands", len(calls), len(commands))
	}
	var got []string
	for _, call := range calls {
		got = append(got, by[call])
	}
	return got
}

// script has the model call the shell with all the commands of a session at once.
func script(b *strings.Builder, commands []string) {
	b.WriteString("reply\n")
	for _, c := range commands {
		fmt.Fprintf(b, "  call shell {\"command\":%q}\n", c)
	}
	b.WriteString("reply\n  say That is all.\n")
}

func attendNobody(t *testing.T, model string, env []string) unattended {
	t.Helper()
	script, err := scripted.Parse("counting off\n" + model)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(scripted.Handler(script))
	t.Cleanup(server.Close)
	a := boot(t, app.Options{Version: "test", Env: env,
		Environ: func(name string) string {
			for _, pair := range env {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		},
		Flags: fmt.Sprintf(`{"rows":[{"id":"model","plugin":"connection","config":{"name":"model","baseUrl":%q,"default":"scripted","prefer":true}}]}`, server.URL+"/v1")})
	host, err := a.Host()
	if err != nil {
		t.Fatal(err)
	}
	return unattended{t, host}
}
