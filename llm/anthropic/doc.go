// Package anthropic speaks the Messages format of Anthropic, which other providers
// and local servers speak as well.
//
// It promises canonical requests with the messages last, signed thinking sent back
// exactly as it came, and the same reading of calls, thinking and failures as every
// other wire.
//
// It owns the format. It refuses to know how bytes travel and what a refusal means:
// package wire does.
//
// Read anthropic.go (the adapter), encode.go (what is sent), reading.go (what comes
// back).
package anthropic
