package skill

import (
	"context"
	_ "embed" // the text is a file
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

// InstructionsTold is the kind of a telling of instruction files.
var InstructionsTold = session.Kind[InstructionsToldData]{Name: "instructions/told", Doc: "which instruction files the model was shown, with the hashes of their bytes", Ignorable: true}

// InstructionsToldData names files by absolute path: those shown with the SHA-256 of
// their bytes, and those that are gone.
type InstructionsToldData struct {
	Files map[string]string `json:"files,omitempty"`
	Gone  []string          `json:"gone,omitempty"`
}

// mostAtOnce bounds all texts of one telling, in bytes.
const mostAtOnce = 64 << 10

// mostFolders bounds how many folders are remembered.
const mostFolders = 2000

//go:embed instructions.md
var instructionsText string

const instructionsSource = "instructions"

// instructionsState is what the model knows of instruction files.
type instructionsState struct {
	Told map[string]string `json:"told,omitempty"` // SHA-256 by path
	// Folders are those in which files were read or changed; Fresh are the ones that
	// came since the last step began.
	Folders map[string]bool `json:"folders,omitempty"`
	Fresh   []string        `json:"fresh,omitempty"`
}

var instructionsFold = session.Projection[instructionsState]{Name: "skill.instructions", Version: 1, Hidden: true, Fold: foldInstructions}

func foldInstructions(s instructionsState, e session.Event) instructionsState {
	switch {
	case InstructionsTold.Of(e):
		if d, err := InstructionsTold.Decode(e); err == nil {
			s.Told = maps.Clone(s.Told)
			for path, sum := range d.Files {
				s.Told = with(s.Told, path, sum)
			}
			for _, path := range d.Gone {
				delete(s.Told, path)
			}
		}
	case tool.FileObserved.Of(e):
		if d, err := tool.FileObserved.Decode(e); err == nil {
			return s.saw(d.Path, d.SHA256)
		}
	case tool.FileChanged.Of(e):
		if d, err := tool.FileChanged.Decode(e); err == nil && d.After != nil {
			return s.saw(d.Path, d.After.SHA256)
		}
	case session.StepStart.Of(e):
		s.Fresh = nil
	}
	return s
}

// saw takes in that a file was read or written: its folder may have instructions, and
// of an instruction file itself the model knows what it holds.
func (s instructionsState) saw(path, sum string) instructionsState {
	if _, told := s.Told[path]; told {
		s.Told = with(maps.Clone(s.Told), path, sum)
	}
	dir := filepath.Dir(path)
	if !s.Folders[dir] && len(s.Folders) < mostFolders {
		s.Folders = with(maps.Clone(s.Folders), dir, true)
		s.Fresh = append(slices.Clip(s.Fresh), dir)
	}
	return s
}

func with[V any](m map[string]V, key string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[key] = v
	return m
}

// InstructionsOptions configure [Instructions].
type InstructionsOptions struct {
	// Names are the files looked for in each folder, in this order; two with the same
	// bytes are told once.
	Names []string `yaml:"names" json:"names"`
}

// Instructions tells the model the instruction files of the folder it works in.
func Instructions(o Options) graph.Plugin {
	return graph.Plugin{
		Name:   "instructions",
		Doc:    "tells the model what AGENTS.md and CLAUDE.md files say, by folder, and when they change",
		Config: func() any { return &InstructionsOptions{Names: []string{"AGENTS.md", "CLAUDE.md"}} },
		Apply: func(f *graph.Fiber, cfg any) error {
			page, err := template.New(instructionsSource).Parse(instructionsText)
			if err != nil {
				return err
			}
			i := instructions{o, cfg.(*InstructionsOptions).Names, page}
			agent.PreStep.On(f, i.tell)
			return nil
		},
	}
}

type instructions struct {
	Options
	names []string
	page  *template.Template
}

// telling is what one message says.
type telling struct {
	Own, Files []shownText
	Left, Gone []string
	told       InstructionsToldData
	bytes      int
}

// shownText is a text between two marks that hold the hash of it, so that nothing in
// the text can end it.
type shownText struct {
	Path, Mark, Text string
	Again, Cut       bool
	Shown, Bytes     int
}

// tell puts what is new in front of a step: all at the beginning of a turn, later only
// what lies in folders that the turn has just come to.
func (i instructions) tell(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	log := p.Agent.Log()
	state, err := session.StateOf(log, instructionsFold)
	if err != nil {
		return agent.Admission{}, err
	}
	whole := p.Step == 1
	if !whole && len(state.Fresh) == 0 {
		return next(ctx, p)
	}
	t := i.gather(territoryOf(log.Header().Folder), state, whole)
	if t.told.Files == nil && t.told.Gone == nil {
		return next(ctx, p)
	}
	var text strings.Builder
	if err := i.page.Execute(&text, t); err != nil {
		return agent.Admission{}, err
	}
	p.Messages = append([]session.Draft{
		InstructionsTold.New(p.Turn, p.Step, t.told),
		injected(p, instructionsSource, text.String()),
	}, p.Messages...)
	return next(ctx, p)
}

// injected drafts a message of the harness for the step that is proposed.
func injected(p *agent.Proposal, source, text string) session.Draft {
	return session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", source, p.Turn, p.Step), Source: source, Text: strings.TrimSpace(text)})
}

// enclosed gives a text that cannot end the element it stands in.
func enclosed(text, element string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "</"+element, `<\/`+element)
}

