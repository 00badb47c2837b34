// Package sandbox starts child processes and ends them.
//
// It promises that a child gets only the environment that was built up for it,
// can do only what its [Policy] allows, and is gone, with everything it started,
// when its context ends or its program returns. It owns spawning, terminals,
// confinement (Landlock, namespaces, bubblewrap), the ending of whole trees and
// the finding of leftovers of a dead host.
//
// It refuses to know why a child runs: whether a command may run is the gate's
// business, what it prints is the caller's.
//
// Read sandbox.go (what can be asked), then process.go, tree and confinement.
package sandbox
