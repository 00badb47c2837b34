// Package interchange takes sessions out of Fairlead and brings sessions in, those
// of other products included.
//
// It promises that a session exported as an archive comes back the same, event for
// event and hash for hash; that an export for reading (Markdown, a page, JSON) holds
// everything that was said and done and needs nothing else to be read; and that an
// import either gives a whole session, in which every call has a result, or changes
// nothing and says which line it could not read. It owns the readers of other
// products' files and the writers of ours.
//
// It refuses to guess: a file that is none of the known kinds is refused, and what a
// known kind holds that has no place here is counted and reported, not invented.
//
// Read conversation.go (the common form), claude.go, codex.go and dsh.go (the
// readers), bring.go, archive.go, then transcript.go and its writers.
package interchange
