// Package crash kills the real program and looks at what is left.
//
// Its tests promise that kill -9 at any moment loses nothing that was acknowledged:
// an event that a viewer was shown, a message that was answered with 202, a session
// that was made, a line that run printed. After each kill the log on disk is read by
// a reader of its own, which knows the line format from its description alone; after
// each start the program must have ended what was open, must have left no child, and
// must take the next message.
//
// What counts as acknowledged: log events count from the moment a viewer has them,
// since a viewer keeps its place by them. Live frames (pieces of a stream, status,
// progress) do not: they are marked as live and may be gone.
//
// The kernel outlives a killed process, so these tests show what was handed to it in
// time, not what reached the platter; forcing to disk is shown in package store.
//
// The other tests take away what a log stands on: room on the disk, a home that can
// be written, a clock that goes forward, being the only process. They need Linux and,
// for the small disk, the right to mount.
//
// Run them with make crash; KILLS says how often. Read crash_test.go (the rounds),
// ledger_test.go (what was acknowledged), disk_test.go (what is on disk), then
// host_test.go, viewer_test.go, model_test.go and work_test.go (who takes part).
package crash
