// Package script runs JavaScript and TypeScript that nobody has read, in an engine with
// no authority: QuickJS-NG compiled to WebAssembly, under wazero, in this process.
//
// It promises that code has no file, network, process, clock or randomness but what
// the caller hands in as functions; that memory, time, work, output and the number of
// calls are bounded, and that what exceeds a bound ends with an error that says which
// one; that an end by the caller holds at once, inside endless loops and regular
// expressions too; and that the same code with the same [Program.Seed], [Program.Now]
// and answers does the same again. It owns [Engine], [Program] and [Instance].
//
// It refuses to know tools, sessions and packages. Nothing is compiled before the
// first program; a process that runs none pays nothing.
//
// Read program.go and budget.go (what a caller says), engine.go (compiled once),
// instance.go (one owner goroutine for each instance), machine.go and host.go (the
// engine's binary interface), snapshot.go and pool.go (a start in a millisecond),
// bootstrap.js (the part inside), strip.go (types out). The engine's binary is made by
// package fuel; where it comes from is said in docs/dependencies.md.
package script
