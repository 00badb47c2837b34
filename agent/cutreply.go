package agent

import (
	"context"
	_ "embed" // the text is a file

	"fairlead/graph"
	"fairlead/llm"
)

//go:embed prompts/cut-reply.md
var cutReply string

// cutsPerTurn is how often a turn whose reply was cut is asked to go on.
const cutsPerTurn = 2

// CutReply keeps a turn going whose reply was cut by the length limit: the model is
// asked to go on in smaller pieces, twice at most.
func CutReply() graph.Plugin {
	return graph.Plugin{
		Name: "cut-reply",
		Doc:  "asks a model whose reply was cut off to go on in smaller pieces",
		Apply: func(f *graph.Fiber, _ any) error {
			TurnStopping.On(f, func(_ context.Context, s *Stop) error {
				if s.Finish == llm.FinishLength && s.Cuts <= cutsPerTurn {
					s.GoOn("cut-reply", cutReply)
				}
				return nil
			})
			return nil
		},
	}
}
