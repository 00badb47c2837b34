package undo

import "fairlead/session"

// Undone is the kind of a taking back.
var Undone = session.Kind[UndoneData]{Name: "undo/done", Doc: "a person took back what a turn, or an earlier taking back, changed in files", Ignorable: true}

// UndoneData is what was taken back. Of is the id of the deed: "t3" is what turn 3
// changed, "u57" what the undo/done of event 57 did.
type UndoneData struct {
	Of    string   `json:"of"`
	Files []Change `json:"files"`
}

// Change is what became of one file. Path is absolute and resolved. Before and After
// are nil where there was or is no file; Mode are its permission bits, of a deleted
// one those it had.
type Change struct {
	Path    string           `json:"path"`
	Before  *session.BlobRef `json:"before,omitempty"`
	After   *session.BlobRef `json:"after,omitempty"`
	Mode    uint32           `json:"mode"`
	Added   int              `json:"added"`   // lines
	Removed int              `json:"removed"` // lines
	// Merged is true where the file held other changes beside the one that was taken
	// back, which are kept.
	Merged bool `json:"merged,omitempty"`
}

// Kinds lists what this room declares.
func Kinds() []session.AnyKind { return []session.AnyKind{Undone} }
