// Package fuel writes a counter into a WebAssembly module, so that code which never
// comes back by itself still asks its host now and then whether it may go on.
//
// It promises that every function and every loop of the result counts down, that the
// module otherwise does what it did, and that the same input gives the same bytes. It
// stops with an error at any instruction it does not know: a decoder that has lost its
// place must not go on. It owns [Rewrite] and nothing else.
//
// It refuses to know what the module is for. It runs when the engine is vendored, not
// in the product: see the test of package script that keeps the two files in step.
//
// Read rewrite.go (sections), then body.go (instructions).
package fuel
