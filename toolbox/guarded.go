package toolbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"fairlead/sandbox"
	"fairlead/tool"
)

// guarded is what a command met of protected paths.
type guarded struct {
	paths []string // as the person knows them
	notes []string // for the model
}

func (g guarded) found() bool { return len(g.paths) > 0 }

// refusals are the words in which programs say that they were not let.
var refusals = []string{"Read-only file system", "Device or resource busy", "Permission denied", "Operation not permitted", "EROFS", "EBUSY", "EACCES", "EPERM"}

func refused(text string) bool {
	return slices.ContainsFunc(refusals, func(word string) bool { return strings.Contains(text, word) })
}

// protect names the protected paths that the command could not change, and puts
// aside those it made although they are protected: what is not there cannot be
// held. What lies in a repository that the command itself made stays.
func (e ending) protect(text string) (g guarded, err error) {
	if e.exit.Code != 0 && refused(text) {
		for _, path := range e.call.Policy.Deny {
			if name := shown(e.call, path); strings.Contains(text, name) && !slices.Contains(g.paths, name) {
				g.paths = append(g.paths, name)
				g.notes = append(g.notes, fmt.Sprintf("[%s is protected: no command can change it. The file tools can, after the person said yes]", name))
			}
		}
	}
	for _, path := range e.exit.Appeared {
		if inNewRepository(path, e.exit.Appeared) {
			continue
		}
		aside, err := sandbox.PutAside(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return g, err
		}
		name := shown(e.call, path)
		g.paths = append(g.paths, name)
		g.notes = append(g.notes, fmt.Sprintf("[%s is protected: no command may make it. It was renamed to %s. The file tools can make it, after the person said yes]", name, filepath.Base(aside)))
	}
	return g, nil
}

// inNewRepository reports whether a path is a part of a .git folder that came into
// being together with its config: a fresh clone or git init.
func inNewRepository(path string, appeared []string) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == ".git" {
			return slices.Contains(appeared, filepath.Join(dir, "config"))
		}
	}
	return false
}

// confinement explains a failure that looks like one of the sandbox's making.
func (e ending) confinement(text string) []string {
	p := e.call.Policy
	switch {
	case p.Unconfined || p.Wide() || !blocked(text):
		return nil
	case len(p.Write) == 0:
		return []string{"[proved to only look, it ran unasked: it could change nothing and had no network. A command that plainly does more is run after the person was asked]"}
	}
	var folders []string
	for _, path := range p.Write {
		folders = append(folders, showFolder(e.call, path))
	}
	return []string{fmt.Sprintf("[this command may change files in %s only, and has $TMPDIR for temporary ones]", strings.Join(folders, ", "))}
}

func blocked(text string) bool {
	return refused(text) || slices.ContainsFunc([]string{"Network is unreachable", "Could not resolve", "Temporary failure in name resolution", "ENETUNREACH", "EAI_AGAIN"},
		func(word string) bool { return strings.Contains(text, word) })
}

func showFolder(call *tool.Call, path string) string {
	if name := shown(call, path); name != "." {
		return name
	}
	return "the session's folder"
}
