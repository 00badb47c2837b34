package agent

import (
	"bytes"
	"context"
	_ "embed" // the prompt is a file
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
)

//go:embed prompts/system.md
var systemPrompt string

// productSection names the product's own part, which a preset may replace.
const productSection = "product"

// Section is a part of the system prompt. Its text must not change while it is
// registered: what changes is injected as a message, behind the history.
type Section struct {
	Name string
	// Order sorts the sections, low first; equal ones by Name. The product's own is 0.
	Order int
	Text  string
	// Of takes the place of Text where a section tells of what is seen in a realm, such
	// as its tools. What it gives may change only when that does; it is asked for with
	// every request.
	Of func(*graph.Realm) string
}

func (s Section) text(r *graph.Realm) string {
	if s.Of != nil {
		return s.Of(r)
	}
	return s.Text
}

// Sections is the registry of the system prompt's parts.
type Sections struct {
	mu   sync.RWMutex
	list []*placed
}

type placed struct {
	Section
	realm *graph.Realm
}

// SectionsKey is where the registry is provided.
var SectionsKey = graph.NewKey[*Sections]("agent.sections", "the parts of the system prompt")

// Add registers a section, seen by agents in f's realm and below, until f stops.
func (s *Sections) Add(f *graph.Fiber, section Section) error {
	p := &placed{section, f.Realm()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.list, func(o *placed) bool { return o.Name == section.Name && o.realm == p.realm }); i >= 0 {
		return fault.New(fault.Conflict, "agent.sections", "The prompt section %q is registered twice.", section.Name)
	}
	s.list = append(s.list, p)
	slices.SortStableFunc(s.list, func(a, b *placed) int {
		if a.Order != b.Order {
			return a.Order - b.Order
		}
		return strings.Compare(a.Name, b.Name)
	})
	f.Effect("section "+section.Name, func(context.Context) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = slices.DeleteFunc(s.list, func(o *placed) bool { return o == p })
		return nil
	})
	return nil
}

// Text is the system prompt for an agent in realm r.
func (s *Sections) Text(r *graph.Realm) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var b strings.Builder
	for _, p := range s.list {
		if s.nearest(r, p.Name) != p {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(strings.TrimSpace(p.text(r)))
	}
	return b.String()
}

// nearest is the section of a name that counts in a realm: one of the realm's own
// takes the place of those above it.
func (s *Sections) nearest(r *graph.Realm, name string) *placed {
	for ; r != nil; r = r.Parent() {
		for _, p := range s.list {
			if p.realm == r && p.Name == name {
				return p
			}
		}
	}
	return nil
}

// compose brings system prompt and tools up to date, and keeps a copy of what is
// new in the session, so that every request can be rebuilt.
func (a *Agent) compose(ctx context.Context) error {
	system, tools := a.needs.sections.Text(a.Realm()), a.needs.tools.Schemas(a.Realm())
	s := &a.sent
	if s.systemHash == "" || system != s.system {
		ref, err := a.log.PutBlob(ctx, []byte(system))
		if err != nil {
			return err
		}
		s.system, s.systemHash = system, ref.SHA256
	}
	if s.toolsHash == "" || !slices.EqualFunc(tools, s.given, sameTool) {
		text, logged, err := canonical(tools)
		if err != nil {
			return fault.Wrap(fault.Internal, "agent.request", err, "The description of a tool cannot be written as JSON. Nothing was sent; leave the plugin out that brings it.")
		}
		ref, err := a.log.PutBlob(ctx, text)
		if err != nil {
			return err
		}
		s.given, s.tools, s.toolsHash = tools, logged, ref.SHA256
	}
	return nil
}

// canonical writes tool schemas the one way in which they are kept, and gives them
// as they will be read back: what is sent and what is written again are then equal.
func canonical(tools []llm.ToolSchema) (text []byte, logged []llm.ToolSchema, err error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tools); err != nil {
		return nil, nil, err
	}
	return b.Bytes(), logged, json.Unmarshal(b.Bytes(), &logged)
}

func sameTool(a, b llm.ToolSchema) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
}

// PromptOptions configure [Prompt].
type PromptOptions struct {
	// Append is text of the person that is put behind the product's own.
	Append string `yaml:"append" json:"append"`
}

// Prompt keeps the system prompt: the product's own text, what a person appends,
// and what slices add.
func Prompt() graph.Plugin {
	return graph.Plugin{
		Name:     "prompt",
		Doc:      "the parts of the system prompt",
		Provides: []graph.AnyKey{SectionsKey},
		Config:   func() any { return &PromptOptions{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			s := &Sections{}
			if err := s.Add(f, Section{Name: productSection, Text: systemPrompt}); err != nil {
				return err
			}
			if text := cfg.(*PromptOptions).Append; text != "" {
				if err := s.Add(f, Section{Name: "appended", Order: 1000, Text: text}); err != nil {
					return err
				}
			}
			return graph.Provide(f, SectionsKey, s)
		},
	}
}
