package undo

import (
	"slices"
	"strconv"

	"fairlead/session"
	"fairlead/tool"
)

// ledger is what was done to files, oldest deed first.
type ledger struct {
	Deeds []deed `json:"deeds"`
	// Untold are the deeds that the model has not heard of.
	Untold []string `json:"untold,omitempty"`
}

// deed is what one turn, or one taking back, changed.
type deed struct {
	ID string `json:"id"` // "t3" or "u57"
	// Turn is 0 for a taking back; Of is the deed that it took back, else "".
	Turn  int     `json:"turn,omitempty"`
	Of    string  `json:"of,omitempty"`
	At    int64   `json:"at"` // Unix milliseconds, of the last change
	Files []entry `json:"files"`
}

// entry is a change and the deed that took it back, "" where it stands. Changes of a
// file that follow one another without a gap are one entry.
type entry struct {
	Change
	Undone string `json:"undone,omitempty"`
}

// changes is the projection of the ledger.
var changes = session.Projection[ledger]{Name: "undo", Version: 1, Hidden: true, Fold: fold}

// Projections lists what this room folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{changes} }

func fold(l ledger, e session.Event) ledger {
	switch {
	case tool.FileChanged.Of(e):
		if d, err := tool.FileChanged.Decode(e); err == nil {
			return l.changed(e, Change{Path: d.Path, Before: d.Before, After: d.After, Mode: d.Mode, Added: d.Added, Removed: d.Removed})
		}
	case Undone.Of(e):
		if d, err := Undone.Decode(e); err == nil {
			return l.takenBack(e, d)
		}
	case session.Injected.Of(e) && l.Untold != nil:
		if d, err := session.Injected.Decode(e); err == nil && d.Source == source {
			l.Untold = nil
		}
	}
	return l
}

// changed adds a change to the deed of its turn.
func (l ledger) changed(e session.Event, c Change) ledger {
	id := turnID(e.Turn)
	at := l.find(id)
	l.Deeds = slices.Clone(l.Deeds)
	if at < 0 {
		l.Deeds = append(l.Deeds, deed{ID: id, Turn: e.Turn})
		at = len(l.Deeds) - 1
	}
	d := &l.Deeds[at]
	d.At, d.Files = e.At, slices.Clone(d.Files)
	for i := len(d.Files) - 1; i >= 0; i-- {
		if f := &d.Files[i]; f.Path == c.Path {
			if f.Undone == "" && same(f.After, c.Before) {
				f.After, f.Added, f.Removed = c.After, f.Added+c.Added, f.Removed+c.Removed
				return l
			}
			break
		}
	}
	d.Files = append(d.Files, entry{Change: c})
	return l
}

// takenBack adds a taking back and marks what it took back.
func (l ledger) takenBack(e session.Event, data UndoneData) ledger {
	id := "u" + strconv.FormatInt(e.Seq, 10)
	l.Deeds = slices.Clone(l.Deeds)
	d := deed{ID: id, Of: data.Of, At: e.At}
	for _, c := range data.Files {
		d.Files = append(d.Files, entry{Change: c})
		l.mark(data.Of, c.Path, id)
	}
	l.Deeds = append(l.Deeds, d)
	l.Untold = append(slices.Clip(l.Untold), id)
	return l
}

// mark says of a file's changes in a deed who took them back, "" for nobody. What is
// taken back of a taking back stands again. The list of deeds is the caller's own.
func (l ledger) mark(id, path, by string) {
	at := l.find(id)
	if at < 0 {
		return
	}
	d := &l.Deeds[at]
	d.Files = slices.Clone(d.Files)
	for i := range d.Files {
		if d.Files[i].Path == path {
			d.Files[i].Undone = by
		}
	}
	switch {
	case d.Of == "":
	case by == "":
		l.mark(d.Of, path, d.ID)
	default:
		l.mark(d.Of, path, "")
	}
}

func (l ledger) find(id string) int {
	for i := len(l.Deeds) - 1; i >= 0; i-- {
		if l.Deeds[i].ID == id {
			return i
		}
	}
	return -1
}

// last gives the newest deed that still stands for one of the files, for any where
// none is named: a turn's, or with redo the taking back of a turn's. Turn 0 is any.
func (l ledger) last(redo bool, turn int, paths []string) (deed, bool) {
	stands := func(f entry) bool { return f.Undone == "" && (len(paths) == 0 || slices.Contains(paths, f.Path)) }
	for _, d := range slices.Backward(l.Deeds) {
		of := d
		if redo {
			at := l.find(d.Of)
			if at < 0 {
				continue
			}
			of = l.Deeds[at]
		}
		if fits := of.Of == "" && (turn == 0 || of.Turn == turn); fits && slices.ContainsFunc(d.Files, stands) {
			return d, true
		}
	}
	return deed{}, false
}

func turnID(turn int) string { return "t" + strconv.Itoa(turn) }

// same reports whether two states of a file are one: the same bytes, or no file.
func same(a, b *session.BlobRef) bool {
	return a == nil && b == nil || a != nil && b != nil && a.SHA256 == b.SHA256
}
