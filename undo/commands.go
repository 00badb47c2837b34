package undo

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// The names under which front doors find this room.
const (
	takeCommand = "undo.take"
	redoCommand = "undo.redo"
	filesView   = "files"
)

// offer registers the commands and the view. One taking back runs at a time.
func offer(f *graph.Fiber, host *agent.Host, lib *session.Library) {
	var one sync.Mutex
	take := func(ctx context.Context, c command.Call, redo bool) (any, error) {
		w, err := wish(c.Args)
		if err != nil {
			return nil, err
		}
		w.Redo = redo
		a, err := host.Open(ctx, session.ID(c.Session))
		if err != nil {
			return nil, err
		}
		if a.Status().State != agent.Idle {
			return nil, fault.New(fault.Conflict, "undo.take", "A turn is running and may be changing files. Nothing was taken back; stop it or wait for its end first.").WithCode("TURN_RUNNING")
		}
		one.Lock()
		defer one.Unlock()
		return Take(ctx, a.Log(), w)
	}
	const files = `"files":{"type":"array","items":{"type":"string"}},"text":{"type":"string"}`
	command.Register(f,
		command.Command{Name: takeCommand, Slash: "undo", Scope: command.Session, Summary: "takes back what a turn changed in files: the last one, or the one named",
			Params: []byte(`{"type":"object","properties":{"turn":{"type":"integer","minimum":0},` + files + `},"additionalProperties":false}`),
			Run:    func(ctx context.Context, c command.Call) (any, error) { return take(ctx, c, false) }},
		command.Command{Name: redoCommand, Slash: "redo", Scope: command.Session, Summary: "brings back what was taken back last",
			Params: []byte(`{"type":"object","properties":{"turn":{"type":"integer","minimum":0},` + files + `},"additionalProperties":false}`),
			Run:    func(ctx context.Context, c command.Call) (any, error) { return take(ctx, c, true) }},
	)
	command.RegisterViews(f, command.View{Name: filesView, Scope: command.Session, Params: []string{"turn", "deed"},
		Summary: "what each turn changed in files; with turn or deed that one alone, with its differences",
		Read: func(ctx context.Context, q command.Query) (any, error) {
			if a, live := host.Live(session.ID(q.Session)); live {
				return read(a.Log(), q.Params)
			}
			log, err := lib.Read(ctx, session.ID(q.Session))
			if err != nil {
				return nil, err
			}
			deeds, err := read(log, q.Params)
			return deeds, errors.Join(err, log.Close(ctx))
		}})
}

// read gives the view's value.
func read(log *session.Log, params map[string]string) (any, error) {
	id := params["deed"]
	if turn := params["turn"]; turn != "" {
		n, err := strconv.Atoi(turn)
		if err != nil {
			return nil, fault.New(fault.Invalid, "undo.files", "%q is no number of a turn.", turn)
		}
		id = turnID(n)
	}
	if id == "" {
		deeds, err := List(log)
		return map[string]any{"deeds": deeds}, err
	}
	d, err := Review(log, id)
	if fault.Is(err, fault.NotFound) {
		return map[string]any{"deeds": []Deed{}}, nil
	}
	return map[string]any{"deeds": []Deed{d}}, err
}

// wish reads the arguments. A slash command's text is the number of a turn.
func wish(args json.RawMessage) (Wish, error) {
	var a struct {
		Wish
		Text string `json:"text"`
	}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &a); err != nil {
			return Wish{}, fault.Wrap(fault.Invalid, "undo.take", err, "Taking back wants the number of a turn and names of files. Nothing was taken back.")
		}
	}
	if text := strings.TrimSpace(a.Text); text != "" {
		turn, err := strconv.Atoi(text)
		if err != nil {
			return Wish{}, fault.New(fault.Invalid, "undo.take", "%q is no number of a turn. Nothing was taken back.", text)
		}
		a.Turn = turn
	}
	return a.Wish, nil
}
