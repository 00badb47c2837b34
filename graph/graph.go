// Package graph is the live runtime.
package graph

// Fiber is one running instance of a plugin.
type Fiber struct{}

// Realm is a node in which services are looked up.
type Realm struct{}
