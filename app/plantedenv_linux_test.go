package app_test

import (
	"os"
	"path/filepath"

	"strings"
	"testing"
)

// everyday are look-only commands of other programs than git.
var everyday = []string{
	"ls -la", "cat a.txt", "head -1 a.txt", "grep -rn one .", "rg -n one", "rg --files", "find . -name '*.txt'", "wc -l a.txt", "sort a.txt | uniq -c", "awk '{print $1}' a.txt",
	"sed -n 1p a.txt", "jq . package.json", "diff a.txt package.json; true", "stat a.txt", "file a.txt", "tree -L 1", "du -sh .", "python3 --version", "node --version",
	"go version", "go list ./...", "go env GOOS", "gofmt -l .", "make --version", "less --version", "bash --version", "date", "which ls", "type ls", "echo $HOME", "[ -f a.txt ] && echo yes", "od -c a.txt",
	"column -t a.txt", "numfmt 1024", "seq 3", "printf '%s' x", "ps", "test -d x || echo no", "echo $(cat a.txt)", "cut -c1 a.txt", "tr a b < a.txt", "basename /a/b", "readlink -f a.txt", "strings a.txt",
}

// TestNoCanaryOfAFolderIsStarted lays out everything beside git's settings that makes
// programs which only look start others: files of the folder, start files, and an
// environment as a hostile starter of the process would leave it. All of the commands
// run unasked, and none of it counts.
func TestNoCanaryOfAFolderIsStarted(t *testing.T) {
	p := plant(t, "files and environment")
	p.repository()
	command := "'" + p.canary + "'\n"
	for name, text := range map[string]string{
		".npmrc": "script-shell=" + p.canary + "\nnode-options=--require " + p.canary + "\n", ".bashrc": command, ".bash_profile": command, ".profile": command, ".bash_env": command,
		".envrc": command, ".env": "BASH_ENV=" + p.canary + "\n", ".ripgreprc": "--pre=" + p.canary + "\n", ".inputrc": `"a": "` + p.canary + `"` + "\n", ".lessfilter": "#!/bin/sh\n" + command, ".lesskey": "#env\nLESSOPEN=|" + p.canary + " %s\n",
		".jq/m.jq": "def one: 1;", "Makefile": "X := $(shell " + p.canary + ")\nall:\n\t" + command, "GNUmakefile": "X := $(shell " + p.canary + ")\n", "makefile": "X := $(shell " + p.canary + ")\n",
		"sitecustomize.py": "import os\nos.system('" + p.canary + "')\n", "usercustomize.py": "import os\nos.system('" + p.canary + "')\n", ".pythonrc": "import os\nos.system('" + p.canary + "')\n",
		".python-version": "../../../.." + p.dir + "/version\n", "version/bin/python3": "#!/bin/sh\n" + command, ".node-version": "../" + p.dir, ".tool-versions": "python path:" + p.dir + "/version\n",
		"package.json": `{"scripts":{"preinstall":"` + p.canary + `"},"bin":"` + p.canary + `"}`, "node_modules/.bin/ls": "#!/bin/sh\n" + command, "bin/ls": "#!/bin/sh\n" + command, "ls": "#!/bin/sh\n" + command, "grep": "#!/bin/sh\n" + command,
		"go.mod": "module planted\n\ngo 1.21\n\ntoolchain go1.99.1\n", "go.env": "CC=" + p.canary + "\n", "main.go": "package main\n\n// #cgo pkg-config: planted\n// int x;\nimport \"C\"\n\n//go:generate " + p.canary + "\nfunc main() {}\n",
		".git/hooks/post-index-change": "#!/bin/sh\n" + command, ".gdbinit": "shell " + p.canary + "\n", ".vimrc": "!" + p.canary + "\n", ".exrc": "!" + p.canary + "\n", ".awkrc": "BEGIN { system(\"" + p.canary + "\") }\n", ".magic": "0 string one one\n",
	} {
		p.write(name, text)
	}
	quoted := "'" + p.canary + "'"
	env := []string{
		"PATH=.:bin:" + filepath.Join("node_modules", ".bin") + "::" + filepath.Join(p.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + p.dir,
		"BASH_ENV=" + p.canary, "ENV=" + p.canary, "BASH_FUNC_ls%%=() { " + quoted + "; }", "BASH_FUNC_cat%%=() { " + quoted + "; }", "PROMPT_COMMAND=" + quoted, "SHELLOPTS=xtrace", "PS4=$(" + quoted + ")", "BASHOPTS=expand_aliases", "CDPATH=/", "IFS=a", "GLOBIGNORE=*",
		"LD_PRELOAD=" + p.canary, "LD_AUDIT=" + p.canary, "LD_LIBRARY_PATH=" + p.dir, "LESSOPEN=|" + p.canary + " %s", "LESSCLOSE=" + p.canary, "PAGER=" + p.canary, "MANPAGER=" + p.canary, "EDITOR=" + p.canary, "VISUAL=" + p.canary, "BROWSER=" + p.canary, "SHELL=" + p.canary,
		"RIPGREP_CONFIG_PATH=" + filepath.Join(p.dir, ".ripgreprc"), "GREP_OPTIONS=--include=x", "TAR_OPTIONS=--use-compress-program=" + p.canary, "RSH=" + p.canary, "ZIPINFO=-" + p.canary, "TREE_COLORS=", "MAGIC=" + p.canary,
		"PYTHONSTARTUP=" + p.canary, "PYTHONPATH=" + p.dir, "PYTHONHOME=" + p.dir, "PYENV_VERSION=../../../.." + p.dir + "/version", "NODE_OPTIONS=--require " + p.canary, "NODE_PATH=" + p.dir, "PERL5OPT=-M" + p.canary, "PERL5LIB=" + p.dir, "RUBYOPT=-r" + p.canary,
		"MAKEFLAGS=--eval=$(shell " + p.canary + ")", "MAKEFILES=Makefile", "GOFLAGS=-toolexec=" + p.canary, "GOENV=" + filepath.Join(p.dir, "go.env"), "GOTOOLCHAIN=path", "GOPACKAGESDRIVER=" + p.canary, "GOROOT=" + p.dir, "CC=" + p.canary, "PKG_CONFIG=" + p.canary, "AWKPATH=" + p.dir, "AWKLIBPATH=" + p.dir, "DEBUGINFOD_URLS=http://127.0.0.1:9",
		"GIT_DIR=" + filepath.Join(p.dir, "other"), "GIT_WORK_TREE=/", "GIT_EXTERNAL_DIFF=" + p.canary, "GIT_SSH_COMMAND=" + p.canary, "GIT_SSH=" + p.canary, "GIT_PAGER=" + p.canary, "GIT_EDITOR=" + p.canary, "GIT_ASKPASS=" + p.canary, "SSH_ASKPASS=" + p.canary, "GIT_PROXY_COMMAND=" + p.canary,
		"GIT_CONFIG_GLOBAL=" + filepath.Join(p.dir, "settings"), "GIT_CONFIG_SYSTEM=" + filepath.Join(p.dir, "settings"), "GIT_CONFIG_PARAMETERS='core.fsmonitor=" + p.canary + "'", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=" + p.canary,
		"GIT_EXEC_PATH=" + p.dir, "GIT_TEMPLATE_DIR=" + p.dir, "GIT_TRACE=" + p.sang, "GIT_TRACE2_EVENT=" + p.sang, "GIT_INDEX_FILE=/dev/null", "GIT_OBJECT_DIRECTORY=/", "GIT_ATTR_SOURCE=HEAD", "GIT_FLUSH=1",
	}
	p.write("settings", "[core]\n\tfsmonitor = "+p.canary+"\n\tpager = "+p.canary+"\n[diff]\n\texternal = "+p.canary+"\n")
	commands := append(append([]string{}, everyday...), everydayGit...)
	var model strings.Builder
	script(&model, commands)
	u := attendNobody(t, model.String(), env)
	p.opened()
	for i, by := range u.decisions(p.dir, commands) {
		if by != "proof" {
			t.Errorf("%s is decided by %s", commands[i], by)
		}
	}
	p.silent()
}
