// Package session is the durable event log of a conversation and everything that
// can be read off it.
//
// It promises that what was acknowledged is never lost and never rewritten, that
// a log with a damaged tail opens, that any change to it can be proved, and that
// what a model sees is a pure function of it. It owns the event kinds that every
// session uses, the [Log], the surface (the ordered model-visible events),
// shadows, projections, forking, recovery and verifying, and it declares the
// [Store] it is kept in.
//
// It refuses to know agents, tools and modes: they append their own kinds.
//
// Read event.go and kinds.go (what is written), line.go (how), log.go (the one place
// where facts are written), fold.go, surface.go and projection.go (what is read off
// them), watch.go and delta.go (what viewers get), library.go (who opens what),
// load.go with survey.go and chain.go (what is found on opening, damage included),
// recover.go, fork.go, verify.go and repair.go, then store.go (what a store owes).
package session
