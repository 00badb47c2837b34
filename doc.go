// Package fairlead holds the rules of the repository as tests, and nothing else.
//
// The product is built from cmd/fairlead; ARCHITECTURE.md is the map. The tests
// here read the source tree and fail, with the reason, when a room imports what it
// must not know, when a package has no comment, when a file has grown past its
// limit, or when a test waits for time instead of for an event.
//
// Read layers_test.go, then habits_test.go.
package fairlead
