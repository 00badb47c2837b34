package task

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
)

// lookEvery is how often the clock and the folder are looked at where nothing is due:
// a clock may be set, a machine may have slept, and another program may save a task.
const lookEvery = 15 * time.Second

// keeper fires what is due. Of several on one folder, one does.
type keeper struct {
	folder *Folder
	// play runs a task to its end and gives the final record. Begun is called once its
	// session is known.
	play func(ctx context.Context, t Task, r Record, begun func(Record)) Record
	log  *slog.Logger
	// slots bound how many runs go on at once.
	slots chan struct{}
	bell  graph.Bell // rung when what the view shows has changed
	nudge chan struct{}

	mu      sync.Mutex
	running map[string]bool
	runs    sync.WaitGroup
	held    *os.File // the lock, while this one fires
	trouble string   // what keeps it from firing, said once
}

func newKeeper(folder *Folder, atOnce int, log *slog.Logger) *keeper {
	return &keeper{folder: folder, log: log, slots: make(chan struct{}, atOnce), nudge: make(chan struct{}, 1), running: map[string]bool{}}
}

// run fires until ctx ends.
func (k *keeper) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait, err := k.round(ctx, time.Now())
		k.complain(err)
		timer := time.NewTimer(min(wait, lookEvery))
		select {
		case <-timer.C:
		case <-k.nudge:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// end returns when no run goes on any more, and lets another keeper fire.
func (k *keeper) end() {
	k.runs.Wait()
	k.release()
}

// look has the keeper look again soon.
func (k *keeper) look() {
	select {
	case k.nudge <- struct{}{}:
	default: // it is about to
	}
	k.bell.Ring()
}

// complain logs what keeps tasks from firing, once for as long as it lasts.
func (k *keeper) complain(err error) {
	text := ""
	if err != nil {
		text = fault.Person(err)
	}
	if text != "" && text != k.trouble {
		k.log.Error("tasks do not fire", "err", err)
	}
	k.trouble = text
}

// acquire makes this keeper the one that fires; ok is false while another is.
func (k *keeper) acquire() (ok bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held != nil {
		return true, nil
	}
	k.held, err = k.folder.hold()
	if k.held == nil || err != nil {
		return false, err
	}
	return true, k.settle()
}

func (k *keeper) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held != nil {
		k.held.Close()
		k.held = nil
	}
}

// settle closes what a host that is gone left open: it is not run again.
func (k *keeper) settle() error {
	list, err := k.folder.List()
	if err != nil {
		return err
	}
	for _, e := range list {
		records, err := k.folder.Records(e.Name)
		if err != nil {
			return err
		}
		for _, r := range records {
			if !r.Final() {
				r.Outcome, r.Text = Stopped, "The host ended in the middle of it. Its session says how far it came."
				if err := k.folder.Note(e.Name, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// round looks at every task once. It gives how long nothing will be due.
func (k *keeper) round(ctx context.Context, now time.Time) (time.Duration, error) {
	list, err := k.folder.List()
	if err != nil || len(list) == 0 {
		return lookEvery, err
	}
	if ok, err := k.acquire(); !ok || err != nil {
		return lookEvery, err
	}
	wait := lookEvery
	var failed error
	for _, e := range list {
		if e.Problem != "" || e.Off {
			continue
		}
		next, err := k.tend(ctx, e, now)
		failed = errors.Join(failed, err)
		wait = min(wait, next)
	}
	return max(wait, time.Millisecond), failed
}

// tend does what is due of one task, and gives how long nothing more will be.
func (k *keeper) tend(ctx context.Context, e Entry, now time.Time) (time.Duration, error) {
	s, err := e.schedule()
	if err != nil {
		return lookEvery, err
	}
	records, err := k.folder.Records(e.Name)
	if err != nil {
		return lookEvery, err
	}
	from := settled(records)
	if e.Saved.After(from) {
		from = e.Saved
	}
	due, missed := e.due(s, from, now)
	if missed != nil {
		if err := k.folder.Note(e.Name, *missed); err != nil {
			return lookEvery, err
		}
		k.bell.Ring()
	}
	if due != nil {
		r := Record{Due: *due, Outcome: Started}
		if late := now.Sub(*due); late > lateAfter {
			r.Late = int64(late.Seconds())
		}
		if err := k.start(ctx, e.Task, r); err != nil {
			return lookEvery, err
		}
		from = *due
	}
	if next, ok := s.next(later(from, now)); ok {
		return next.Sub(now), nil
	}
	return lookEvery, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// start writes down that a due time fires, and then lets it. One whose task still
// runs is skipped.
func (k *keeper) start(ctx context.Context, t Task, r Record) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running[t.Name] {
		r.Outcome, r.Text = Skipped, "The run before still went on. Nothing was done."
		k.bell.Ring()
		return k.folder.Note(t.Name, r)
	}
	if err := k.folder.Note(t.Name, r); err != nil {
		return err
	}
	k.running[t.Name] = true
	k.runs.Go(func() { k.fire(ctx, t, r) })
	k.bell.Ring()
	return nil
}

// fire runs a task once its turn has come.
func (k *keeper) fire(ctx context.Context, t Task, r Record) {
	select {
	case k.slots <- struct{}{}:
		began := time.Now()
		r.Began = &began
		r = k.play(ctx, t, r, func(open Record) { k.note(t.Name, open) })
		<-k.slots
	case <-ctx.Done():
		r.Outcome, r.Text = Stopped, "The host ended before it began. Nothing was done."
	}
	ended := time.Now()
	r.Ended = &ended
	k.note(t.Name, r)
	k.mu.Lock()
	delete(k.running, t.Name)
	k.mu.Unlock()
	k.look()
}

// note writes a record of a run that goes on or is over.
func (k *keeper) note(name string, r Record) {
	if err := k.folder.Note(name, r); err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.log.Error("what became of a task could not be written down", "task", name, "outcome", r.Outcome, "err", err)
	}
	k.bell.Ring()
}

// now runs a task because a person asked for it. It fails with fault.Conflict where
// it runs already, or another host fires the tasks of this home.
func (k *keeper) now(ctx context.Context, name string) (Record, error) {
	e, err := k.folder.Get(name)
	if err != nil {
		return Record{}, err
	}
	switch ok, err := k.acquire(); {
	case err != nil:
		return Record{}, err
	case !ok:
		return Record{}, fault.New(fault.Conflict, "task.run", "Another process fires the tasks of this home. Nothing was started; ask that one.")
	}
	k.mu.Lock()
	busy := k.running[name]
	k.mu.Unlock()
	if busy {
		return Record{}, fault.New(fault.Conflict, "task.run", "The task %s is running. Nothing was started; wait for its end.", name)
	}
	r := Record{Due: time.Now().Round(0), Asked: true, Outcome: Started}
	return r, k.start(ctx, e.Task, r)
}
