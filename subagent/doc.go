// Package subagent lets an agent have others work for it: helpers.
//
// It promises that a helper is a session like any other, whose log anybody may read;
// that its state in the log of the session it works for is the one its own log tells;
// that each piece of work is reported there exactly once, whatever crashes; that at
// most as many work at once as their server takes, four on this machine and eight
// elsewhere if it takes fewer, and that their requests wait for those of whom they
// work for; that a stop reaches every helper below; and that a helper which a restart
// cut short is reported with what it had, and can go on.
//
// It owns the tools that start, tell, stop and list helpers, and the naming of models
// for them. It refuses to know modes and approvals: a helper's calls pass the gate like
// all others, and its questions are put to the chat it works for in the end. What a
// tree of helpers may use up is kept by the budgets.
//
// Read kinds.go (what is written), family.go and role.go (what is read off it: in the
// log of whom helpers work for, and in a helper's own), crew.go with start.go, send.go,
// settle.go, stop.go and restart.go (a helper's life), slots.go, model.go, then the tools.
package subagent
