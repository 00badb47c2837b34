package toolbox

import (
	"context"
	"io/fs"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/tool"
	"fairlead/tool/file"
)

// revision is a change of one file, worked out from what is on disk now.
type revision struct {
	place *file.Place
	path  string       // resolved
	was   file.Content // about is nil for a new file
	// before is the text that is there; after is what it shall be and raw its bytes.
	before file.Text
	after  string
	raw    []byte
	remove bool        // the file shall not be there any more
	like   fs.FileInfo // whose mode a new file gets; nil for the usual one

	unified        string
	added, removed int
}

// redactedMark begins what stands in results in the place of a secret.
const redactedMark = "[redacted "

// reviser says what a file shall hold: it sets after and raw.
type reviser func(call *tool.Call, r *revision) error

// plan works out a revision. The place stays open; the caller closes it. Nothing is
// changed, but for folders that are made where create is true.
func plan(call *tool.Call, path string, revise reviser, create bool) (*revision, error) {
	p, err := at(call, path, create)
	if fault.Is(err, fault.NotFound) && !create {
		return planNew(call, path, revise)
	}
	if err != nil {
		return nil, err
	}
	r := &revision{place: p, path: p.Path}
	if err := r.work(call, revise); err != nil {
		p.Close()
		return nil, err
	}
	return r, nil
}

// planNew plans a file whose folder is not there yet.
func planNew(call *tool.Call, path string, revise reviser) (*revision, error) {
	resolved, err := resolve(call, path)
	if err != nil {
		return nil, err
	}
	r := &revision{path: resolved, was: file.Content{Sum: tool.Absent}}
	if err := revise(call, r); err != nil {
		return nil, err
	}
	r.compare(call)
	return r, nil
}

func (r *revision) work(call *tool.Call, revise reviser) error {
	about, err := r.place.Look()
	if err != nil {
		return err
	}
	r.was.Sum = tool.Absent
	if about != nil {
		if r.was, err = r.place.Read(); err != nil {
			return err
		}
		if err := known(call, r.path, r.was); err != nil {
			return err
		}
		text, ok := file.Decode(r.was.Raw)
		if !ok {
			return fault.New(fault.Invalid, "toolbox.change", "%s is binary data, which the file tools do not change. Nothing was changed.", shown(call, r.path)).WithCode(file.CodeBinary)
		}
		r.before = text
		if err := r.place.Replaceable(about); err != nil {
			return err
		}
	}
	if err := revise(call, r); err != nil {
		return err
	}
	// A read shows secrets as marks; writing one back would destroy the secret.
	if strings.Count(r.after, redactedMark) > strings.Count(r.before.Body, redactedMark) {
		return fault.New(fault.Invalid, "toolbox.change", "The new text holds %q…, which stands for a secret that was not shown; it would take the secret's place in %s. Nothing was changed. Change the lines around it with edit.", redactedMark, shown(call, r.path)).WithCode("REDACTED")
	}
	if len(r.raw) > file.MostBytes {
		return fault.New(fault.TooLarge, "toolbox.change", "The new content has %s; files over %s are not written by this tool. Nothing was changed.", file.ByteCount(int64(len(r.raw))), file.ByteCount(file.MostBytes)).WithCode(file.CodeTooLarge)
	}
	r.compare(call)
	return nil
}

// compare works out the difference, as a unified diff with three lines around.
func (r *revision) compare(call *tool.Call) {
	var before, after *string
	if r.was.About != nil {
		before = new(plainEnds(r.before.Body))
	}
	if !r.remove {
		after = new(plainEnds(r.after))
	}
	r.unified, r.added, r.removed = file.Difference(shown(call, r.path), before, after)
}

// plainEnds shows line ends the same way, so that a diff is about words.
func plainEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// planned plans a revision only to look at it.
func planned(call *tool.Call, path string, revise reviser) (*revision, error) {
	r, err := plan(call, path, revise, false)
	if err == nil && r.place != nil {
		r.place.Close()
	}
	return r, err
}

