// Package skill brings in what people wrote for agents: instruction files, skills and
// command hooks.
//
// It promises that instruction files (AGENTS.md, CLAUDE.md) are told to the model by
// folder, from the root of the repository down to the session's folder at its start
// and those below when files there are read; that skills (SKILL.md) are listed by name
// and loaded when a task fits; that a change of either is told as a message behind the
// history, so that requests extend each other; and that hooks in the formats of Claude
// Code and Codex run at the events both share.
//
// Whatever a folder says is marked as text that was found: it permits nothing. Files
// are reached inside the repository only, links followed no further than that. Hooks
// run in the sandbox, and may only make policy stricter; those of a folder run once a
// person has trusted their bytes.
//
// It refuses to know the tools whose calls its hooks see, beyond the names that hooks
// of other products use for them.
//
// Read find.go (where texts are looked for and how they are reached), instructions.go,
// skills.go with skilltool.go, then hooks.go (what a file of hooks says), events.go
// (when they run), run.go (one child) and decision.go (what its answer means).
package skill
