// Package turnguard ends turns that go nowhere, and turns that have used up what a
// person allowed them.
//
// It promises that a model which repeats itself is reminded and then stopped, with
// the repeated thing named; that every budget ends a turn in plain words with its
// figure; that a reply which was cut off is announced and asked for again in smaller
// pieces; and that what was done stands. It decides by folding the log, so that a
// restart forgets nothing. It owns the folds "course" and "spending", the kinds
// guard/stopped and budget/raised, and the rows repeat-reminder, turn-guard,
// cut-reply and budget.
//
// It refuses to know single tools, compaction (it only asks for one, by the name of
// the command) and front doors.
//
// Read course.go and circles.go (what goes in circles), guard.go (what is done about
// it), then spending.go, budget.go and raise.go.
package turnguard
