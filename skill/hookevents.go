package skill

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// hookSource names hooks in what they have the model told.
const hookSource = "hook"

// mostStops is how often hooks may keep one turn from ending.
const mostStops = 8

// occasion describes an event of a session to its hooks.
func (h *hooks) occasion(event string, log *session.Log, turn, step int) (occasion, error) {
	p, err := session.StateOf(log, agent.Loop)
	if err != nil {
		return occasion{}, err
	}
	folder := log.Header().Folder
	mode := map[string]string{"plan": "plan", "bypass": "bypassPermissions"}[p.Mode]
	if mode == "" {
		mode = "default"
	}
	return occasion{event: event, log: log, turn: turn, step: step, folder: folder, mode: p.Mode, input: map[string]any{
		"session_id": string(log.ID()), "transcript_path": nil, "cwd": folder, "permission_mode": mode,
		"hook_event_name": event, "model": p.Route, "turn_id": "t" + strconv.Itoa(turn),
	}}, nil
}

// simple runs the hooks of an event that all are told the same.
func (h *hooks) simple(ctx context.Context, o occasion, hooks []hook, more map[string]any) (answer, error) {
	maps.Copy(o.input, more)
	errands := make([]errand, len(hooks))
	for i, one := range hooks {
		errands[i] = errand{one, o.input}
	}
	return h.runAll(ctx, o, errands)
}

// preStep runs SessionStart once, and UserPromptSubmit for what a person says.
func (h *hooks) preStep(ctx context.Context, p *agent.Proposal, next func(context.Context, *agent.Proposal) (agent.Admission, error)) (agent.Admission, error) {
	log := p.Agent.Log()
	if err := h.start(ctx, p); err != nil {
		return agent.Admission{}, err
	}
	guards := h.at(userPromptSubmit, log, p.Turn)
	if len(guards) == 0 {
		return next(ctx, p)
	}
	for i := 0; i < len(p.Messages); i++ {
		said, ok := p.Messages[i].Data.(session.UserMessageData)
		if !ok {
			continue
		}
		o, err := h.occasion(userPromptSubmit, log, p.Turn, p.Step)
		if err != nil {
			return agent.Admission{}, err
		}
		a, err := h.simple(ctx, o, guards, map[string]any{"prompt": llm.Plain(said.Content)})
		if err != nil {
			return agent.Admission{}, err
		}
		if a.block || a.halt {
			text := "A hook did not let your message through, so it was not given to the model: " + a.reason
			kept := append(p.Messages[:i:i], session.Note.New(p.Turn, p.Step, session.NoteData{Text: text}))
			return agent.Admission{Messages: kept, Reject: &agent.Rejection{Reason: session.EndReason{Kind: session.EndBlocked, By: hookSource}, Text: text}}, nil
		}
		if a.context != "" {
			told := injected(p, hookSource, hookTells(userPromptSubmit, a.context))
			p.Messages = append(p.Messages[:i+1:i+1], append([]session.Draft{told}, p.Messages[i+1:]...)...)
			i++
		}
	}
	return next(ctx, p)
}

// start runs SessionStart where this process has not done so for the session.
func (h *hooks) start(ctx context.Context, p *agent.Proposal) error {
	log := p.Agent.Log()
	if !h.begins(log, p.Turn) {
		return nil
	}
	how := "startup"
	if p.Turn > 1 {
		how = "resume"
	}
	starts := slices.DeleteFunc(h.at(sessionStart, log, p.Turn), func(one hook) bool { return !one.matcher.fits(how) })
	if len(starts) == 0 {
		return nil
	}
	o, err := h.occasion(sessionStart, log, p.Turn, p.Step)
	if err != nil {
		return err
	}
	a, err := h.simple(ctx, o, starts, map[string]any{"source": how})
	if err == nil && a.context != "" {
		told := injected(p, "hook-start", hookTells(sessionStart, a.context))
		p.Messages = append([]session.Draft{told}, p.Messages...)
	}
	return err
}

// hookTells marks what a hook has the model told.
func hookTells(event, text string) string {
	return fmt.Sprintf("<hook event=%q>\n%s\n</hook>", event, enclosed(strings.TrimSpace(text), hookSource))
}

