// Package agent drives a session: it admits what people say, asks the model, runs
// the tools, and ends each turn with a reason.
//
// It promises that one goroutine writes a session's turns, that every message is
// claimed exactly once, that Stop is answered by a durable end of the turn, that
// the first cause of an end wins, and that a turn never ends silently. It owns the
// [Agent], its inbox, the loop, the hooks around it, prompt assembly and the [Host]
// that keeps live agents.
//
// It refuses to know models' wires, single tools, modes and front doors.
//
// Read agent.go, inbox.go, then loop.go, which fits on two screens, and hooks.go.
package agent
