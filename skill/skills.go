package skill

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the text is a file
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

// SkillsTold is the kind of a telling of skills.
var SkillsTold = session.Kind[SkillsToldData]{Name: "skills/told", Doc: "which skills the model was told of, with what was said of them", Ignorable: true}

// SkillsToldData has what is said of each new or changed skill by name, and the names
// of those that are gone.
type SkillsToldData struct {
	Skills map[string]string `json:"skills,omitempty"`
	Gone   []string          `json:"gone,omitempty"`
}

// Limits of the list that a model is told.
const (
	mostListed      = 100
	mostDescription = 400 // characters
	mostSkills      = 1000
)

//go:embed skills.md
var skillsText string

const skillsSource = "skills"

// skillsFold is what the model was told of skills, by name.
var skillsFold = session.Projection[map[string]string]{Name: "skill.skills", Version: 1, Hidden: true,
	Fold: func(told map[string]string, e session.Event) map[string]string {
		if !SkillsTold.Of(e) {
			return told
		}
		d, err := SkillsTold.Decode(e)
		if err != nil {
			return told
		}
		told = maps.Clone(told)
		for name, said := range d.Skills {
			told = with(told, name, said)
		}
		for _, name := range d.Gone {
			delete(told, name)
		}
		return told
	}}

// Skill is a folder with instructions for a kind of task.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Source is "home" for the person's own and "folder" for those of the folder.
	Source string `json:"source"`
	// Path is its SKILL.md, absolute and resolved.
	Path string `json:"path"`
	// Problem says why it cannot be used, "" where it can.
	Problem string `json:"problem,omitempty"`

	root string // what its files must lie within
	body string
}

// dir is the skill's own folder.
func (s Skill) dir() string { return filepath.Dir(s.Path) }

// shelf is a folder of skills.
type shelf struct{ source, root, path string }

// skillFolders are the names under which folders of skills are known.
var skillFolders = [...]string{".fairlead/skills", ".claude/skills", ".agents/skills"}

// shelves lists where skills are looked for; of two with one name the first counts.
// The person's own come first, so that no folder can put its own in their place.
func (o Options) shelves(at territory) []shelf {
	var list []shelf
	if o.Home != "" {
		list = append(list, shelf{"home", "/", filepath.Join(o.Home, "skills")})
	}
	if o.Personal != "" {
		for _, name := range skillFolders[1:] {
			list = append(list, shelf{"home", "/", filepath.Join(o.Personal, filepath.FromSlash(name))})
		}
	}
	for _, dir := range slices.Backward(at.down(at.folder)) {
		for _, name := range skillFolders {
			list = append(list, shelf{"folder", at.root, filepath.Join(dir, filepath.FromSlash(name))})
		}
	}
	return list
}

// find reads the skills that a session has now, by name.
func (o Options) find(at territory) []Skill {
	var all []Skill
	for _, s := range o.shelves(at) {
		entries, err := os.ReadDir(s.path)
		if err != nil {
			continue // none here
		}
		for _, e := range entries {
			one, ok := s.skill(e.Name())
			if ok && len(all) < mostSkills && !slices.ContainsFunc(all, func(have Skill) bool { return have.Name == one.Name || have.Path == one.Path }) {
				all = append(all, one)
			}
		}
	}
	slices.SortFunc(all, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// skill reads one skill; false where the folder holds none.
func (s shelf) skill(name string) (Skill, bool) {
	f, ok := read(s.root, filepath.Join(s.path, name, "SKILL.md"))
	if !ok {
		return Skill{}, false
	}
	one := Skill{Name: name, Source: s.source, Path: f.path, root: s.root, body: f.text}
	var front struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	matter, body, ok := frontmatter(f.text)
	if !ok {
		one.Problem = "it does not begin with lines between --- that give name and description"
		return one, true
	}
	if err := yaml.NewDecoder(bytes.NewReader([]byte(matter))).Decode(&front); err != nil {
		one.Problem = "its first lines are not readable as YAML"
		return one, true
	}
	one.Name, one.body = cmp.Or(strings.TrimSpace(front.Name), name), body
	one.Description = enclosed(short(front.Description), skillsSource)
	switch {
	case !plainName(one.Name):
		one.Problem, one.Name = "its name is not made of letters, digits, - and _", name
	case one.Description == "":
		one.Problem = "it has no description"
	}
	return one, true
}

// frontmatter parts the lines between two --- at the beginning from the rest.
func frontmatter(text string) (matter, body string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "\uFEFF"), "---\n")
	if !ok {
		return "", "", false
	}
	for at := 0; at < len(rest); {
		end := strings.IndexByte(rest[at:], '\n')
		line := rest[at:]
		if end >= 0 {
			line = rest[at : at+end]
		}
		if strings.TrimRight(line, " \t") == "---" {
			return rest[:at], strings.TrimLeft(rest[at+len(line):], "\n"), true
		}
		if end < 0 {
			break
		}
		at += end + 1
	}
	return "", "", false
}

