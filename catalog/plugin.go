package catalog

import (
	"context"
	"strconv"
	"sync"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
)

// Key is where the catalog is found.
var Key = graph.NewKey[*Catalog]("catalog", "finds what was said in any session, and what was used on which day")

// Plugin provides the catalog in a file. While it runs it catches up with the
// sessions on disk and follows every one that is opened; both happen beside the
// start, which waits for neither.
func Plugin(path string) graph.Plugin {
	return graph.Plugin{
		Name:     "catalog",
		Doc:      "an index over all sessions, read off their logs",
		Inject:   []graph.Dependency{graph.Needs(session.LibraryKey)},
		Provides: []graph.AnyKey{Key},
		Apply: func(f *graph.Fiber, _ any) error {
			lib, err := graph.Get(f, session.LibraryKey)
			if err != nil {
				return err
			}
			c := New(Options{Path: path, Library: lib, Log: f.Log()})
			var work sync.WaitGroup
			f.Effect("catalog", func(context.Context) error {
				work.Wait()
				return c.Close()
			})
			session.Opened.On(f, func(_ context.Context, id session.ID) {
				work.Go(func() { c.followOpened(f.Context(), id) })
			})
			for _, id := range lib.Opened() {
				work.Go(func() { c.followOpened(f.Context(), id) })
			}
			work.Go(func() { c.told(f.Context(), c.CatchUp(f.Context())) })
			c.offer(f)
			return graph.Provide(f, Key, c)
		},
	}
}

func (c *Catalog) followOpened(ctx context.Context, id session.ID) {
	log, err := c.opt.Library.Read(ctx, id)
	if err == nil {
		err = c.Follow(ctx, log)
		defer log.Close(context.WithoutCancel(ctx))
	}
	c.told(ctx, err)
}

// told keeps a failure for the operator: the catalog is derived, so that nothing is
// lost and the next catching-up mends it.
func (c *Catalog) told(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		c.opt.Log.Warn("the catalog is behind", "error", err)
	}
}

// offer registers what people see of the catalog.
func (c *Catalog) offer(f *graph.Fiber) {
	command.RegisterViews(f,
		command.View{Name: "search", Scope: command.Host, Summary: "what was said in any session", Params: []string{"q", "archived", "session", "limit"}, Read: c.searchView},
		command.View{Name: "usage", Scope: command.Host, Summary: "tokens by day and model", Params: []string{"days"}, Read: c.usageView})
}

func (c *Catalog) searchView(ctx context.Context, q command.Query) (any, error) {
	limit, err := number(q.Params["limit"], 50)
	if err != nil {
		return nil, err
	}
	hits, err := c.Search(ctx, Query{Words: q.Params["q"], Archived: q.Params["archived"] == "true", Session: session.ID(q.Params["session"]), Limit: min(limit, 500)})
	return struct {
		Hits []Hit `json:"hits"`
	}{hits}, err
}

func (c *Catalog) usageView(ctx context.Context, q command.Query) (any, error) {
	days, err := number(q.Params["days"], 30)
	if err != nil {
		return nil, err
	}
	list, err := c.Days(ctx, days)
	return struct {
		Days []Day `json:"days"`
	}{list}, err
}

func number(text string, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fault.New(fault.Invalid, "catalog.view", "%q is no positive number. Nothing was looked up.", text)
	}
	return n, nil
}
