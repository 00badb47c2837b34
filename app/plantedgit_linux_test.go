package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// everydayGit are look-only commands as models use them.
var everydayGit = []string{
	"git status", "git status -s -b", "git log --oneline -5", "git log -p -2", "git --no-pager log --stat -1", "git diff", "git diff HEAD~1 --stat", "git diff --cached",
	"git show HEAD", "git show HEAD:b.x", "git branch -a", "git blame b.x", "git ls-files -m -o", "git grep -n one", "git grep one HEAD", "git stash list", "git tag -l", "git remote -v",
	"git reflog", "git describe --always --dirty", "git cat-file -p HEAD:b.x", "git rev-parse --show-toplevel", "git shortlog -s HEAD", "git check-attr -a b.x",
}

// Keys of git's configuration that make it start a program, read more settings, or work
// on another folder, with the value that names the canary (%s) or the folder (%[2]s).
// What those of sings name is started by an everyday look where nothing stands in the
// way.
var (
	sings = map[string]string{
		"core.fsmonitor": "%s", "core.hooksPath": "%[2]s/hooks", "diff.external": "%s", "diff.x.command": "%s", "diff.x.textconv": "%s", "filter.x.clean": "%s",
		"filter.x.process": "%s", "alias.look": "!%s", "include.path": "%[2]s/settings", "includeIf.gitdir:**.path": "%[2]s/settings",
	}
	silent = map[string]string{
		"core.pager": "%s", "pager.log": "%s", "pager.diff": "%s", "core.sshCommand": "%s", "core.editor": "%s", "core.askPass": "%s", "core.gitProxy": "%s", "core.alternateRefsCommand": "%s",
		"filter.x.smudge": "%s", "alias.status": "!%s", "credential.helper": "!%s", "credential.https://example.invalid.helper": "!%s", "gpg.program": "%s", "gpg.ssh.program": "%s",
		"gpg.ssh.defaultKeyCommand": "%s", "log.showSignature": "true", "interactive.diffFilter": "%s", "blame.ignoreRevsFile": "%s", "sequence.editor": "%s", "merge.x.driver": "%s",
		"difftool.x.cmd": "%s", "mergetool.x.cmd": "%s", "remote.origin.uploadpack": "%s", "remote.origin.receivepack": "%s", "remote.origin.vcs": "x", "submodule.x.update": "!%s",
		"trailer.x.command": "%s", "uploadpack.packObjectsHook": "%s", "core.attributesFile": "%[2]s/attributes", "core.excludesFile": "%[2]s/attributes", "url.ext::%s.insteadOf": "https:",
		"protocol.ext.allow": "always", "extensions.partialClone": "origin", "web.browser": "%s", "tar.x.command": "%s", "sendemail.smtpserver": "%s", "ssh.variant": "%s",
		"core.worktree": "%[2]s/other",
	}
)

// TestNoCanaryOfARepositoryIsStarted goes the whole way: a model's shell calls through
// the gate in Manual with nobody there. Each repository names the canary in one place.
// What the settings make doubtful is denied by nobody; the rest runs and starts nothing.
func TestNoCanaryOfARepositoryIsStarted(t *testing.T) {
	type row struct {
		*planted
		commands []string
		asks     bool
		sings    bool // a bare git starts the canary
	}
	var rows []row
	add := func(name string, asks, sings bool, lay func(p *planted), commands ...string) {
		p := plant(t, name)
		p.repository()
		p.write("sub/c.txt", "one\n")
		lay(p)
		if len(commands) == 0 {
			commands = everydayGit
		}
		rows = append(rows, row{p, commands, asks, sings})
	}
	for _, group := range []map[string]string{sings, silent} {
		for key, value := range group {
			_, loud := sings[key]
			var commands []string
			if key == "alias.look" {
				commands = append(slices.Clone(everydayGit), "git look")
			}
			add(key, true, loud, func(p *planted) {
				p.write("hooks/post-index-change", "#!/bin/sh\nexec '"+p.canary+"'\n")
				p.write("settings", "[core]\n\tfsmonitor = "+p.canary+"\n")
				p.write("attributes", "*.x diff=x\n")
				p.write("other/a.txt", "")
				names := strings.NewReplacer("%s", p.canary, "%[2]s", p.dir)
				p.git("config", names.Replace(key), names.Replace(value))
			}, commands...)
		}
	}
	add("nothing", false, false, func(*planted) {})
	add("hooks of the repository", false, true, func(p *planted) {
		for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout", "reference-transaction", "sendemail-validate"} {
			p.write(".git/hooks/"+hook, "#!/bin/sh\nexec '"+p.canary+"'\n")
		}
	})
	add("attributes without settings", false, false, func(p *planted) { p.write(".git/info/attributes", "* diff=x filter=x\n") })
	add("settings of a work tree", true, true, func(p *planted) {
		p.git("config", "extensions.worktreeConfig", "true")
		p.git("config", "--worktree", "core.fsmonitor", p.canary)
	})
	add("a submodule", true, true, func(p *planted) {
		inner := plant(t, "inner")
		inner.repository()
		p.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.dir, "inner")
		p.git("-C", "inner", "config", "core.fsmonitor", p.canary)
	})
	add("a .git that points elsewhere", true, true, func(p *planted) {
		p.git("config", "core.fsmonitor", p.canary)
		if err := os.Rename(filepath.Join(p.dir, ".git"), filepath.Join(filepath.Dir(p.dir), "kept")); err != nil {
			t.Fatal(err)
		}
		p.write(".git", "gitdir: ../kept\n")
	})
	add("settings elsewhere", true, true, func(p *planted) {
		p.git("worktree", "add", "-q", "-b", "second", "../second")
		p.git("config", "core.fsmonitor", p.canary)
		p.dir = filepath.Join(filepath.Dir(p.dir), "second")
	})
	add("a bare repository below", true, true, func(p *planted) {
		p.git("init", "-q", "--bare", "sub")
		p.git("-C", "sub", "config", "core.fsmonitor", p.canary)
		p.git("-C", "sub", "config", "core.bare", "false")
		p.git("-C", "sub", "config", "core.worktree", "..")
	}, "cd sub && git status", "cd sub; git log -1", "git -C sub status", "git --git-dir sub status", "git --git-dir=sub log", "pushd sub; git status", "(cd sub && git diff)", "GIT_DIR=sub git status", "env -C sub git status")
	add("a repository below", true, true, func(p *planted) {
		p.git("init", "-q", "sub")
		p.git("-C", "sub", "config", "core.fsmonitor", p.canary)
	}, "cd sub && git status", "git -C sub status", "git -C ./sub diff", "cd sub; ls; git ls-files -m", "test -d sub && cd sub && git show", "if cd sub; then git status; fi", "ls $(cd sub; git status)")

	var model strings.Builder
	for i := range rows {
		script(&model, rows[i].commands)
	}
	u := attendNobody(t, model.String(), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()})
	for _, r := range rows {
		r.opened() // what laying it out started
		if err := os.RemoveAll(r.sang); err != nil {
			t.Fatal(err)
		}
		want := "proof"
		if r.asks {
			want = "nobody"
		}
		for i, by := range u.decisions(r.dir, r.commands) {
			if by != want {
				t.Errorf("%s: %s is decided by %s, want %s", r.name, r.commands[i], by, want)
			}
		}
		r.silent()
		for _, c := range r.commands {
			if _, err := r.bare("sh", "-c", c); err != nil {
				continue // the canary speaks none of git's protocols
			}
		}
		if r.sings && !r.opened() {
			t.Errorf("%s: a bare git does not start the canary either, so its silence shows nothing", r.name)
		}
	}
}
