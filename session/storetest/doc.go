// Package storetest is what every [session.Store] must pass, and a store in memory
// that passes it.
//
// It promises that a store which passes [Run] can carry sessions: one writer at a
// time, refusal of a stale one, appended bytes readable at once and kept, whole
// replacement or none, blobs by content, parts exchanged at once, and nothing
// changed by reading. [Memory] serves property tests that open thousands of
// damaged logs; it keeps nothing beyond its own life.
//
// It refuses to know files: those have tests of their own in package store.
//
// Read suite.go, then memory.go.
package storetest
