package undo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

// CodeClash is the code of a taking back that somebody else's change stands against.
// The error's Values have the [Refusal] of every such file under "files".
const CodeClash = "UNDO_CLASH"

// Wish is what is to be taken back.
type Wish struct {
	// Turn is the turn whose changes; 0 is the last one that still has some.
	Turn int `json:"turn,omitempty"`
	// Redo takes the last taking back back instead, of that turn where one is named.
	Redo bool `json:"redo,omitempty"`
	// Files are those to take back, absolute or from the session's folder; none is all.
	Files []string `json:"files,omitempty"`
}

// Done is what was taken back.
type Done struct {
	// Undo is the id of the taking back itself, Of that of what it took back.
	Undo string `json:"undo"`
	Of   string `json:"of"`
	Turn int    `json:"turn,omitempty"`
	// Files are in the order in which they were written.
	Files []DoneFile `json:"files"`
}

// DoneFile is what became of one file.
type DoneFile struct {
	Path string `json:"path"` // as shown
	// Now is "restored", "merged" (it held other changes, which are kept), "made",
	// "deleted", or "as-was" where somebody had put it back already.
	Now string `json:"now"`
}

// Take takes changes back: all of them or, where one cannot be (fault.Conflict,
// [CodeClash]), none. The caller has the session's log for writing and sees to it
// that no turn runs.
func Take(ctx context.Context, log *session.Log, w Wish) (*Done, error) {
	l, err := session.StateOf(log, changes)
	if err != nil {
		return nil, err
	}
	p := planner{log: log, anchor: anchorOf(log)}
	named := p.named(w.Files)
	d, err := l.wished(w, named)
	if err != nil {
		return nil, err
	}
	paths, err := p.chosen(d, named)
	if err != nil {
		return nil, err
	}
	steps, err := p.steps(d, paths)
	defer func() {
		for _, s := range steps {
			s.close()
		}
	}()
	if err != nil {
		return nil, err
	}
	data, err := record(ctx, log, d.ID, steps)
	if err != nil {
		return nil, err
	}
	if err := carryOut(p.anchor, steps); err != nil {
		return nil, err
	}
	return p.logged(context.WithoutCancel(ctx), d, steps, data)
}

// named gives the absolute paths of files as a person names them.
func (p planner) named(files []string) []string {
	paths := make([]string, len(files))
	for i, name := range files {
		if paths[i] = filepath.Clean(name); !filepath.IsAbs(paths[i]) {
			paths[i] = filepath.Join(p.anchor, paths[i])
		}
	}
	return paths
}

// wished finds the deed to take back.
func (l ledger) wished(w Wish, paths []string) (deed, error) {
	if w.Turn == 0 || w.Redo {
		d, ok := l.last(w.Redo, w.Turn, paths)
		switch {
		case ok:
			return d, nil
		case w.Redo:
			return d, fault.New(fault.NotFound, "undo.find", "Nothing is taken back that could be brought back. No file was changed.")
		}
		return d, fault.New(fault.NotFound, "undo.find", "There are no changes of files that could be taken back. No file was changed; see what was done with: fairlead session diff.")
	}
	at := l.find(turnID(w.Turn))
	if at < 0 {
		return deed{}, fault.New(fault.NotFound, "undo.find", "Turn %d changed no file with the file tools. No file was changed; see which turns did with: fairlead session diff.", w.Turn)
	}
	return l.Deeds[at], nil
}

// chosen gives the paths to take back, the last changed first.
func (p planner) chosen(d deed, named []string) ([]string, error) {
	var all, open []string
	for _, f := range slices.Backward(d.Files) {
		if !slices.Contains(all, f.Path) {
			all = append(all, f.Path)
		}
		if f.Undone == "" && !slices.Contains(open, f.Path) {
			open = append(open, f.Path)
		}
	}
	for _, path := range named {
		if !slices.Contains(all, path) {
			return nil, fault.New(fault.NotFound, "undo.file", "%s is none of the files that were changed there. No file was changed.", p.shown(path))
		}
	}
	if len(named) > 0 {
		open = slices.DeleteFunc(open, func(path string) bool { return !slices.Contains(named, path) })
	}
	if len(open) == 0 {
		return nil, fault.New(fault.Conflict, "undo.file", "That was taken back already. No file was changed; bring it back with redo.").WithCode("UNDONE_ALREADY")
	}
	return open, nil
}

// steps plans every file; if one is refused, all are.
func (p planner) steps(d deed, paths []string) (steps []*step, err error) {
	var refusals []Refusal
	for _, path := range paths {
		deeds := slices.DeleteFunc(slices.Clone(d.Files), func(f entry) bool { return f.Path != path || f.Undone != "" })
		s, refused, err := p.plan(path, deeds)
		steps = append(steps, s)
		if err != nil {
			return steps, err
		}
		if refused != nil {
			refusals = append(refusals, *refused)
		}
	}
	if refusals == nil {
		return steps, nil
	}
	var text []string
	for _, r := range refusals {
		text = append(text, r.Text)
	}
	clash := fault.New(fault.Conflict, "undo.plan", "%s Nothing was taken back. %s", strings.Join(text, " "), advice(len(paths) > len(refusals))).WithCode(CodeClash)
	clash.Values = map[string]any{"files": refusals}
	return steps, clash
}

func advice(others bool) string {
	if others {
		return "Take the other files back by name, or put those lines right by hand."
	}
	return "Look at the difference and put those lines right by hand."
}

