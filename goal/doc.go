// Package goal pursues an objective that a person sets for a session, turn after turn,
// until it ends for a stated reason.
//
// It promises that a goal is pursued in rounds, which are turns with the origin "goal"
// that enter through the inbox alone; that none begins while something of the person
// waits, after the person stopped a turn, while the model's server fails, in another
// process than the one in which the person set or resumed it, or beyond a number of
// rounds; and that a goal ends in plain words: met, with the evidence shown, or not,
// and why.
//
// It owns the events goal/changed, the projection "goal", the command /goal and the two
// tools with which the model ends a goal. They are rare tools: they are of use in few
// sessions, and the list that requests begin with stays the same whether a goal is set
// or not. It refuses to know what a turn costs: budgets end turns, and this room reads
// how they ended.
//
// Read goal.go (what a goal is), fold.go (what the log tells of it), ends.go (what the
// end of a turn means for it), driver.go (what begins rounds), told.go, tools.go, then
// commands.go and plugin.go.
package goal
