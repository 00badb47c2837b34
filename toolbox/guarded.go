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
	paths []string          // absolute, as the policy names them
	aside map[string]string // of those that the command made, the name they have now
}

func (g guarded) found() bool { return len(g.paths) > 0 }

// refusals are the words in which programs say that they were not let.
var refusals = []string{"Read-only file system", "read-only file system", "Device or resource busy", "Permission denied", "Operation not permitted", "EROFS", "EBUSY", "EACCES", "EPERM"}

func refused(text string) bool {
	return slices.ContainsFunc(refusals, func(word string) bool { return strings.Contains(text, word) })
}

// protect names the protected paths that the command could not change, and puts
// aside those it made although they are protected: what is not there cannot be
// held. What lies in a repository that the command itself made stays.
func (e ending) protect(command, text string) (g guarded, err error) {
	if refused(text) {
		for _, path := range e.call.Policy.Deny {
			if e.met(path, command, text) {
				g.paths = append(g.paths, path)
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
		if g.aside == nil {
			g.aside = map[string]string{}
		}
		g.paths, g.aside[path] = append(g.paths, path), filepath.Base(aside)
	}
	return g, nil
}

// met reports whether a command was refused the change of a path: a line of what it
// printed says so, or it failed so and what it printed names the path elsewhere, or
// it met something read-only and names the path itself, having gone into a folder.
func (e ending) met(path, command, text string) bool {
	name := shown(e.call, path)
	for line := range strings.Lines(text) {
		if refused(line) && (strings.Contains(line, name) || strings.Contains(line, path)) {
			return true
		}
	}
	held := strings.Contains(text, refusals[0]) || strings.Contains(text, refusals[1])
	return e.exit.Code != 0 && (strings.Contains(text, name) || held && strings.Contains(command, name))
}

// names are the paths as the person knows them.
func (g guarded) names(call *tool.Call) (list []string) {
	for _, path := range g.paths {
		list = append(list, shown(call, path))
	}
	return list
}

// notes tell the model, after a no where there was one.
func (g guarded) notes(call *tool.Call, no tool.Answer) (list []string) {
	for _, path := range g.paths {
		name := shown(call, path)
		if aside, made := g.aside[path]; made {
			list = append(list, fmt.Sprintf("[%s is protected: no command may make it. It was renamed to %s. The file tools can make it, after the person said yes]", name, aside))
		} else {
			list = append(list, fmt.Sprintf("[%s is protected: no command can change it. The file tools can, after the person said yes]", name))
		}
	}
	if no.DeniedBy == "person" {
		said := "[the person said no to running it once more with that writable; do not try the same in another way]"
		if no.Note != "" {
			said = fmt.Sprintf("[the person said no to running it once more with that writable: %s]", no.Note)
		}
		list = append(list, said)
	}
	return list
}

// allowed tells the model that the person let a command run a second time.
func (g guarded) allowed(call *tool.Call) string {
	text := fmt.Sprintf("[it was not let change %s. The person said yes to one more run with that writable; this is it:]", strings.Join(g.names(call), ", "))
	for _, path := range g.paths {
		if aside, made := g.aside[path]; made {
			text = fmt.Sprintf("[the %s that it made was renamed to %s]\n", shown(call, path), aside) + text
		}
	}
	return text
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
