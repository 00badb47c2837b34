package llm

import "fmt"

// NormaliseOptions say what the endpoint takes.
type NormaliseOptions struct {
	// TextOnly replaces pictures by a mark.
	TextOnly bool
}

// Normalise makes a history that any provider accepts: every call has one result,
// right behind it and in the order of the calls; nothing else is left of what
// providers refuse. It does not change the history it is given, and says in plain
// words what it repaired. A history that extends another one gives an extension
// of that one's result.
func Normalise(history []Message, opt NormaliseOptions) (out []Message, repairs []string) {
	results := map[string]int{}
	for i, m := range history {
		if m.Role == ToolRole {
			if _, twice := results[m.CallID]; !twice {
				results[m.CallID] = i
			}
		}
	}
	for _, m := range history {
		if m.Role == ToolRole {
			continue
		}
		out = append(out, m)
		for _, c := range m.Calls {
			if i, ok := results[c.ID]; ok {
				out = append(out, history[i])
				delete(results, c.ID)
				continue
			}
			repairs = append(repairs, fmt.Sprintf("the call %s of %s had no result", c.ID, c.Name))
			out = append(out, Message{Role: ToolRole, CallID: c.ID, Failed: true, Content: Text(noResult)})
		}
	}
	return out, repairs
}

const noResult = "This call has no result: it was interrupted, and its outcome is unknown."
