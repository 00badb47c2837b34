package skill

import (
	"context"
	_ "embed" // the text is a file
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed skill.md
var skillText string

// mostFiles bounds how many names of a skill's files are listed.
const mostFiles = 60

// loader is the tool skill.
type loader struct{ Options }

type loadArgs struct {
	Name string `json:"name"`
	File string `json:"file"`
}

func (loader) Schema() llm.ToolSchema {
	return llm.ToolSchema{Name: "skill", Description: strings.TrimSpace(skillText),
		Parameters: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"file":{"type":"string"}},"additionalProperties":false}`)}
}

func (loader) args(call *tool.Call) loadArgs {
	var a loadArgs
	_ = call.Decode(&a) // the arguments passed the schema
	return a
}

func (loader) ReadOnly(*tool.Call) bool { return true }

func (loader) Parallel(*tool.Call) bool { return true }

func (l loader) Present(call *tool.Call) session.Present {
	a := l.args(call)
	return session.Present{Verb: "read", What: strings.TrimSpace("skill " + filepath.Join(a.Name, a.File))}
}

// Touches names the file that would be read.
func (l loader) Touches(call *tool.Call) []tool.Touch {
	a := l.args(call)
	s, err := l.named(call, a.Name)
	if err != nil {
		return nil
	}
	if a.File == "" {
		return []tool.Touch{{Path: s.Path}}
	}
	return []tool.Touch{{Path: filepath.Join(s.dir(), a.File)}}
}

func (l loader) Run(_ context.Context, call *tool.Call) (*tool.Result, error) {
	a := l.args(call)
	if a.Name == "" {
		return tool.Text(l.list(call)), nil
	}
	s, err := l.named(call, a.Name)
	if err != nil {
		return nil, err
	}
	if a.File != "" {
		return s.file(a.File)
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(s.body))
	fmt.Fprintf(&b, "\n[the skill %s, in %s", s.Name, s.dir())
	if files := s.files(); len(files) > 0 {
		fmt.Fprintf(&b, "; its files: %s", strings.Join(files, ", "))
	}
	b.WriteString("]")
	return tool.Text(b.String()), nil
}

// list names the skills in lines.
func (l loader) list(call *tool.Call) string {
	var lines []string
	for _, s := range l.find(territoryOf(call.Folder)) {
		if s.Problem == "" {
			lines = append(lines, s.Name+": "+s.Description)
		}
	}
	if lines == nil {
		return "There are no skills here."
	}
	return strings.Join(lines, "\n")
}

func (l loader) named(call *tool.Call, name string) (Skill, error) {
	var names []string
	for _, s := range l.find(territoryOf(call.Folder)) {
		switch {
		case s.Name == name && s.Problem != "":
			return s, fault.New(fault.Invalid, "skill.load", "The skill %s cannot be used: %s.", name, s.Problem)
		case s.Name == name:
			return s, nil
		case s.Problem == "":
			names = append(names, s.Name)
		}
	}
	return Skill{}, errNoSkill(name, names)
}

// file gives a file of the skill's own folder.
func (s Skill) file(name string) (*tool.Result, error) {
	f, ok := read(s.dir(), filepath.Join(s.dir(), filepath.FromSlash(name)))
	if !ok {
		return nil, fault.New(fault.NotFound, "skill.file", "The skill %s has no text file %s in its folder.", s.Name, name).WithCode("NOT_FOUND")
	}
	text := f.text
	if f.cut() {
		text += fmt.Sprintf("\n[cut: %d of %d bytes; read %s for the rest]", len(f.text), f.bytes, f.path)
	}
	return tool.Text(text), nil
}

// files names what belongs to the skill beside its SKILL.md.
func (s Skill) files() []string {
	var names []string
	// What cannot be listed is left out: the list only helps to find files.
	_ = fs.WalkDir(os.DirFS(s.dir()), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case len(names) == mostFiles:
			names = append(names, "…")
			return fs.SkipAll
		case d.Type().IsRegular() && path != "SKILL.md":
			names = append(names, path)
		}
		return nil
	})
	return names
}