// gather reads what the model does not know yet.
func (i instructions) gather(at territory, state instructionsState, whole bool) *telling {
	t := &telling{}
	present := map[string]bool{}
	if whole && i.Home != "" {
		for _, name := range i.names[:min(1, len(i.names))] {
			if f, ok := read(i.Home, filepath.Join(i.Home, name)); ok && f.text != "" {
				present[f.path] = true
				t.add(&t.Own, f, f.path, state)
			}
		}
	}
	for _, dir := range i.folders(at, state, whole) {
		here := map[string]bool{} // hashes
		for _, name := range i.names {
			f, ok := read(at.root, filepath.Join(dir, name))
			if !ok || f.text == "" || here[f.sum] {
				continue
			}
			here[f.sum], present[f.path] = true, true
			t.add(&t.Files, f, at.shown(f.path), state)
		}
	}
	if whole {
		for _, path := range slices.Sorted(maps.Keys(state.Told)) {
			if !present[path] {
				t.told.Gone = append(t.told.Gone, path)
				t.Gone = append(t.Gone, at.shown(path))
			}
		}
	}
	return t
}

// folders lists where to look, the ones above first.
func (i instructions) folders(at territory, state instructionsState, whole bool) []string {
	var list []string
	add := func(dirs []string) {
		for _, dir := range dirs {
			if !slices.Contains(list, dir) {
				list = append(list, dir)
			}
		}
	}
	if whole {
		add(at.down(at.folder))
		for _, dir := range slices.Sorted(maps.Keys(state.Folders)) {
			add(at.below(dir))
		}
		return list
	}
	for _, dir := range state.Fresh {
		add(at.below(dir))
	}
	return list
}

// below lists the folders on the way to dir that lie below the session's folder.
func (t territory) below(dir string) []string {
	if t.folder == "" || !tool.Within(t.folder, dir) {
		return nil
	}
	return t.down(dir)[len(t.down(t.folder)):]
}

// add takes a text into the telling, unless the model knows it.
func (t *telling) add(to *[]shownText, f found, path string, state instructionsState) {
	known, again := state.Told[f.path]
	if known == f.sum {
		return
	}
	t.told.Files = with(t.told.Files, f.path, f.sum)
	if t.bytes+len(f.text) > mostAtOnce {
		t.Left = append(t.Left, path)
		return
	}
	t.bytes += len(f.text)
	*to = append(*to, shownText{Path: path, Mark: f.sum[:12], Text: enclosed(f.text, instructionsSource), Again: again, Cut: f.cut(), Shown: len(f.text), Bytes: f.bytes})
}