// card shows the whole change.
func (r *revision) card(call *tool.Call) *tool.Card {
	c := &tool.Card{Hero: shown(call, r.path), Binds: map[string]string{r.path: r.was.Sum}}
	switch {
	case r.remove:
		c.Title = "delete-file"
		c.Facts = []tool.Fact{{Key: "card.deletes", Warn: true, Values: map[string]any{"n": lineCount(r.before.Body)}}}
		c.Parts = []tool.CardPart{{Name: "change", Kind: "diff", Path: c.Hero, Text: r.unified}}
	case r.was.About == nil:
		c.Title = "new-file"
		c.Facts = []tool.Fact{{Key: "card.new-file", Values: map[string]any{"n": lineCount(r.after)}}}
		c.Parts = []tool.CardPart{{Name: "new-file", Kind: "text", Path: c.Hero, Text: r.after}}
	default:
		c.Title = "change-file"
		if lines := lineCount(r.before.Body); lines > 0 && r.removed == lines {
			c.Facts = []tool.Fact{{Key: "card.replaces-all", Values: map[string]any{"n": lines}}}
		}
		c.Parts = []tool.CardPart{{Name: "change", Kind: "diff", Path: c.Hero, Text: r.unified}}
	}
	c.Facts = append(c.Facts, where(call, r.path))
	if kept := r.before.Kept(); kept != "" {
		c.Facts = append(c.Facts, tool.Fact{Key: "card.encoding", Values: map[string]any{"name": kept}})
	}
	return c
}

// diffView is what the page shows of a change.
type diffView struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Unified string `json:"unified"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	IsNew   bool   `json:"isNew,omitempty"`
}

func (r *revision) view(call *tool.Call) diffView {
	return diffView{Kind: "diff", Path: shown(call, r.path), Unified: r.unified, Added: r.added, Removed: r.removed, IsNew: r.was.About == nil}
}

// carryOut plans a revision and makes it: what was and what is are kept beside the
// log, the file is replaced, the change is logged.
func carryOut(ctx context.Context, call *tool.Call, path string, revise reviser) (*tool.Result, error) {
	r, err := plan(call, path, revise, true)
	if err != nil {
		return nil, err
	}
	defer r.place.Close()
	return r.carryOut(ctx, call)
}

func (r *revision) carryOut(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	result := &tool.Result{Content: llm.Text(r.said(call)), View: r.view(call)}
	if r.was.About != nil && string(r.raw) == string(r.was.Raw) {
		return result, nil
	}
	if err := r.make(ctx, call, func() error { return confirmed(ctx, call) }); err != nil {
		return nil, err
	}
	result.Changed = []string{r.path}
	return result, nil
}

// make changes the file and logs it.
func (r *revision) make(ctx context.Context, call *tool.Call, confirm func() error) error {
	changed, err := r.keep(ctx, call)
	if err != nil {
		return err
	}
	if r.remove {
		err = r.place.Remove(r.was)
	} else {
		err = r.place.Replace(r.was, r.raw, r.like, confirm)
	}
	if err != nil {
		return err
	}
	return r.logged(ctx, call, changed)
}

// logged writes that a file was changed. A stop must not lose the fact.
func (r *revision) logged(ctx context.Context, call *tool.Call, d tool.FileChangedData) error {
	if _, err := call.Log.Append(context.WithoutCancel(ctx), tool.FileChanged.New(call.Turn, call.Step, d)); err != nil {
		return fault.Wrap(fault.Unavailable, "toolbox.change", err, "%s was changed, but the session's log cannot be written, so the change cannot be taken back from here.", shown(call, r.path))
	}
	return nil
}

// takeBack undoes what make did, as long as the file is what make left.
func (r *revision) takeBack(ctx context.Context, call *tool.Call) error {
	changed, err := r.keep(ctx, call)
	if err != nil {
		return err
	}
	changed.Before, changed.After = changed.After, changed.Before
	changed.Added, changed.Removed = changed.Removed, changed.Added
	now := file.Content{Sum: tool.Absent}
	if !r.remove {
		if now, err = r.place.Read(); err != nil {
			return err
		}
		if now.Sum != file.Sum(r.raw) {
			return file.ChangedMeanwhile(r.path)
		}
	}
	if r.was.About == nil {
		err = r.place.Remove(now)
	} else {
		err = r.place.Replace(now, r.was.Raw, r.was.About, nil)
	}
	if err != nil {
		return err
	}
	return r.logged(ctx, call, changed)
}

// keep puts what was and what will be beside the log.
func (r *revision) keep(ctx context.Context, call *tool.Call) (tool.FileChangedData, error) {
	d := tool.FileChangedData{Call: call.ID, Path: r.path, Mode: 0o666, Added: r.added, Removed: r.removed}
	if r.was.About != nil {
		d.Mode = uint32(r.was.About.Mode().Perm())
		before, err := call.Log.PutBlob(ctx, r.was.Raw)
		if err != nil {
			return d, err
		}
		d.Before = &before
	}
	if r.remove {
		return d, nil
	}
	after, err := call.Log.PutBlob(ctx, r.raw)
	d.After = &after
	return d, err
}

// confirmed asks whether the call is still what was approved and not stopped.
func confirmed(ctx context.Context, call *tool.Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if call.Confirm == nil {
		return nil
	}
	return call.Confirm(ctx)
}
