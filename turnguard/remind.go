package turnguard

import (
	"context"
	_ "embed" // the texts are files
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/template"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/session"
)

// ReminderRow is the row of the reminder, and the source of what it injects.
const ReminderRow = "repeat-reminder"

//go:embed prompts/repeat-short.md
var shortReminder string

//go:embed prompts/repeat-long.md
var longReminder string

// reminded are the numbers of same calls at which the model is reminded.
var reminded = []int{3, 5, 8}

// Reminder tells a model that it makes the same call again and again. It is advice:
// the call ran, and the next one will.
func Reminder() graph.Plugin {
	return graph.Plugin{
		Name: ReminderRow,
		Doc:  "reminds a model that makes the same call again and again, at 3, 5 and 8",
		Apply: func(f *graph.Fiber, _ any) error {
			long := sync.OnceValues(func() (*template.Template, error) { return template.New(ReminderRow).Parse(longReminder) })
			agent.PreStep.On(f, func(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
				c, err := session.StateOf(p.Agent.Log(), Path)
				if err != nil {
					return agent.Admission{}, err
				}
				if due := c.due(); due > 0 && !hears(p.Messages) {
					text := strings.TrimSpace(shortReminder)
					if due > reminded[0] {
						t, err := long()
						if err != nil {
							return agent.Admission{}, err
						}
						var b strings.Builder
						if err := t.Execute(&b, map[string]any{"Count": c.Run, "Tool": c.Calls[len(c.Calls)-1].Tool, "Args": c.Args}); err != nil {
							return agent.Admission{}, err
						}
						text = strings.TrimSpace(b.String())
					}
					p.Messages = append(p.Messages, session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", ReminderRow, p.Turn, p.Step), Source: ReminderRow, Text: text}))
				}
				return next(ctx, p)
			})
			return nil
		},
	}
}

// hears reports whether a person speaks up among what enters a step.
func hears(messages []session.Draft) bool {
	return slices.ContainsFunc(messages, func(d session.Draft) bool { return d.Type == session.UserMessage.Name })
}

// due is the number of same calls that the model is to be reminded of, 0 for none.
func (c Course) due() int {
	due := 0
	for _, n := range reminded {
		if c.Told < n && n <= c.Run {
			due = n
		}
	}
	return due
}