// preExecute lets hooks refuse a call, or have a person asked. A call that policy
// refuses is not shown to them.
func (h *hooks) preExecute(ctx context.Context, call *tool.Call, next func(context.Context, *tool.Call) (tool.Verdict, error)) (tool.Verdict, error) {
	v, err := next(ctx, call)
	if err != nil || v.Decision == tool.Deny {
		return v, err
	}
	a, err := h.aboutCall(ctx, call, preToolUse, nil)
	switch {
	case err != nil:
		return v, err
	case a.block || a.halt:
		if a.halt {
			h.halt(ctx, call.Log)
		}
		return tool.Verdict{Decision: tool.Deny, DeniedBy: "guard", Reason: "a hook: " + a.reason, Model: "A hook does not allow this call: " + a.reason + "\nNothing was changed."}, nil
	case a.ask && v.Decision != tool.Ask:
		v.Decision, v.By, v.Rule = tool.Ask, "", ""
		v.Reason = "a hook wants it asked: " + a.reason
		v.Facts = append(v.Facts, tool.Fact{Key: "card.hook", Values: map[string]any{"reason": a.reason}, Warn: true})
	}
	return v, nil
}

// aboutCall runs the hooks of an event that are for a call.
func (h *hooks) aboutCall(ctx context.Context, call *tool.Call, event string, more map[string]any) (answer, error) {
	hooks := h.at(event, call.Log, call.Turn)
	if len(hooks) == 0 {
		return answer{}, nil
	}
	o, err := h.occasion(event, call.Log, call.Turn, call.Step)
	if err != nil {
		return answer{}, err
	}
	o.call = call.ID
	all := uses(call)
	var errands []errand
	for _, one := range hooks {
		for _, u := range one.matching(all) {
			input := maps.Clone(o.input)
			input["tool_name"], input["tool_input"], input["tool_use_id"] = u.name, u.input, call.ID
			maps.Copy(input, more)
			errands = append(errands, errand{one, input})
		}
	}
	if errands == nil {
		return answer{}, nil
	}
	return h.runAll(ctx, o, errands)
}

// postExecute shows hooks what a call gave, and the model what they say of it.
func (h *hooks) postExecute(ctx context.Context, f tool.Finished, next func(context.Context, tool.Finished) (*tool.Result, error)) (*tool.Result, error) {
	result, err := next(ctx, f)
	if err != nil || result == nil || result.Failed {
		return result, err
	}
	text := llm.Plain(result.Content)
	response := map[string]any{"content": text, "stdout": text, "stderr": "", "success": true}
	a, err := h.aboutCall(ctx, f.Call, postToolUse, map[string]any{"tool_response": response})
	if err != nil {
		return result, err
	}
	var said []string
	if a.block || a.halt {
		said = append(said, a.reason)
	}
	if a.context != "" {
		said = append(said, a.context)
	}
	if a.halt {
		h.halt(ctx, f.Call.Log)
	}
	if said == nil {
		return result, nil
	}
	told := *result
	told.Content = append(append([]llm.Part{}, result.Content...), llm.Text("\n"+hookTells(postToolUse, strings.Join(said, "\n")))...)
	return &told, nil
}

// halt stops the session's turn; its end is waited for by nobody here.
func (h *hooks) halt(ctx context.Context, log *session.Log) {
	if a, live := h.host.Live(log.ID()); live {
		go a.Cancel(context.WithoutCancel(ctx), hookSource)
	}
}

// turnStopping lets hooks keep a turn going, a bounded number of times.
func (h *hooks) turnStopping(ctx context.Context, stop *agent.Stop) error {
	log := stop.Agent.Log()
	keepers := h.at(stopEvent, log, stop.Turn)
	if len(keepers) == 0 {
		return nil
	}
	o, err := h.occasion(stopEvent, log, stop.Turn, stop.Step)
	if err != nil {
		return err
	}
	blocks := h.stops(log, stop.Turn, false)
	a, err := h.simple(ctx, o, keepers, map[string]any{"stop_hook_active": blocks > 0, "last_assistant_message": lastSaid(log)})
	if err != nil || !a.block {
		return err
	}
	if blocks >= mostStops {
		text := fmt.Sprintf("A hook wanted the turn to go on for the %dth time; it ended all the same. It says: %s", blocks+1, a.reason)
		_, err := log.Append(ctx, session.Note.New(stop.Turn, stop.Step, session.NoteData{Text: limited(text)}))
		return err
	}
	h.stops(log, stop.Turn, true)
	stop.GoOn(hookSource, hookTells(stopEvent, a.reason))
	return nil
}

// lastSaid is the text of the last reply; nil where there is none.
func lastSaid(log *session.Log) any {
	entries := log.Surface()
	for i := len(entries) - 1; i >= 0; i-- {
		if m := entries[i].Message; m.Role == llm.Assistant {
			return llm.Plain(m.Content)
		}
	}
	return nil
}
