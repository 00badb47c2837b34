package proof

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Repository judges the repository that git would discover from a folder, without
// starting git: reading its configuration is all it takes to make git run a
// program. It returns nil where there is none, or where the repository's own
// settings are all on the list of those that name no program, and otherwise an
// error that names what stands against it.
//
// It covers what git reads from the repository (git-config(1), "FILES"): its
// config, config.worktree, and what they include. The person's own configuration is
// the person's.
func Repository(folder string) error {
	gitDirs, err := discover(folder)
	if err != nil {
		return err
	}
	for _, gitDir := range gitDirs {
		if err := harmlessRepository(gitDir); err != nil {
			return err
		}
	}
	return nil
}

func harmlessRepository(gitDir string) error {
	if err := noSubmodules(gitDir); err != nil {
		return err
	}
	for _, name := range []string{"config", "config.worktree"} {
		text, err := os.ReadFile(filepath.Join(gitDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return doubtf("the repository's %s cannot be read", name)
		}
		if strings.ContainsRune(string(text), 0) {
			return doubtf("the repository's %s is not text", name)
		}
		if err := harmlessConfig(string(text)); err != nil {
			return err
		}
	}
	return nil
}

// discover finds the .git folders that git may take (gitrepository-layout(5)), and
// asks where one is no plain folder of the work tree. Git passes over one that is
// not whole, so every one up to the root counts.
func discover(folder string) ([]string, error) {
	var found []string
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		info, err := os.Lstat(dotGit)
		switch {
		case err == nil && info.IsDir():
			if _, err := os.Lstat(filepath.Join(dotGit, "commondir")); err == nil {
				return nil, doubtf("the repository keeps its settings elsewhere")
			}
			found = append(found, dotGit)
		case err == nil:
			return nil, doubtf("the repository's .git is not a folder but points elsewhere")
		case !errors.Is(err, fs.ErrNotExist):
			return nil, doubtf("the repository's .git cannot be read")
		case bare(dir):
			return nil, doubtf("the folder is inside a bare repository")
		}
		if dir == filepath.Dir(dir) {
			return found, nil
		}
	}
}

// bare reports whether git would take a folder itself for a repository.
func bare(dir string) bool {
	names := []string{"HEAD", "objects", "refs"}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil {
		names = names[:1] // it has its objects elsewhere
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// harmlessConfig reads git's configuration format (git-config(1), "Syntax") and
// asks at the first setting that is not on the list.
func harmlessConfig(text string) error {
	section := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, `\`) { // it may go on in the next line, or be a comment and not
			return doubtf("the repository's configuration has a line that goes on")
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			name, rest, err := sectionName(line)
			if err != nil {
				return err
			}
			if section, line = name, strings.TrimSpace(rest); line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
		}
		key, _, _ := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if section == "" || !harmlessSetting(section, key) {
			return doubtf("the repository sets %s.%s, which may name a program", section, key)
		}
	}
	return nil
}

// sectionName reads [section "subsection"] and gives the section in lower case, and
// what follows on the line. The subsection does not matter to the list.
func sectionName(line string) (name, rest string, err error) {
	inQuotes := false
	for i := 1; i < len(line); i++ {
		switch {
		case inQuotes && line[i] == '\\':
			i++
		case line[i] == '"':
			inQuotes = !inQuotes
		case line[i] == ']' && !inQuotes:
			name, _, _ = strings.Cut(strings.ToLower(line[1:i]), "\"")
			name, _, _ = strings.Cut(strings.TrimSpace(name), ".") // the old form [section.subsection]
			return name, line[i+1:], nil
		}
	}
	return "", "", doubtf("the repository's configuration does not parse")
}

// harmless settings by section: none of them names a program, another file of
// settings, another work tree or a helper. Anything else asks.
var harmlessSettings = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"core": {"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode", "symlinks", "autocrlf", "eol", "safecrlf",
			"abbrev", "quotepath", "sparsecheckout", "sparsecheckoutcone", "compression", "bigfilethreshold", "untrackedcache", "trustctime", "checkstat", "sharedrepository",
			"longpaths", "protecthfs", "protectntfs", "whitespace", "preloadindex", "commitgraph", "multipackindex", "warnambiguousrefs", "splitindex", "hidedotfiles", "fscache"},
		"remote":     {"url", "pushurl", "fetch", "push", "tagopt", "prune", "prunetags", "mirror", "skipdefaultupdate", "skipfetchall", "gh-resolved"},
		"branch":     {"remote", "merge", "rebase", "description", "pushremote", "mergeoptions", "autosetupmerge", "autosetuprebase", "vscode-merge-base", "github-pr-owner-number"},
		"user":       {"name", "email", "signingkey", "useconfigonly"},
		"author":     {"name", "email"},
		"committer":  {"name", "email"},
		"submodule":  {"url", "active", "branch", "fetchrecursesubmodules", "ignore", "shallow"},
		"pull":       {"rebase", "ff", "twohead", "octopus"},
		"push":       {"default", "followtags", "autosetupremote", "recursesubmodules"},
		"fetch":      {"prune", "prunetags", "parallel", "recursesubmodules", "writecommitgraph"},
		"merge":      {"ff", "conflictstyle", "log", "renames", "stat", "autostash"},
		"rebase":     {"autosquash", "autostash", "stat", "updaterefs"},
		"init":       {"defaultbranch"},
		"color":      {"ui", "branch", "diff", "status", "interactive", "grep", "decorate"},
		"rerere":     {"enabled", "autoupdate"},
		"gc":         {"auto", "autodetach", "pruneexpire", "reflogexpire", "reflogexpireunreachable", "worktreepruneexpire", "autopacklimit", "writecommitgraph"},
		"commit":     {"gpgsign", "verbose", "cleanup"},
		"tag":        {"gpgsign"},
		"log":        {"date", "decorate", "follow", "abbrevcommit", "showroot"},
		"status":     {"short", "branch", "showuntrackedfiles", "relativepaths"},
		"diff":       {"renames", "renamelimit", "algorithm", "mnemonicprefix", "noprefix", "colormoved", "context", "interhunkcontext", "ignoresubmodules", "indentheuristic", "wserrorhighlight"},
		"advice":     {"detachedhead", "addignoredfile", "statushints", "pushupdaterejected", "skippedcherrypicks"},
		"extensions": {"worktreeconfig", "refstorage", "noop"},
		"lfs":        {"repositoryformatversion", "access", "locksverify"},
		"pack":       {"threads", "window", "depth", "windowmemory"},
		"index":      {"version", "threads", "skiphash"},
		"feature":    {"manyfiles"},
		"help":       {"autocorrect"},
		"column":     {"ui"},
		"gui":        {"wmstate", "geometry"},
	}
})

// harmlessSetting reports whether a key of a section is on the list. diff and color
// have drivers and slots as subsections; a driver's own keys (command, textconv)
// are not listed.
func harmlessSetting(section, key string) bool {
	return slices.Contains(harmlessSettings()[section], key)
}
