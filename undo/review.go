package undo

import (
	"slices"
	"strings"

	"fairlead/fault"
	"fairlead/session"
)

// Deed is what a turn, or a taking back, changed in files.
type Deed struct {
	ID string `json:"id"`
	// Turn is set for what a turn changed, Of for what a taking back took back.
	Turn  int    `json:"turn,omitempty"`
	Of    string `json:"of,omitempty"`
	At    int64  `json:"at"` // Unix milliseconds
	Files []File `json:"files"`
}

// File is what became of one file.
type File struct {
	Path string `json:"path"` // as shown
	Full string `json:"full"` // absolute
	// Kind is "changed", "new" or "deleted".
	Kind    string           `json:"kind"`
	Added   int              `json:"added"`   // lines
	Removed int              `json:"removed"` // lines
	Before  *session.BlobRef `json:"before,omitempty"`
	After   *session.BlobRef `json:"after,omitempty"`
	// Undone is the taking back that took it back, "" where it stands.
	Undone string `json:"undone,omitempty"`
	// Unified is the difference; only where one deed was asked for. Several where
	// somebody else changed the file in between follow one another.
	Unified string `json:"unified,omitempty"`
	// Now says what the file is now against what was left: "as-left", "changed" or
	// "gone"; only where one deed was asked for and it stands.
	Now string `json:"now,omitempty"`
}

// List gives every deed of a session, oldest first, without differences.
func List(log *session.Log) ([]Deed, error) {
	l, err := session.StateOf(log, changes)
	if err != nil {
		return nil, err
	}
	anchor := anchorOf(log)
	deeds := make([]Deed, len(l.Deeds))
	for i, d := range l.Deeds {
		deeds[i] = d.shown(anchor)
	}
	return deeds, nil
}

// Review gives one deed with its differences; fault.NotFound where the session has
// none of that id.
func Review(log *session.Log, id string) (Deed, error) {
	l, err := session.StateOf(log, changes)
	if err != nil {
		return Deed{}, err
	}
	at := l.find(id)
	if at < 0 {
		return Deed{}, fault.New(fault.NotFound, "undo.review", "Nothing that changed files with the file tools is called %q in this session.", id)
	}
	p := planner{log: log, anchor: anchorOf(log)}
	shown := l.Deeds[at].shown(p.anchor)
	for i := range shown.Files {
		if err := p.compare(&shown.Files[i], l.Deeds[at]); err != nil {
			return Deed{}, err
		}
	}
	return shown, nil
}

// shown gathers the entries of each file.
func (d deed) shown(anchor string) Deed {
	out := Deed{ID: d.ID, Turn: d.Turn, Of: d.Of, At: d.At, Files: []File{}}
	for _, e := range d.Files {
		i := slices.IndexFunc(out.Files, func(f File) bool { return f.Full == e.Path })
		if i < 0 {
			out.Files = append(out.Files, File{Path: shown(anchor, e.Path), Full: e.Path, Before: e.Before})
			i = len(out.Files) - 1
		}
		f := &out.Files[i]
		f.After, f.Undone, f.Added, f.Removed = e.After, e.Undone, f.Added+e.Added, f.Removed+e.Removed
		switch {
		case f.Before == nil:
			f.Kind = "new"
		case f.After == nil:
			f.Kind = "deleted"
		default:
			f.Kind = "changed"
		}
	}
	return out
}

// compare works out the difference of a file and what became of it.
func (p planner) compare(f *File, d deed) error {
	var all strings.Builder
	f.Added, f.Removed = 0, 0
	for _, e := range d.Files {
		if e.Path != f.Full {
			continue
		}
		before, err := p.body(e.Before)
		if err != nil {
			return err
		}
		after, err := p.body(e.After)
		if err != nil {
			return err
		}
		unified, added, removed := difference(f.Path, before, after)
		all.WriteString(unified)
		f.Added, f.Removed = f.Added+added, f.Removed+removed
	}
	f.Unified = all.String()
	if f.Undone == "" {
		f.Now = p.standing(f)
	}
	return nil
}

// standing says whether a file is still as it was left.
func (p planner) standing(f *File) string {
	s := &step{path: f.Full}
	defer s.close()
	if err := s.look(p.anchor); err != nil {
		return "changed"
	}
	switch {
	case !s.now.there && f.After != nil:
		return "gone"
	case f.After == nil && !s.now.there, f.After != nil && s.was.Sum == f.After.SHA256:
		return "as-left"
	}
	return "changed"
}
