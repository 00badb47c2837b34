package config

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
)

// Live keeps the rows mounted in a graph in step with the files they come from.
type Live struct {
	options Options
	table   Table
	root    *graph.Fiber
	log     *slog.Logger

	reloading sync.Mutex // one at a time

	mu     sync.Mutex
	rows   []Resolved // as mounted
	report Report

	reported graph.Bell
}

// Report is the state of the live configuration.
type Report struct {
	Tree *Tree
	// At is when it was applied; Changed names the rows the last reload touched.
	At      time.Time
	Changed []string
	// Failure is why the last reload changed nothing; nil where it succeeded.
	Failure error
}

// Reloaded is told after each reload that found something to do, whether it succeeded
// or not.
var Reloaded = graph.NewNotify[Report]("config.reloaded", "The configuration was read again; the report says what changed or why nothing did.")

// NewLive starts from a tree and its rows, which the caller mounts below root.
// The options are those the tree was loaded with.
func NewLive(o Options, table Table, root *graph.Fiber, tree *Tree, rows []Resolved) *Live {
	return &Live{options: o, table: table, root: root, log: root.Log(), rows: rows, report: Report{Tree: tree, At: time.Now()}}
}

// Report says what is mounted and whether the last reload failed.
func (l *Live) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.report
}

// Reports yields the report, at once and after each reload, until ctx ends.
func (l *Live) Reports(ctx context.Context) iter.Seq[Report] {
	return graph.Watch(ctx, &l.reported, l.Report)
}

// Reload reads the files again and brings the graph in step, touching only rows that
// changed. Where anything is wrong the last good tree goes on running, the error says
// why, and so does the log. A row that is held (see [graph.Realm.Hold]) delays it.
func (l *Live) Reload(ctx context.Context) error {
	l.reloading.Lock()
	defer l.reloading.Unlock()
	tree, err := Load(l.options)
	var rows []Resolved
	if err == nil {
		rows, err = Resolve(tree.Rows, l.table)
	}
	var edits []graph.Edit
	if err == nil {
		if edits = diff(l.rows, rows); len(edits) > 0 {
			err = l.root.Change(ctx, edits...)
		}
	}
	wasBad := l.Report().Failure != nil
	report := l.settle(tree, rows, edits, err)
	l.reported.Ring()
	if err != nil {
		l.log.Error("configuration not applied; the last good one goes on", "error", err)
		err = fault.Wrap(fault.KindOf(err), "config.reload", err, "The configuration was not applied, the last good one goes on: %s", fault.Person(err))
	} else if len(edits) > 0 {
		l.log.Info("configuration applied", "rows", report.Changed)
	}
	if err != nil || wasBad || len(edits) > 0 {
		Reloaded.Emit(ctx, l.root.Realm(), report)
	}
	return err
}

// settle records the outcome of a reload.
func (l *Live) settle(tree *Tree, rows []Resolved, edits []graph.Edit, err error) Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.report.Failure = err; err != nil {
		return l.report
	}
	for _, w := range tree.Warnings {
		l.log.Warn("patch matches nothing", "warning", w.String())
	}
	l.rows = rows
	l.report = Report{Tree: tree, At: time.Now()}
	for _, e := range edits {
		l.report.Changed = append(l.report.Changed, e.ID)
	}
	return l.report
}

// diff gives the edits that lead from old rows to new ones.
func diff(old, rows []Resolved) []graph.Edit {
	find := func(list []Resolved, id string) (Resolved, bool) {
		i := slices.IndexFunc(list, func(r Resolved) bool { return r.ID == id })
		if i < 0 {
			return Resolved{}, false
		}
		return list[i], true
	}
	var edits []graph.Edit
	for _, o := range old {
		if _, stays := find(rows, o.ID); !stays {
			edits = append(edits, graph.Edit{ID: o.ID, Remove: true})
		}
	}
	for _, r := range rows {
		o, known := find(old, r.ID)
		switch {
		case known && o.Row.same(r.Row):
		case known && o.Plugin == r.Plugin:
			edits = append(edits, graph.Edit{ID: r.ID, Config: r.Values})
		default:
			edits = append(edits, graph.Edit{ID: r.ID, Plugin: &r.Of, Config: r.Values, Rank: r.Rank})
		}
	}
	return edits
}

// Watch looks at the files every so often until ctx ends, and reloads once a change
// has come to rest, so that a file being written is not read half done. What goes
// wrong is in the report and the log.
func (l *Live) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	applied := l.Report().Tree.stamp
	last := applied
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := l.options.stamp()
		if now == last && now != applied {
			applied = now
			// The outcome is recorded and logged by Reload itself.
			_ = l.Reload(ctx)
		}
		last = now
	}
}