func plainName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && r != ':' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// short makes one line of a description.
func short(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > mostDescription {
		return string(r[:mostDescription-1]) + "…"
	}
	return string(r)
}

// Skills lists skills to the model and lets it load them.
func Skills(o Options) graph.Plugin {
	return graph.Plugin{
		Name:   "skills",
		Doc:    "lists the skills of home and folder to the model and lets it load them",
		Inject: []graph.Dependency{graph.Needs(tool.RegistryKey), graph.Needs(session.LibraryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			registry, err := graph.Get(f, tool.RegistryKey)
			if err != nil {
				return err
			}
			lib, err := graph.Get(f, session.LibraryKey)
			if err != nil {
				return err
			}
			page, err := template.New(skillsSource).Parse(skillsText)
			if err != nil {
				return err
			}
			if err := registry.Register(f, loader{o}); err != nil {
				return err
			}
			agent.PreStep.On(f, skills{o, page}.tell)
			command.RegisterViews(f, command.View{Name: "skills", Scope: command.Session, Summary: "the skills that a session has, and what is wrong with those it cannot use",
				Read: func(ctx context.Context, q command.Query) (any, error) {
					folder, err := folderOf(ctx, lib, session.ID(q.Session))
					return map[string]any{"skills": append([]Skill{}, o.find(territoryOf(folder))...)}, err
				}})
			return nil
		},
	}
}

// folderOf gives the folder of a session without opening it for writing.
func folderOf(ctx context.Context, lib *session.Library, id session.ID) (string, error) {
	log, err := lib.Read(ctx, id)
	if err != nil {
		return "", err
	}
	return log.Header().Folder, log.Close(ctx)
}

type skills struct {
	Options
	page *template.Template
}

// listing is what one message says of skills. All is true in the first one.
type listing struct {
	All          bool
	New, Changed []Skill
	Gone         []string
	More         int
}

// tell puts in front of a turn's first step what is new.
func (s skills) tell(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	if p.Step > 1 {
		return next(ctx, p)
	}
	log := p.Agent.Log()
	told, err := session.StateOf(log, skillsFold)
	if err != nil {
		return agent.Admission{}, err
	}
	l, d := compare(s.find(territoryOf(log.Header().Folder)), told)
	if d.Skills == nil && d.Gone == nil {
		return next(ctx, p)
	}
	var text strings.Builder
	if err := s.page.Execute(&text, l); err != nil {
		return agent.Admission{}, err
	}
	p.Messages = append([]session.Draft{SkillsTold.New(p.Turn, p.Step, d), injected(p, skillsSource, text.String())}, p.Messages...)
	return next(ctx, p)
}

// compare holds the skills there are against what the model was told.
func compare(all []Skill, told map[string]string) (l listing, d SkillsToldData) {
	l.All = len(told) == 0
	present := map[string]bool{}
	for _, s := range all {
		if s.Problem != "" {
			continue
		}
		present[s.Name] = true
		said, known := told[s.Name]
		switch {
		case known && said == s.Description:
			continue
		case known:
			l.Changed = append(l.Changed, s)
		case len(l.New) < mostListed:
			l.New = append(l.New, s)
		default:
			l.More++
		}
		d.Skills = with(d.Skills, s.Name, s.Description)
	}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		if !present[name] {
			l.Gone, d.Gone = append(l.Gone, name), append(d.Gone, name)
		}
	}
	return l, d
}
