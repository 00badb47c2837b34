// Package window keeps what a session sends inside the context of its model.
//
// It promises that how full the context is was measured wherever a server tells it
// and is never said to be less than the plain estimate; that a request which cannot
// fit is not sent; that room is made in time, by shortening old results and then by
// a summary of the oldest part, which is made in pieces where it would not fit
// itself; that making room always ends, frees room or says plainly what cannot be
// cut; and that a refusal for length is tried again once, only if the history really
// shrank. What is taken out of the model's sight stays in the log.
//
// It owns the metering, the room that replies get, the events of compaction and the
// projection "context". It refuses to know servers: their refusals are read by llm,
// their counting is an [llm.Counter].
//
// Read budget.go (the figures), price.go and tally.go (estimates), meter.go (what was
// measured), fit.go and withheld.go (before a request), compact.go with cut.go, prune.go, pieces.go
// and carry.go (making room), refusal.go (after one), truncation.go, commands.go.
package window
