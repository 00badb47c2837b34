package ptc

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/tool"
)

//go:embed programs.md
var programsText string

// bindings tell the model which functions its programs find.
type bindings struct {
	registry *tool.Registry

	mu   sync.Mutex
	of   []llm.ToolSchema // what last was made of
	rare []string
	last string
}

// text is the prompt's section for an agent in a realm. The same tools give the same
// text.
func (b *bindings) text(realm *graph.Realm) string {
	schemas, rare := bound(b.registry, realm), b.registry.RareNames(realm)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == "" || !slices.Equal(rare, b.rare) || !slices.EqualFunc(schemas, b.of, sameSchema) {
		b.of, b.rare = schemas, rare
		b.last = strings.Replace(strings.TrimSpace(programsText), "{declarations}", declare(schemas, rare), 1)
	}
	return b.last
}

// bound are the tools that programs in a realm are told of, by name.
func bound(registry *tool.Registry, realm *graph.Realm) []llm.ToolSchema {
	all := append(registry.Schemas(realm), registry.Reserved(realm)...)
	all = slices.DeleteFunc(all, func(s llm.ToolSchema) bool { return s.Name == Name || s.Name == "tool_use" })
	slices.SortFunc(all, func(a, b llm.ToolSchema) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func sameSchema(a, b llm.ToolSchema) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Parameters) == string(b.Parameters)
}

// declare writes the declaration of the global `tools`.
func declare(schemas []llm.ToolSchema, rare []string) string {
	var b strings.Builder
	b.WriteString("declare const tools: {\n")
	for _, s := range schemas {
		comment(&b, s.Description)
		b.WriteString("  " + property(s.Name) + "(args: " + arguments(s.Parameters) + "): Promise<string>\n")
	}
	if len(rare) > 0 {
		comment(&b, "Seldom used; tools.tool_help({name}) tells the arguments.\n"+strings.Join(rare, "\n"))
		b.WriteString("  [name: string]: (args?: object) => Promise<string>\n")
	}
	b.WriteString("}")
	return b.String()
}

func comment(b *strings.Builder, text string) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "*/", "* /")
	if text != "" {
		b.WriteString("  /** " + strings.ReplaceAll(text, "\n", "\n   * ") + " */\n")
	}
}
