package window

import "fairlead/llm"

// Config says when room is made and how much stays. The zero value is the standard.
type Config struct {
	// Start is the share of the window, in percent, from which older parts are
	// summarised; 0 means 80. It begins earlier where a reply would lack room.
	Start int `yaml:"start" json:"start"`
	// Keep is the share of the window, in percent, of the newest part that is kept as
	// it is; 0 means 16.
	Keep int `yaml:"keep" json:"keep"`
	// Reserve is the room for a reply in tokens; 0 means 30 % of the window, at least
	// 4,096 and at most 32,768, and 32,768 from a window of 64K on.
	Reserve int `yaml:"reserve" json:"reserve"`
	// Unknown is the window that is taken for granted where nothing is known of a
	// model; 0 means 131,072, and 32,768 for a server on this machine.
	Unknown int `yaml:"unknown" json:"unknown"`
}

// The bounds of the room for a reply, in tokens.
const (
	large         = 64 << 10 // from here on the reserve is fixed
	leastReserve  = 4 << 10
	mostReserve   = 32 << 10
	mostSafety    = 4 << 10
	mostReply     = 64 << 10
	unknownHosted = 128 << 10
	unknownLocal  = 32 << 10
)

// SourceAssumed marks a window that nobody told.
const SourceAssumed = "assumed"

// Budget is how the window of a model is shared out, in tokens.
type Budget struct {
	Window int    `json:"window"`
	Source string `json:"source"` // as in [llm.Model]; [SourceAssumed] where nothing is known
	// Reserve is kept free for a reply.
	Reserve int `json:"reserve"`
	// Start is the size from which room is made, Keep what stays of the newest part.
	Start int `json:"start"`
	Keep  int `json:"keep"`
	// Most is the largest request that is sent.
	Most int `json:"most"`
}

// Assumed reports whether the window is only taken for granted, or concluded from odd
// counts: it may start a summary, and never refuses a message.
func (b Budget) Assumed() bool { return b.Source == SourceAssumed || b.Source == SourceTruncation }

// budget shares out the window of a route.
func (c Config) budget(route llm.Route) Budget {
	b := Budget{Window: route.Model.Window, Source: route.Model.Source}
	if b.Window <= 0 {
		b.Source, b.Window = SourceAssumed, c.Unknown
		switch {
		case b.Window > 0:
		case route.Local:
			b.Window = unknownLocal
		default:
			b.Window = unknownHosted
		}
	}
	b.Reserve = c.reserve(b.Window)
	start, keep := c.Start, c.Keep
	if start <= 0 {
		start = 80
	}
	if keep <= 0 {
		keep = 16
	}
	room := b.Window - b.Reserve
	if b.Window < large {
		room -= safety(b.Window, b.Reserve)
	}
	b.Start, b.Keep = min(b.Window*start/100, room), b.Window*keep/100
	b.Most = b.Window - safety(b.Window, 0)
	return b
}

// reserve is the room that a reply reserves: never more than half the window.
func (c Config) reserve(window int) int {
	r := c.Reserve
	switch {
	case r > 0:
	case window >= large:
		r = mostReserve
	default:
		r = min(max(window*30/100, leastReserve), mostReserve)
	}
	return min(r, window/2)
}

// safety is the room kept free because sizes are not known exactly: a sixteenth of
// the window, at most 4,096 tokens and half of what used leaves.
func safety(window, used int) int {
	return max(min(mostSafety, window/16, (window-used)/2), 0)
}

// replyCap is the cap on a reply to a prompt of a server on this machine: half the
// window, at most 65,536, and no more than the prompt leaves. 0 means that there is
// no room.
func replyCap(window, prompt int) int {
	return max(min(window/2, mostReply, window-prompt-safety(window, prompt)), 0)
}

// soon is how far below Start it is said that a summary is near: five points.
func (b Budget) soon() int { return b.Start - b.Window*5/100 }
