package config

import "fairlead/graph"

// Trust says which of the files that a folder brings along may count. A folder is
// not the person: what it says about hooks, servers and rows waits for one yes, which
// is bound to the bytes. Opening a folder starts nothing.
//
// A room that would act on such a file declares it, asks Accepted each time it is
// about to act, uses the bytes that it is given and no others, and follows
// [TrustChanged].
type Trust interface {
	// Declare has the file asked for where a folder has it, as long as f runs.
	Declare(f *graph.Fiber, file FolderFile)
	// Accepted gives the bytes of a declared file, path being relative to the folder
	// with slashes. ok is false where there is none, where nobody said yes to exactly
	// these bytes, and where they cannot be read.
	Accepted(folder, path string) (text []byte, ok bool)
}

// FolderFile is a file that a folder may bring along.
type FolderFile struct {
	// Path is relative to the folder, with slashes. Its last component may be a pattern
	// of [path.Match].
	Path string
	// Word names in the catalog, as "part.WORD", what the file is.
	Word string
	// Asks reports whether a file with these bytes holds anything to be asked about;
	// nil is always. It must not act on them.
	Asks func(text []byte) bool
}

var (
	// TrustKey is where to find it. Where nobody provides it, nothing of a folder counts.
	TrustKey = graph.NewKey[Trust]("config.trust", "says which of the files that a folder brings along a person accepted")
	// TrustChanged tells the folder, absolute, for which a person accepted or took back.
	TrustChanged = graph.NewNotify[string]("config.trust-changed", "a person accepted files of a folder, or took that back")
)
