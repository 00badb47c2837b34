//go:build !linux

package sandbox

// presence is of use only where protected paths can be held.
type presence struct{}