// record keeps what was and what will be beside the log.
func record(ctx context.Context, log *session.Log, of string, steps []*step) (UndoneData, error) {
	data := UndoneData{Of: of}
	keep := func(b body) (*session.BlobRef, error) {
		if !b.there {
			return nil, nil
		}
		ref, err := log.PutBlob(ctx, b.raw)
		return &ref, err
	}
	for _, s := range steps {
		c := Change{Path: s.path, Mode: s.mode, Merged: s.kept}
		if s.was.About != nil {
			c.Mode = uint32(s.was.About.Mode().Perm())
		}
		var err1, err2 error
		c.Before, err1 = keep(s.now)
		c.After, err2 = keep(s.shall)
		if err := errors.Join(err1, err2); err != nil {
			return data, err
		}
		_, c.Added, c.Removed = difference("", s.now, s.shall)
		data.Files = append(data.Files, c)
	}
	return data, log.Flush(ctx)
}

// carryOut writes every file, or puts back those it wrote.
func carryOut(anchor string, steps []*step) error {
	for i, s := range steps {
		if err := s.write(anchor, s.was, s.now, s.shall); err != nil {
			err = fault.Wrap(fault.KindOf(err), "undo.write", err, "%s Nothing was taken back.", fault.Person(err))
			for _, done := range slices.Backward(steps[:i]) {
				if back := done.restore(anchor); back != nil {
					err = fault.Wrap(fault.KindOf(err), "undo.write", errors.Join(err, back), "%s %s was written already and could not be put back; look at it.", fault.Person(err), done.path)
				}
			}
			return err
		}
	}
	return nil
}

// write makes a file hold something else than it does.
func (s *step) write(anchor string, was file.Content, now, shall body) error {
	if now.equal(shall) {
		return nil
	}
	if s.place == nil {
		place, err := file.Reach(anchor, s.path, true)
		if err != nil {
			return err
		}
		s.place = place
	}
	if !shall.there {
		return s.place.Remove(was)
	}
	return s.place.Replace(was, shall.raw, permissions(s.mode), nil)
}

// restore undoes write, where the file is as write left it.
func (s *step) restore(anchor string) error {
	if s.now.equal(s.shall) {
		return nil
	}
	var left file.Content
	if s.shall.there {
		var err error
		if left, err = s.place.Read(); err != nil {
			return err
		}
		if !s.shall.equal(body{left.Raw, true}) {
			return file.ChangedMeanwhile(s.path)
		}
	}
	if s.was.About != nil {
		s.mode = uint32(s.was.About.Mode().Perm())
	}
	return s.write(anchor, left, s.shall, s.now)
}

func (s *step) close() {
	if s.place != nil {
		s.place.Close()
	}
}

// logged writes what was taken back; where the log refuses, the files are put back.
func (p planner) logged(ctx context.Context, d deed, steps []*step, data UndoneData) (*Done, error) {
	events, err := p.log.Append(ctx, Undone.New(0, 0, data))
	if err != nil {
		for _, s := range slices.Backward(steps) {
			err = errors.Join(err, s.restore(p.anchor))
		}
		return nil, fault.Wrap(fault.Unavailable, "undo.log", err, "The session's log cannot be written, so nothing was taken back.")
	}
	done := &Done{Undo: fmt.Sprintf("u%d", events[0].Seq), Of: d.ID, Turn: d.Turn}
	for _, s := range steps {
		done.Files = append(done.Files, DoneFile{p.shown(s.path), s.became()})
	}
	return done, p.log.Flush(ctx)
}

func (s *step) became() string {
	switch {
	case s.now.equal(s.shall):
		return "as-was"
	case !s.shall.there:
		return "deleted"
	case !s.now.there:
		return "made"
	case s.kept:
		return "merged"
	}
	return "restored"
}

// anchorOf is the session's folder with links resolved, "" where it has none.
func anchorOf(log *session.Log) string {
	folder := log.Header().Folder
	if folder == "" {
		return ""
	}
	resolved, err := tool.Resolve(folder)
	if err != nil {
		return ""
	}
	return resolved
}

// shown writes a path the way people name it: from the session's folder down, whole
// where it is elsewhere.
func shown(anchor, path string) string {
	if anchor != "" && tool.Within(anchor, path) {
		if relative, err := filepath.Rel(anchor, path); err == nil {
			return relative
		}
	}
	return path
}

// difference is a unified diff of two states of a file, with its counts. Bytes that
// are no text are not compared.
func difference(name string, from, to body) (unified string, added, removed int) {
	old, ok1 := file.Decode(from.raw)
	replacement, ok2 := file.Decode(to.raw)
	if !ok1 || !ok2 {
		return "", 0, 0
	}
	return file.Difference(name, side(from, old.Body), side(to, replacement.Body))
}

// side is one side of a difference; nil is no file.
func side(b body, text string) *string {
	if !b.there {
		return nil
	}
	return &text
}

// permissions stand for a file that has these permission bits and is nobody's.
type permissions uint32

func (permissions) Name() string        { return "" }
func (permissions) Size() int64         { return 0 }
func (p permissions) Mode() fs.FileMode { return fs.FileMode(p).Perm() }
func (permissions) ModTime() time.Time  { return time.Time{} }
func (permissions) IsDir() bool         { return false }
func (permissions) Sys() any            { return nil }
