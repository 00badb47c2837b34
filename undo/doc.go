// Package undo takes back what a turn changed in files.
//
// It promises that every change the file tools made in a turn can be looked at as a
// difference and taken back, whole or file by file, with or without git; that what
// somebody else changed meanwhile is kept: the change is lifted out from under it
// where both can stand, else nothing at all is changed and the lines in the way are
// named; that taking back can itself be taken back; and that the model is told with
// the next step, so that it reads again what is no longer as it left it.
//
// It owns the ledger of changes, the merge, and the commands undo.take and
// undo.redo. It refuses to know which tool made a change: it reads file/changed from
// the log and reaches files through tool/file. What commands of a shell change is
// not in the log and not taken back.
//
// Read ledger.go (what was changed, from events), merge.go (lifting a change out),
// plan.go (what each file shall hold, or why not), take.go (doing it), review.go
// (showing it), then commands.go and plugin.go.
package undo
