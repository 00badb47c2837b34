package toolbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed apply_patch.md
var patchText string

// patcher is the tool apply_patch.
type patcher struct{}

func (patcher) Schema() llm.ToolSchema {
	return schema("apply_patch", patchText, `{"type":"object","properties":{"patch":{"type":"string"}},"required":["patch"],"additionalProperties":false}`)
}

func (patcher) files(call *tool.Call) ([]filePatch, error) {
	var a struct{ Patch string }
	if err := call.Decode(&a); err != nil {
		return nil, err
	}
	return parsePatch(a.Patch)
}

func (patcher) ReadOnly(*tool.Call) bool { return false }

func (p patcher) Present(call *tool.Call) session.Present {
	files, err := p.files(call)
	if err != nil {
		return session.Present{Verb: "change", What: "files"}
	}
	shown := presentPath(call, "change", files[0].path)
	if more := len(files) - 1; more > 0 {
		var all []string
		for _, f := range files {
			all = append(all, asked(call, f.path))
		}
		shown.What += fmt.Sprintf(" and %d more", more)
		shown.Full = strings.Join(all, "\n")
	}
	return shown
}

func (p patcher) Touches(call *tool.Call) []tool.Touch {
	files, err := p.files(call)
	if err != nil {
		return nil // such a call does not run
	}
	var list []tool.Touch
	for _, f := range files {
		list = append(list, touches(call, f.path, true)...)
		if f.moveTo != "" {
			list = append(list, touches(call, f.moveTo, true)...)
		}
	}
	return list
}

func (p patcher) Check(_ context.Context, call *tool.Call) error {
	plans, err := p.plan(call, false)
	plans.close()
	return err
}

func (p patcher) Card(_ context.Context, call *tool.Call) (*tool.Card, error) {
	plans, err := p.plan(call, false)
	defer plans.close()
	if err != nil {
		return nil, err
	}
	card := plans[0].card(call)
	for _, r := range plans[1:] {
		next := r.card(call)
		card.Title = "change-file"
		card.Hero += "\n" + next.Hero
		card.Parts = append(card.Parts, next.Parts...)
		card.Facts = mergeFacts(card.Facts, next.Facts)
		for path, id := range next.Binds {
			card.Binds[path] = id
		}
	}
	return card, nil
}

// mergeFacts keeps of several files' facts those that warn, and the place they are in.
func mergeFacts(all, more []tool.Fact) []tool.Fact {
	var kept []tool.Fact
	seen := map[string]bool{}
	for _, f := range append(all, more...) {
		if (f.Warn || f.Key == "card.inside") && !seen[f.Key] {
			seen[f.Key] = true
			kept = append(kept, f)
		}
	}
	if seen["card.outside"] {
		kept = dropFact(kept, "card.inside")
	}
	return kept
}

func dropFact(facts []tool.Fact, key string) []tool.Fact {
	var kept []tool.Fact
	for _, f := range facts {
		if f.Key != key {
			kept = append(kept, f)
		}
	}
	return kept
}

// revisions are the planned changes of several files.
type revisions []*revision

func (rs revisions) close() {
	for _, r := range rs {
		if r.place != nil {
			r.place.Close()
		}
	}
}

// plan works out every file of the patch; an error in one is the error of all.
func (p patcher) plan(call *tool.Call, create bool) (revisions, error) {
	files, err := p.files(call)
	if err != nil {
		return nil, err
	}
	var plans revisions
	for _, f := range files {
		more, err := f.plan(call, create)
		plans = append(plans, more...)
		if err != nil {
			return plans, numberedFile(err, call, f.path, len(files))
		}
	}
	return plans, nil
}

// plan works out one file: a change, a new file, a deletion, or for a file that
// moves a new one and a deletion.
func (f filePatch) plan(call *tool.Call, create bool) (revisions, error) {
	if f.moveTo == "" {
		r, err := plan(call, f.path, f.revise, create && f.create)
		if err != nil {
			return nil, err
		}
		return revisions{r}, nil
	}
	old, err := plan(call, f.path, filePatch{remove: true}.revise, false)
	if err != nil {
		return nil, err
	}
	moved, err := plan(call, f.moveTo, func(call *tool.Call, r *revision) error {
		if r.was.About != nil {
			return exists(call, r.path)
		}
		body, err := f.apply(old.before.Body)
		if err != nil {
			return err
		}
		r.after, r.like = body, old.was.About
		r.raw, err = old.before.Encode(body)
		return err
	}, create)
	if err != nil {
		return revisions{old}, err
	}
	return revisions{moved, old}, nil
}

func exists(call *tool.Call, path string) error {
	return fault.New(fault.Conflict, "toolbox.patch", "%s exists already, so it cannot be made. Nothing was changed. Use an update of it.", shown(call, path)).WithCode("EXISTS")
}

// revise makes the hunks.
func (f filePatch) revise(call *tool.Call, r *revision) error {
	if f.create {
		if r.was.About != nil {
			return exists(call, r.path)
		}
		r.after = f.newContent()
		r.raw = []byte(r.after)
		return nil
	}
	if r.was.About == nil {
		return withNeighbours(call, f.path, fault.New(fault.NotFound, "toolbox.patch", "%s does not exist.", shown(call, r.path)))
	}
	if f.remove {
		r.remove = true
		return nil
	}
	body, err := f.apply(r.before.Body)
	if err != nil {
		return err
	}
	r.after = body
	r.raw, err = r.before.Encode(body)
	return err
}

// numberedFile says in which of several files of a patch something is wrong.
func numberedFile(err error, call *tool.Call, path string, of int) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || of == 1 {
		return err
	}
	again := *e
	again.Text = fmt.Sprintf("%s: %s Nothing of the patch was applied.", shownAsked(call, path), e.Text)
	return &again
}

func (p patcher) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	plans, err := p.plan(call, true)
	defer plans.close()
	if err != nil {
		return nil, err
	}
	// Confirmed once, before anything: afterwards the files are no longer what was approved.
	if err := confirmed(ctx, call); err != nil {
		return nil, err
	}
	var said []string
	result := &tool.Result{}
	view := plans[0].view(call)
	view.Unified, view.Added, view.Removed = "", 0, 0
	for i, r := range plans {
		if err := r.make(ctx, call, nil); err != nil {
			return nil, errors.Join(err, plans[:i].undo(context.WithoutCancel(ctx), call))
		}
		said = append(said, r.said(call))
		result.Changed = append(result.Changed, r.path)
		view.Unified += r.unified
		view.Added += r.added
		view.Removed += r.removed
	}
	result.Content, result.View = llm.Text(strings.Join(said, "\n")), view
	return result, nil
}

// undo takes back what was made, in reverse order. What cannot be taken back is
// named in the error.
func (rs revisions) undo(ctx context.Context, call *tool.Call) error {
	var failed []error
	for i := len(rs) - 1; i >= 0; i-- {
		if err := rs[i].takeBack(ctx, call); err != nil {
			failed = append(failed, fmt.Errorf("%s was changed and could not be changed back: %w", shown(call, rs[i].path), err))
		}
	}
	return errors.Join(failed...)
}
