// Package fault is the closed set of error kinds that Fairlead knows.
//
// It promises one thing: an error that crosses a room carries a [Kind], and the
// kind maps in one place to an HTTP status and an ACP code, so that no front
// door invents its own table. It owns the kinds, the [Error] that carries one,
// and the three texts of a failure: for the model (what to do next), for the
// person (what happened, what was or was not changed, one next step) and for
// the operator (the whole chain, as [error.Error] prints it).
//
// It refuses to know any room: kinds do not grow with features. A feature that
// wants to be told apart adds a Code, a stable word that the page and scripts
// may compare.
//
// Read fault.go; there is nothing else.
package fault
