// Package proof judges whether a shell command only looks.
//
// It promises that a command it passes changes nothing, starts nothing that an
// option, a variable or a file names, uses no network, ends by itself and reads no
// secret; and that everything it cannot prove is not passed. There is one check for
// every size of command and no weaker one behind it. It owns the walk over the
// shell's grammar, the tables of programs and the readers of the small languages
// that look-only programs take (sed, awk, jq, find).
//
// [Bash] and [PowerShell] judge text alone and touch no file. What the text cannot
// tell (which repository git will discover and what its configuration names, where
// links lead) is judged by [Verdict.OnDisk] before the command runs, and whatever runs is confined by the
// sandbox all the same: a hole here is not a hole in the house.
//
// Read proof.go, shell.go (which grammar passes), word.go (what a word is after
// quote removal), table.go and programs/ (one readable table a program), path.go
// (secrets and files that never end), then the readers.
package proof
