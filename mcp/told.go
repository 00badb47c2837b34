package mcp

import (
	"context"
	"fmt"
	"strings"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

// toldRow is the source of what this room injects.
const toldRow = "mcp"

// mostTold is how many tools are listed in the message; the others are in tool_help.
const mostTold = 60

// told folds what the model was last told about tools of servers.
var told = session.Projection[string]{
	Name: toldRow, Version: 1, Hidden: true,
	Fold: func(text string, e session.Event) string {
		if session.Injected.Of(e) {
			if d, err := session.Injected.Decode(e); err == nil && d.Source == toldRow {
				return d.Text
			}
		}
		return text
	},
}

// Projections lists what this room folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{told} }

// tell has the model told, as a message at the start of a turn, which tools of servers
// it can look up and call, where that is not what it was told last.
func tell(f *graph.Fiber, registry *tool.Registry) {
	agent.PreStep.On(f, func(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
		if p.Step > 1 || len(p.Messages) == 0 {
			return next(ctx, p)
		}
		now := listing(registry.RareNames(p.Agent.Realm()))
		last, err := session.StateOf(p.Agent.Log(), told)
		if err != nil {
			return agent.Admission{}, err
		}
		if now == "" && last != "" {
			now = "<servers>\nThe tools of MCP servers and the person's own tools are not there any more.\n</servers>"
		}
		if now != last {
			d := session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", toldRow, p.Turn, p.Step), Source: toldRow, Text: now}
			p.Messages = append([]session.Draft{session.Injected.New(p.Turn, p.Step, d)}, p.Messages...)
		}
		return next(ctx, p)
	})
}

// listing words the tools of servers, and the person's own; "" where there are none.
func listing(rare []string) string {
	var parts []string
	for _, one := range []struct{ prefix, tag, words string }{
		{namePrefix, "servers", "Tools of MCP servers, in the servers' own words."},
		{tool.OwnPrefix, "own-tools", "Tools that the person made."},
	} {
		var lines []string
		for _, line := range rare {
			if strings.HasPrefix(line, one.prefix) {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		more := ""
		if n := len(lines) - mostTold; n > 0 {
			lines, more = lines[:mostTold], fmt.Sprintf("\nand %d more, see tool_help", n)
		}
		parts = append(parts, fmt.Sprintf("<%s>\n%s Look one up with tool_help, call it with tool_use.\n%s%s\n</%s>", one.tag, one.words, strings.Join(lines, "\n"), more, one.tag))
	}
	return strings.Join(parts, "\n")
}
