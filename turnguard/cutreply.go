package turnguard

import (
	"context"
	_ "embed" // the text is a file
	"strings"

	"fairlead/agent"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

//go:embed prompts/cut-reply.md
var cutReply string

// cutsPerTurn is how often a turn whose reply was cut is asked to go on.
const cutsPerTurn = 2

// CutReply keeps a turn going whose reply was cut by the length limit: the person is
// told, and the model is asked to go on in smaller pieces, twice at most. That calls
// of a cut reply never run is the loop's own promise.
func CutReply() graph.Plugin {
	return graph.Plugin{
		Name: "cut-reply",
		Doc:  "asks a model whose reply was cut off to go on in smaller pieces",
		Apply: func(f *graph.Fiber, _ any) error {
			agent.TurnStopping.On(f, func(ctx context.Context, s *agent.Stop) error {
				if s.Finish != llm.FinishLength || s.Cuts > cutsPerTurn {
					return nil
				}
				s.GoOn("cut-reply", strings.TrimSpace(cutReply))
				_, err := s.Agent.Log().Append(ctx, session.Note.New(s.Turn, s.Step, session.NoteData{Key: "note.cut-reply", Level: "warn",
					Text: "The reply was cut off at the length limit. Calls in it were not run; the agent goes on in smaller pieces."}))
				return err
			})
			return nil
		},
	}
}
