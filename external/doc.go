// Package external asks other products' agents: Claude Code, Codex and Grok.
//
// It promises that every run ends, within its limit, with one plain reason; that an
// exit without an answer never counts as success; that nothing a program prints can
// end a run or fill the memory, since what is not understood becomes a note and what
// does not fit is counted; that a cancelled run leaves no process; and that an agent
// gets no credential of ours and no more access than a person agreed to.
//
// It owns the adapters, the table of runs, the streams kept on disk below the home
// folder, which session of an agent is gone on with in which folder, and the tool
// harness_call. It refuses to know modes and approvals, which are the gate's, and how
// a process is confined, which is the sandbox's.
//
// Read event.go (what agents say), adapter.go (what an adapter is), claude.go for one,
// verdict.go, then runs.go (the table), agents.go (who is there), run.go (one run),
// confine.go, resume.go, sweep.go, harness_call.go.
package external
