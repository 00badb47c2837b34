package agent

import (
	"cmp"

	"fairlead/llm"
	"fairlead/session"
)

// said drafts the messages that join a step, as the model will see them.
func said(t *turn, entering []session.Queued) []session.Draft {
	drafts := make([]session.Draft, 0, len(entering))
	for _, m := range entering {
		if m.Delivery == Inject {
			drafts = append(drafts, session.Injected.New(t.number, t.step, session.InjectedData{ID: m.ID, Source: m.Source, Text: llm.Plain(m.Content)}))
			continue
		}
		drafts = append(drafts, session.UserMessage.New(t.number, t.step, session.UserMessageData{ID: m.ID, Content: m.Content, Delivery: m.Delivery, Origin: m.Origin}))
	}
	return drafts
}

// claimed drafts the end of their waiting.
func claimed(t *turn, entering []session.Queued) []session.Draft {
	if len(entering) == 0 {
		return nil
	}
	ids := make([]string, len(entering))
	for i, m := range entering {
		ids[i] = m.ID
	}
	return []session.Draft{session.InboxChanged.New(t.number, t.step, session.InboxChangedData{Op: "claimed", IDs: ids})}
}

// chosen drafts the model and effort that a message asks for, where they are new.
func chosen(t *turn, p Progress, entering []session.Queued) []session.Draft {
	want := session.ModelSelectedData{Route: p.Route, Effort: p.Effort}
	for _, m := range entering {
		if m.Model != "" {
			want.Route = m.Model
		}
		if m.Effort != "" {
			want.Effort = m.Effort
		}
	}
	if want.Route == p.Route && want.Effort == p.Effort {
		return nil
	}
	return []session.Draft{session.ModelSelected.New(t.number, t.step, want)}
}

// wishOf is how the turn is to run: what the first message that says so asks for.
func wishOf(entering []session.Queued) session.TurnStartData {
	var d session.TurnStartData
	for _, m := range entering {
		if m.Delivery == Inject {
			continue
		}
		d = session.TurnStartData{Mode: cmp.Or(d.Mode, m.Mode), Model: cmp.Or(d.Model, m.Model), Effort: cmp.Or(d.Effort, m.Effort), Origin: cmp.Or(d.Origin, m.Origin)}
	}
	return d
}
