// Package catalog knows what sessions there are: their titles and folders, the text
// of what was said in them, and what was used on which day.
//
// It promises that a list and a search answer without opening a session, that what
// was appended is found a moment later, that Chinese, Japanese and Korean are found
// by any part of a word, and that nothing is ever lost with it: everything in it is
// read off the logs, and a catalog that is missing, damaged or of another version is
// made again. It owns one SQLite file.
//
// It refuses to be a source of truth. Who wants to know what happened reads the log.
//
// Read catalog.go (opening and making again), index.go (what of an event is kept),
// sync.go (catching up and following), search.go, words.go (how text becomes words).
package catalog
