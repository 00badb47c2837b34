package agent

import (
	"fairlead/llm"
	"fairlead/session"
)

// title drafts the session's title where it has none yet: at once, from the prompt.
func title(t *turn, p Progress, entering []session.Queued) []session.Draft {
	if p.Titled {
		return nil
	}
	for _, m := range entering {
		if m.Delivery == Inject {
			continue
		}
		if text := session.CleanTitle(llm.Plain(m.Content)); text != "" {
			return []session.Draft{session.Titled.New(t.number, 0, session.TitledData{Title: text, By: session.ByPrompt})}
		}
	}
	return nil
}
