// Package ptc lets a model write a program that calls tools: the tool run_code.
//
// It promises that a program reaches the tools its agent sees and nothing else; that
// each of its calls passes the whole pipeline under the id of the run as its parent,
// questions to the person included; that calls which allow it run beside each other;
// that only what the program prints and returns comes back to the model; and that a run
// can be made again from the log and comes out the same. It owns the tool, the text of
// its bindings and [Replay].
//
// It refuses to know how programs are confined (package script) and what may run (the
// gate).
//
// Read plugin.go, runcode.go (a run), bindings.go and typescript.go (what the model is
// told), replay.go.
package ptc
