// Package tool is the one pipeline that every tool call runs through, whoever
// makes it: the model, a program, a package, an MCP client, a helper.
//
// It promises that what an agent cannot see it cannot call; that a call goes
// through pre-execute, guards, approval, guards again, the body and post-execute
// in this order; that it always ends in exactly one result (denial, timeout and
// panic are results); that guards only tighten; and that results stand in the log
// in the order in which the model made its calls. It owns the [Registry], the
// stages and the spilling of big results.
//
// It refuses to know any single tool, mode or rule: those are slices that
// register tools and listeners.
//
// Read tool.go (the contract of a tool), stages.go, batch.go (order and parallelism),
// series.go (calls of a program), run.go (one call up to its body), body.go, outcome.go, registry.go, arguments.go,
// rare.go and reserve.go (tools that are not in every request), spill.go.
package tool
