// Package scripted plays a model from a script: in process for the demo, and over
// real HTTP for tests and bug reports.
//
// It promises that the same script and the same history give the same reply, with
// the pauses, failures and cuts that the script asks for, a window of any size,
// and token counts at any density, or none.
//
// It owns the script's format, which script.go documents, and the demo's script
// and files. It refuses to know tools: a script names them and writes their
// arguments, and what comes back is only read by its conditions.
//
// Read script.go (the format), parse.go, play.go (which reply is next), then
// adapter.go (in process) and handler.go (HTTP).
package scripted
