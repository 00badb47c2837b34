package undo

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/tool/file"
)

// Words for why a file cannot be put back.
const (
	WhyChanged = "changed" // somebody changed the same lines since; Lines says which
	WhyGone    = "gone"    // the file was deleted since
	WhyBack    = "back"    // there is a file again where the deed had deleted one
	WhyBinary  = "binary"  // it was changed since and is no text that could be merged
	WhyClosed  = "closed"  // it cannot be reached or replaced; Text says why
)

// Refusal is a file that cannot be put back, and why. Nothing of it was changed.
type Refusal struct {
	Path  string  `json:"path"` // as shown
	Why   string  `json:"why"`
	Lines []Clash `json:"lines,omitempty"`
	Text  string  `json:"text"`
}

// body is what a file holds; there is false where there is none.
type body struct {
	raw   []byte
	there bool
}

func (b body) equal(o body) bool { return b.there == o.there && bytes.Equal(b.raw, o.raw) }

// step is what is to become of one file.
type step struct {
	path  string
	place *file.Place // nil where its folder is not there any more
	was   file.Content
	now   body
	shall body
	mode  uint32 // of a file that is made again
	// kept is true where the file held other changes, which stay.
	kept bool
}

// planner works out what files shall hold.
type planner struct {
	log    *session.Log
	anchor string // the session's folder, resolved; "" where it has none
}

// plan works out one file. A refusal is not an error: it says why the file must stay
// as it is. The place of the step stays open.
func (p planner) plan(path string, deeds []entry) (*step, *Refusal, error) {
	s := &step{path: path}
	if err := s.look(p.anchor); err != nil {
		return s, p.closed(path, err), nil
	}
	s.shall = s.now
	for i := len(deeds) - 1; i >= 0; i-- {
		left, err := p.body(deeds[i].After)
		if err != nil {
			return s, nil, err
		}
		wanted, err := p.body(deeds[i].Before)
		if err != nil {
			return s, nil, err
		}
		if deeds[i].After == nil {
			s.mode = deeds[i].Mode
		}
		kept, refused := s.lift(left, wanted)
		if refused != nil {
			refused.Path = p.shown(path)
			refused.Text = refused.sentence()
			return s, refused, nil
		}
		s.kept = s.kept || kept
	}
	return s, nil, nil
}

// look reads what is at the path now.
func (s *step) look(anchor string) error {
	place, err := file.Reach(anchor, s.path, false)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.place = place
	about, err := place.Look()
	if err != nil || about == nil {
		return err
	}
	if err := place.Replaceable(about); err != nil {
		return err
	}
	if s.was, err = place.Read(); err != nil {
		return err
	}
	s.now = body{s.was.Raw, true}
	return nil
}

// lift takes one change out of what the file shall hold: the one from wanted to left.
// kept is true where something else that was changed stays.
func (s *step) lift(left, wanted body) (kept bool, refused *Refusal) {
	switch {
	case s.shall.equal(left):
		s.shall = wanted
		return false, nil
	case s.shall.equal(wanted):
		return false, nil // somebody put it back already
	case !left.there:
		return false, &Refusal{Why: WhyBack}
	case !s.shall.there:
		return false, &Refusal{Why: WhyGone}
	}
	old, ok1 := file.Decode(left.raw)
	now, ok2 := file.Decode(s.shall.raw)
	if !ok1 || !ok2 || old.Code.Name != now.Code.Name || old.BOM != now.BOM {
		return false, &Refusal{Why: WhyBinary}
	}
	if !wanted.there {
		// Whatever differs from what the deed wrote would be lost with the file.
		_, lost := merge(old.Body, now.Body, "")
		return false, &Refusal{Why: WhyChanged, Lines: lost}
	}
	before, ok := file.Decode(wanted.raw)
	if !ok || before.Code.Name != now.Code.Name {
		return false, &Refusal{Why: WhyBinary}
	}
	merged, clashes := merge(old.Body, now.Body, before.Body)
	if clashes != nil {
		return false, &Refusal{Why: WhyChanged, Lines: clashes}
	}
	raw, err := now.Encode(merged)
	if err != nil {
		return false, &Refusal{Why: WhyBinary}
	}
	s.shall.raw = raw
	return true, nil
}

func (p planner) body(ref *session.BlobRef) (body, error) {
	if ref == nil {
		return body{}, nil
	}
	raw, err := p.log.Blob(ref.SHA256)
	if err != nil {
		return body{}, fault.Wrap(fault.KindOf(err), "undo.blob", err, "What stood in a file before is not beside the session's log any more. Nothing was changed.")
	}
	return body{raw, true}, nil
}

func (p planner) shown(path string) string { return shown(p.anchor, path) }

func (p planner) closed(path string, err error) *Refusal {
	r := &Refusal{Path: p.shown(path), Why: WhyClosed, Text: fault.Person(err)}
	if errors.Is(err, fs.ErrPermission) {
		r.Text = p.shown(path) + " may not be opened."
	}
	return r
}

// sentence says a refusal in words.
func (r Refusal) sentence() string {
	switch r.Why {
	case WhyGone:
		return r.Path + " was deleted since."
	case WhyBack:
		return "There is a new " + r.Path + " where the old one was deleted."
	case WhyBinary:
		return r.Path + " was changed since and is no text in which both changes could stand."
	}
	var at []string
	for _, c := range r.Lines {
		at = append(at, c.String())
	}
	return r.Path + " was changed since by somebody else: " + strings.Join(at, ", ") + "."
}

// String names the lines.
func (c Clash) String() string {
	switch {
	case c.To < c.From && c.From == 1:
		return "at its beginning, where lines were deleted"
	case c.To < c.From:
		return fmt.Sprintf("behind line %d, where lines were deleted", c.From-1)
	case c.To == c.From:
		return fmt.Sprintf("line %d", c.From)
	}
	return fmt.Sprintf("lines %d to %d", c.From, c.To)
}
