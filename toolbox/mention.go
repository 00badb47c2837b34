package toolbox

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

const (
	// mentionsShown is how many paths are offered for what was typed after "@".
	mentionsShown = 20
	// mentionsWalked bounds how many entries are looked at for one list of them.
	mentionsWalked = 100_000
)

// offerMentions registers the view of the files that a person may mean.
func offerMentions(f *graph.Fiber) {
	command.RegisterViews(f, command.View{
		Name: "paths", Scope: command.Session, Params: []string{"q"},
		Summary: "Files and folders of the session's folder whose path fits q, the best first; what ignore files leave out is not there.",
		Read: func(ctx context.Context, q command.Query) (any, error) {
			lib, ok := graph.Lookup(f.Realm(), session.LibraryKey)
			if !ok {
				return nil, fault.New(fault.Unavailable, "toolbox.files", "No sessions are kept here, so there is no folder to look into.")
			}
			log, err := lib.Read(ctx, session.ID(q.Session))
			if err != nil {
				return nil, err
			}
			defer log.Close(context.WithoutCancel(ctx))
			paths := []string{}
			if folder := log.Header().Folder; folder != "" {
				paths, err = mentions(ctx, folder, q.Params["q"])
			}
			return map[string]any{"paths": paths}, err
		},
	})
}

// mentions gives the paths below a folder that fit what was typed, the best first;
// folders end with a slash.
func mentions(ctx context.Context, folder, typed string) ([]string, error) {
	type hit struct {
		path string
		rank int
	}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	typed = strings.ToLower(typed)
	hits := make([][]hit, walkers())
	var seen atomic.Int64
	w := &walk{visit: func(worker int, f found) {
		if seen.Add(1) == mentionsWalked {
			enough()
		}
		if rank, ok := fitness(strings.ToLower(f.rel), typed); ok {
			p := f.rel
			if f.entry.IsDir() {
				p += "/"
			}
			hits[worker] = append(hits[worker], hit{p, rank})
		}
	}}
	if _, err := walkFrom(ctx, &tool.Call{Folder: folder}, "", w); err != nil && seen.Load() < mentionsWalked {
		return nil, err
	}
	all := slices.Concat(hits...)
	slices.SortFunc(all, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), cmp.Compare(len(a.path), len(b.path)), cmp.Compare(a.path, b.path))
	})
	paths := []string{}
	for _, h := range all[:min(len(all), mentionsShown)] {
		paths = append(paths, h.path)
	}
	return paths, nil
}

// fitness ranks a path, 0 the best: its name begins with what was typed, holds it, the
// path holds it, or has its letters in their order. Both are in lower case.
func fitness(p, typed string) (rank int, ok bool) {
	name := path.Base(p)
	switch {
	case strings.HasPrefix(name, typed):
		return 0, true
	case strings.Contains(name, typed):
		return 1, true
	case strings.Contains(p, typed):
		return 2, true
	}
	for _, r := range typed {
		at := strings.IndexRune(p, r)
		if at < 0 {
			return 0, false
		}
		p = p[at+1:]
	}
	return 3, true
}
