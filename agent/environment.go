package agent

import (
	"context"
	_ "embed" // the text is a file
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
	"time"

	"fairlead/graph"
	"fairlead/session"
)

// EnvironmentRow is the row under which a profile loads [Environment], and the
// source of what it injects.
const EnvironmentRow = "environment"

//go:embed prompts/environment.md
var environmentText string

// Surroundings folds what the model was last told about where it works.
var Surroundings = session.Projection[string]{
	Name:    EnvironmentRow,
	Version: 1,
	Fold: func(told string, e session.Event) string {
		if session.Injected.Of(e) {
			if d, err := session.Injected.Decode(e); err == nil && d.Source == EnvironmentRow {
				return d.Text
			}
		}
		return told
	},
	Hidden: true,
}

// Environment tells the model where it works, as a message: at the start of a turn
// where that is not what it was told last. It never stands before the history, so
// a new day or mode breaks no prefix.
func Environment() graph.Plugin {
	return graph.Plugin{
		Name: EnvironmentRow,
		Doc:  "tells the model folder, system, day and mode, as a message",
		Apply: func(f *graph.Fiber, _ any) error {
			text, err := template.New(EnvironmentRow).Parse(environmentText)
			if err != nil {
				return err
			}
			PreStep.On(f, func(ctx context.Context, p *Proposal, next func(context.Context, *Proposal) (Admission, error)) (Admission, error) {
				if p.Step > 1 || len(p.Messages) == 0 {
					return next(ctx, p)
				}
				told, err := session.StateOf(p.Agent.Log(), Surroundings)
				if err != nil {
					return Admission{}, err
				}
				var now strings.Builder
				if err := text.Execute(&now, surroundings(p)); err != nil {
					return Admission{}, err
				}
				if s := strings.TrimSpace(now.String()); s != told {
					p.Messages = append([]session.Draft{session.Injected.New(p.Turn, p.Step, session.InjectedData{ID: fmt.Sprintf("%s-%d.%d", EnvironmentRow, p.Turn, p.Step), Source: EnvironmentRow, Text: s})}, p.Messages...)
				}
				return next(ctx, p)
			})
			return nil
		},
	}
}

func surroundings(p *Proposal) map[string]any {
	folder := p.Agent.Log().Header().Folder
	git := false
	if folder != "" {
		_, err := os.Stat(filepath.Join(folder, ".git"))
		git = err == nil
	}
	return map[string]any{"Folder": folder, "Git": git, "System": runtime.GOOS + "/" + runtime.GOARCH, "Day": time.Now().Format("2006-01-02 (Monday)"), "Mode": p.Mode}
}
