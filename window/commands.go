package window

import (
	"context"
	"encoding/json"
	"fmt"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/fault"
	"fairlead/session"
)

// Report is what /context tells. Sizes are tokens.
type Report struct {
	Text     string  `json:"text"`
	Used     int     `json:"used"`
	Measured bool    `json:"measured"`
	Percent  int     `json:"percent"`
	Density  float64 `json:"density"` // bytes of UTF-8 for each token, as measured
	Parts    Parts   `json:"parts"`
	Free     int     `json:"free"`
	Budget   Budget  `json:"budget"`
}

// Made is what /compact answers. Before and After are percent of the window.
type Made struct {
	Text   string `json:"text"`
	Before int    `json:"before"`
	After  int    `json:"after"`
	Items  int    `json:"items"`
}

// oneMessage are the arguments of what is done with a message that was withheld; the
// last one without an id.
const oneMessage = `{"type":"object","properties":{"id":{"type":"string"}},"additionalProperties":false}`

func (w *room) offer() []command.Command {
	return []command.Command{
		{Name: "context.compact", Scope: command.Session, Slash: "compact", Summary: "Summarise the older part of the session, to make room.", Run: w.compact},
		{Name: "context.show", Scope: command.Session, Slash: "context", Summary: "Show how full the model's context is, and with what.", Run: w.show},
		{Name: "context.attach", Scope: command.Session, Summary: "Put a message that was too long into a file of the folder, and send its name.", Params: json.RawMessage(oneMessage), Run: w.attach},
		{Name: "context.preview", Scope: command.Session, Summary: "Send the beginning and the end of a message that was too long.", Params: json.RawMessage(oneMessage), Run: w.preview},
	}
}

func (w *room) agent(ctx context.Context, call command.Call) (*agent.Agent, error) {
	return w.host.Open(ctx, session.ID(call.Session))
}

// compact is /compact.
func (w *room) compact(ctx context.Context, call command.Call) (any, error) {
	a, err := w.agent(ctx, call)
	if err != nil {
		return nil, err
	}
	var made Made
	err = a.Maintain(ctx, activity, func(ctx context.Context) error {
		choice, err := a.Next(ctx)
		if err != nil {
			return err
		}
		r, err := w.exact(ctx, a, choice)
		if err != nil {
			return err
		}
		ended, err := w.compaction(a, choice, r, byPerson).run(ctx)
		if err != nil {
			return err
		}
		if ended.Error != "" && !ended.shrank() {
			return fault.New(fault.Unavailable, "window.compact", "No summary could be made: %s. Nothing was changed; try again.", ended.Error)
		}
		if !ended.shrank() {
			made = Made{Text: fmt.Sprintf("There is nothing older to summarise: the session is %d %% full, with its newest part alone.", r.percent()), Before: r.percent(), After: r.percent()}
			return nil
		}
		w.meters.of(a).series = causeCompaction
		now, err := w.exact(ctx, a, choice)
		if err != nil {
			return err
		}
		after := percent(ended.After, ended.Window)
		if now.counted {
			after = now.percent()
		}
		made = Made{Before: r.percent(), After: after, Items: ended.Items}
		made.Text = fmt.Sprintf("The session was %d %% full and is now %d %% full.", made.Before, made.After)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// exact looks at a session and has it counted where the server can.
func (w *room) exact(ctx context.Context, a *agent.Agent, choice agent.Choice) (reading, error) {
	r, err := w.read(ctx, a, choice.Route)
	if err != nil {
		return r, err
	}
	n, err := w.count(ctx, a, choice, r.surface)
	if n > 0 {
		r.counted, r.tokens = true, n
		r.gauge.Reported, r.gauge.ReportedPlain = n, r.plain
	}
	return r, err
}

// show is /context.
func (w *room) show(ctx context.Context, call command.Call) (any, error) {
	a, err := w.agent(ctx, call)
	if err != nil {
		return nil, err
	}
	var report Report
	look := func(ctx context.Context) error {
		choice, err := a.Next(ctx)
		if err != nil {
			return err
		}
		r, err := w.exact(ctx, a, choice)
		report = r.report()
		return err
	}
	if err := a.Maintain(ctx, "asking", look); fault.CodeOf(err) == agent.CodeBusy {
		return w.last(a)
	} else if err != nil {
		return nil, err
	}
	return report, nil
}

// last reports what the last request of a session at work was.
func (w *room) last(a *agent.Agent) (Report, error) {
	g, err := session.StateOf(a.Log(), Context)
	if err != nil {
		return Report{}, err
	}
	r := reading{gauge: g, tokens: g.Last.Tokens, counted: g.Last.Measured, parts: g.Last.Parts, plain: g.Last.Plain,
		budget: Budget{Window: g.Last.Window, Source: g.Last.Source, Start: g.Last.Start}}
	return r.report(), nil
}

func (r reading) report() Report {
	p := r.parts.scale(r.tokens)
	free := max(r.budget.Window-r.tokens, 0)
	how := "estimated"
	if r.counted || r.gauge.Reported > 0 {
		how = "measured"
	}
	source := r.budget.Source
	if source == "" {
		source = "configuration"
	}
	return Report{
		Used: r.tokens, Measured: how == "measured", Percent: r.percent(), Density: bytesPerToken / r.gauge.density(), Parts: p, Free: free, Budget: r.budget,
		Text: fmt.Sprintf("The context is %d %% full: %s of %s tokens (%s; the size of the window is known from: %s).\nInstructions %s · tools %s · files %s · messages %s · results %s · free %s.\nOlder parts are summarised from %s tokens on.",
			r.percent(), thousands(r.tokens), thousands(r.budget.Window), how, source,
			thousands(p.System), thousands(p.Tools), thousands(p.Files), thousands(p.Messages), thousands(p.Results), thousands(free), thousands(r.budget.Start)),
	}
}
