// Package graph is the live runtime: what the process can do now.
//
// It promises that a plugin runs exactly while everything it declared to need is
// there, whatever the order in which things were plugged; that replacing a
// provider stops all that stands on it, once, and starts it again on the new one;
// that whatever a fiber registered is undone when it stops, in reverse order and
// within a limit; and that one plugin that fails harms no sibling.
//
// One rule does the work. A running fiber is identified by its epoch: the runs of
// the providers it was started with. When the epoch it should have differs from
// the one it has, it stops, then starts; one transition at a time, compared again
// at the end of each. A value is withdrawn only after its dependants have stopped.
//
// It owns realms (where services are looked up), fibers (running plugins), effects
// (registrations with their undo) and the four kinds of typed extension points. It
// refuses to know what any service does; there is no reflection, no init and no
// package state, so a process may hold as many graphs as it likes.
//
// Read plugin.go, fiber.go and realm.go for the nouns, reconcile.go for the rule,
// transition.go for how a fiber starts and stops, change.go for replacing what runs,
// points.go for extension points.
package graph
