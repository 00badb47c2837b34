package window

import (
	"fairlead/llm"
	"fairlead/session"
)

// cut gives where on a surface the part that is kept begins: the newest entries that
// together have keep tokens, at least the newest unit, never between a call and its
// results. prices are those of the entries. 0 means that everything is kept.
func cut(surface []session.Entry, prices []int, keep int) int {
	at, kept := len(surface), 0
	for at > 0 && (kept < keep || at == len(surface)) {
		at--
		kept += prices[at]
	}
	return whole(surface, at)
}

// whole moves a boundary to the left until no call is parted from its results.
func whole(surface []session.Entry, at int) int {
	for at > 0 && at < len(surface) && surface[at].Message.Role == llm.ToolRole {
		at--
	}
	return at
}

// following gives the boundary after the unit that begins at: a message, or one with
// calls together with their results.
func following(surface []session.Entry, at int) int {
	for at++; at < len(surface) && surface[at].Message.Role == llm.ToolRole; {
		at++
	}
	return at
}

// prefix gives the longest run of whole units from the beginning, up to end, that
// has no more than limit tokens; the first unit that is no earlier summary where not
// even that fits, with fits false.
func prefix(surface []session.Entry, prices []int, end, limit, summaries int) (at int, fits bool) {
	sum := 0
	for next := 0; at < end; at = next {
		next = min(following(surface, at), end)
		for i := at; i < next; i++ {
			sum += prices[i]
		}
		if sum > limit {
			if at <= summaries {
				return min(max(next, following(surface, summaries)), end), false
			}
			return at, true
		}
	}
	return at, true
}

// spanOf is the range of events that a run of entries stands for.
func spanOf(run []session.Entry) session.Span {
	return session.Span{From: run[0].Span.From, To: run[len(run)-1].Span.To}
}
