package proof_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/permission/proof"
)

// repository makes a real repository with one commit and gives its folder.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=n", "-c", "user.email=e@example.invalid", "commit", "-qm", "first")
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestPlainRepositoryPasses(t *testing.T) {
	dir := repository(t)
	git(t, dir, "remote", "add", "origin", "https://example.invalid/x.git")
	git(t, dir, "config", "branch.main.remote", "origin")
	git(t, dir, "config", "user.name", "n")
	if err := proof.Repository(dir); err != nil {
		t.Errorf("a plain repository asks: %v", err)
	}
	sub := filepath.Join(dir, "sub", "deeper")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := proof.Repository(sub); err != nil {
		t.Errorf("a folder of it asks: %v", err)
	}
	if err := proof.Repository(t.TempDir()); err != nil {
		t.Errorf("a folder without a repository asks: %v", err)
	}
}

// programKeys are settings that make git start what they name.
var programKeys = []string{
	"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.hooksPath", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
	"core.worktree", "core.attributesFile", "diff.external", "diff.x.command", "diff.x.textconv", "filter.x.clean", "filter.x.smudge", "filter.x.process",
	"merge.x.driver", "gpg.program", "gpg.ssh.program", "gpg.x509.program", "gpg.ssh.defaultKeyCommand", "alias.status", "alias.x", "pager.log", "pager.diff", "credential.helper",
	"credential.https://example.invalid.helper", "include.path", "includeIf.gitdir:/.path", "interactive.diffFilter", "sequence.editor", "difftool.x.cmd", "mergetool.x.cmd",
	"remote.origin.uploadpack", "remote.origin.vcs", "remote.origin.promisor", "extensions.partialClone", "submodule.x.update", "tar.x.command", "trailer.x.command", "uploadpack.packObjectsHook",
	"log.showSignature", "web.browser", "browser.x.cmd", "man.x.cmd", "sendemail.smtpserver", "url.x.insteadOf", "protocol.ext.allow",
}

func TestSettingsThatNameProgramsAsk(t *testing.T) {
	for _, key := range programKeys {
		dir := repository(t)
		git(t, dir, "config", key, "./canary.sh")
		err := proof.Repository(dir)
		if err == nil {
			t.Errorf("%s passes", key)
			continue
		}
		section, _, _ := strings.Cut(strings.ToLower(key), ".")
		if !strings.Contains(err.Error(), section) {
			t.Errorf("%s: %q does not name the setting", key, err)
		}
	}
}

func TestRepositoriesThatPointElsewhereAsk(t *testing.T) {
	other := repository(t)
	for name, make := range map[string]func(dir string) error{
		".git is a file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+other+"/.git\n"), 0o600)
		},
		".git is a link": func(dir string) error { return os.Symlink(filepath.Join(other, ".git"), filepath.Join(dir, ".git")) },
		"a bare repository": func(dir string) error {
			git(t, dir, "init", "-q", "--bare", ".")
			return nil
		},
		"unreadable syntax": func(dir string) error {
			git(t, dir, "init", "-q")
			return os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[core\nx=y\n"), 0o600)
		},
		"a worktree's own settings": func(dir string) error {
			git(t, dir, "init", "-q")
			return os.WriteFile(filepath.Join(dir, ".git", "config.worktree"), []byte("[core]\n\tfsmonitor = ./x\n"), 0o600)
		},
		"a continued line": func(dir string) error {
			git(t, dir, "init", "-q")
			return os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[core]\n\tfsmon\\\nitor = ./x\n"), 0o600)
		},
		"a comment that ends in a backslash": func(dir string) error {
			git(t, dir, "init", "-q")
			return os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[core]\n# x \\\n\tfsmonitor = ./x\n"), 0o600)
		},
		"a value that ends in a backslash": func(dir string) error {
			git(t, dir, "init", "-q")
			return os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[user]\n\tname = x\\\\\n[core]\n\tfsmonitor = ./x\n"), 0o600)
		},
		"a folder of a bare repository with its objects elsewhere": func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
				os.WriteFile(filepath.Join(dir, "commondir"), []byte(other+"/.git\n"), 0o600))
		},
		"a setting behind its section": func(dir string) error {
			git(t, dir, "init", "-q")
			return os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[core] fsmonitor = ./x\n"), 0o600)
		},
	} {
		dir := t.TempDir()
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		if err := proof.Repository(dir); err == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// The settings are changed after the check and before git starts: with the
// environment of unasked commands, no canary runs for what it switches off.
func TestUnaskedEnvironmentSwitchesProgramsOff(t *testing.T) {
	for _, key := range []string{"core.fsmonitor", "core.pager", "core.hooksPath", "log.showSignature", "pager.log", "gpg.program"} {
		dir := repository(t)
		canary := filepath.Join(dir, "canary.sh")
		if err := os.WriteFile(canary, []byte(fmt.Sprintf("#!/bin/sh\ntouch %q\n", dir+"/sang")), 0o700); err != nil {
			t.Fatal(err)
		}
		value := canary
		if key == "log.showSignature" {
			value = "true"
		}
		git(t, dir, "config", key, value)
		for _, args := range [][]string{{"status", "-s"}, {"log", "-1"}, {"diff"}, {"branch"}, {"show", "HEAD"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, proof.UnaskedEnv("")...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		if _, err := os.Stat(dir + "/sang"); err == nil {
			t.Errorf("%s: the canary sang", key)
		}
	}
}

// A .git folder that is not whole is passed over by git, which goes on upwards.
func TestOuterRepositoryCountsBehindAHollowOne(t *testing.T) {
	dir := repository(t)
	git(t, dir, "config", "core.fsmonitor", "./canary.sh")
	sub := filepath.Join(dir, "sub")
	if err := os.MkdirAll(filepath.Join(sub, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := proof.Repository(sub); err == nil {
		t.Error("a hollow .git hides the repository around it")
	}
}

// git status starts a git in each submodule that is there, with that one's settings.
func TestSubmodulesAsk(t *testing.T) {
	inner := repository(t)
	dir := repository(t)
	git(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub")
	if err := proof.Repository(dir); err == nil || !strings.Contains(err.Error(), "submodule") {
		t.Errorf("a submodule passes: %v", err)
	}
	if err := os.Rename(filepath.Join(dir, "sub", ".git"), filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	if err := proof.Repository(dir); err != nil {
		t.Errorf("a submodule that is not there asks: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "index"), []byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := proof.Repository(dir); err == nil {
		t.Error("an index of another form passes")
	}
}
