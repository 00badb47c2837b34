package agent

import (
	"context"
	"crypto/sha256"
	_ "embed" // the text is a file
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
)

//go:embed prompts/title.md
var titlePrompt string

const (
	// titleExcerpt bounds what is shown of the prompt and of the reply, in characters.
	titleExcerpt = 1_500
	// titleTokens caps the reply; a model that thinks first needs room for that.
	titleTokens = 2_048
	// titleWait is how long a title is waited for.
	titleWait = time.Minute
)

// TitleOptions configure [Titles].
type TitleOptions struct {
	// Model is the route that is asked; empty is the session's own.
	Model string `yaml:"model" json:"model"`
}

// Titles has a model name each session after its first answer, while nothing runs.
// A session is asked about once; a title that a person gave stays. A server on this
// machine that works on one request at a time is left alone: the request would push
// the conversation out of its cache, and the next message would wait for it.
func Titles() graph.Plugin {
	return graph.Plugin{
		Name:   "titles",
		Doc:    "has the model name a session after its first answer",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey)},
		Config: func() any { return &TitleOptions{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			n := &namer{options: *cfg.(*TitleOptions), routes: routes, live: f.Context(), log: f.Log()}
			f.Effect("requests for titles", func(context.Context) error {
				n.running.Wait() // they end with the fiber's context
				return nil
			})
			Rested.On(f, func(_ context.Context, a *Agent) { n.rested(a) })
			return nil
		},
	}
}

// namer asks for titles.
type namer struct {
	options TitleOptions
	routes  *llm.Routes
	live    context.Context
	log     *slog.Logger
	running sync.WaitGroup
}

// rested asks for the title of a session that has its first answer, in the background.
func (n *namer) rested(a *Agent) {
	p, err1 := session.StateOf(a.log, Loop)
	meta, err2 := session.StateOf(a.log, session.Meta)
	if err := errors.Join(err1, err2); err != nil {
		n.log.Warn("a session keeps the title of its prompt", "session", a.ID(), "err", err)
		return
	}
	answered := p.Last != nil && p.Last.Reason.Kind == session.EndCompleted
	if !answered || p.TitleAsked || meta.TitleBy != session.ByPrompt || meta.Parent != "" || n.live.Err() != nil {
		return
	}
	name := n.options.Model
	if name == "" {
		name = p.Route
	}
	route, err := n.routes.Resolve(n.live, name)
	if err != nil {
		n.log.Warn("a session keeps the title of its prompt", "session", a.ID(), "err", err)
		return
	}
	if route.Local && route.Model.Slots < 2 {
		n.log.Debug("a session keeps the title of its prompt: its server works on one request at a time, and another one would cost the conversation its cache",
			"session", a.ID(), "route", route.Name, "slots", route.Model.Slots)
		return
	}
	n.running.Go(func() {
		ctx, cancel := context.WithTimeout(n.live, titleWait)
		defer cancel()
		err := n.name(ctx, a, route)
		switch {
		case err == nil:
		case n.live.Err() != nil || fault.CodeOf(err) == session.CodeClosed:
			n.log.Debug("a session keeps the title of its prompt: it was closed meanwhile", "session", a.ID())
		default:
			n.log.Warn("a session keeps the title of its prompt", "session", a.ID(), "route", route.Name, "err", err)
		}
	})
}

// name asks a model for the title and puts it into the log.
func (n *namer) name(ctx context.Context, a *Agent, route llm.Route) error {
	text, err := titleMaterial(a.log)
	if err != nil || text == "" {
		return err
	}
	d := session.TitleAskedData{Route: route.Name, Model: route.Model.ID, Wire: route.Wire, System: strings.TrimSpace(titlePrompt), Text: text, Params: route.Params}
	d.Params.MaxTokens = titleTokens
	body, err := route.Adapter.Encode(titleRequest(d))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	d.Body, d.Bytes = hex.EncodeToString(sum[:]), len(body)
	if _, err := a.log.Append(ctx, session.TitleAsked.New(0, 0, d)); err != nil {
		return err
	}
	if err := a.log.Flush(ctx); err != nil {
		return err
	}
	var reply llm.Assembler
	for chunk, err := range route.Adapter.Stream(ctx, body) {
		if err != nil {
			return err
		}
		reply.Add(chunk)
	}
	m, usage, _ := reply.Message()
	title := named(llm.Plain(m.Content))
	if title == "" {
		return fault.New(fault.Invalid, "agent.title", "The model named no title.")
	}
	_, err = a.log.Append(context.WithoutCancel(ctx), session.Titled.New(0, 0, session.TitledData{Title: title, By: session.ByModel, Model: route.Name, Usage: &usage, Cost: a.cost(route, usage)}))
	return err
}

// titleMaterial is what a model is shown to name a session: how the first message
// that was answered begins, and how the answer does.
func titleMaterial(log *session.Log) (string, error) {
	said := ""
	for e, err := range log.Events(1) {
		if err != nil {
			return "", err
		}
		switch e.Type {
		case session.UserMessage.Name:
			if d, err := session.UserMessage.Decode(e); err == nil {
				said = llm.Plain(d.Content)
			}
		case session.AssistantMessage.Name:
			d, err := session.AssistantMessage.Decode(e)
			if answer := llm.Plain(d.Content); err == nil && said != "" && len(d.Calls) == 0 && strings.TrimSpace(answer) != "" {
				return "The person wrote:\n\n" + beginning(said) + "\n\nThe answer was:\n\n" + beginning(answer), nil
			}
		}
	}
	return "", nil
}

func beginning(text string) string {
	runes := []rune(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\ufffd"))
	if len(runes) <= titleExcerpt {
		return string(runes)
	}
	return string(runes[:titleExcerpt]) + "…"
}

// named takes the title out of a model's answer.
func named(answer string) string {
	title := session.CleanTitle(answer)
	if label, rest, ok := strings.Cut(title, ":"); ok && strings.EqualFold(strings.Trim(label, "*"), "title") {
		title = rest
	}
	return strings.TrimRight(strings.Trim(title, " \"'`*_“”„‘’«»「」『』《》"), ".。")
}

// titleRequest is the request that a row of the log describes.
func titleRequest(d session.TitleAskedData) *llm.Request {
	return &llm.Request{Model: d.Model, System: d.System, Params: d.Params, Messages: []llm.Message{{Role: llm.User, Content: llm.Text(d.Text)}}}
}

// RebuildTitle gives the exact bytes of the request for the session's title out of
// the log, as [Rebuild] does for those of its turns.
func RebuildTitle(log *session.Log, encoder func(wire string) (llm.Adapter, error)) ([]byte, session.TitleAskedData, error) {
	for e, err := range log.Events(1) {
		if err != nil {
			return nil, session.TitleAskedData{}, err
		}
		if !session.TitleAsked.Of(e) {
			continue
		}
		d, err := session.TitleAsked.Decode(e)
		if err != nil {
			return nil, d, err
		}
		adapter, err := encoder(d.Wire)
		if err != nil {
			return nil, d, err
		}
		body, err := adapter.Encode(titleRequest(d))
		if err == nil {
			err = reproduced("the request for a title", body, d.Body)
		}
		return body, d, err
	}
	return nil, session.TitleAskedData{}, fault.New(fault.NotFound, "agent.rebuild", "No model was asked for a title of this session.")
}
