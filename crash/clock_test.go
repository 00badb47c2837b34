//go:build linux

package crash_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/session"
	"fairlead/store"
)

// library opens the sessions of a folder under a clock.
func library(dir string, now *time.Time) *session.Library {
	return session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: dir}), Now: func() time.Time { return *now }})
}

func TestAClockThatGoesBackChangesNothingButTheTimes(t *testing.T) {
	ctx := t.Context()
	p := &place{t: t, home: t.TempDir()}
	dir := filepath.Join(p.home, "sessions")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	lib := library(dir, &now)
	log, err := lib.Create(ctx, session.CreatedData{})
	check(t, err)
	note := func(log *session.Log, text string) {
		t.Helper()
		_, err := log.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: text}))
		check(t, err)
		check(t, log.Flush(ctx))
	}
	note(log, "noon")
	now = now.Add(-3 * time.Hour)
	note(log, "nine")
	check(t, log.Close(ctx))

	// The next process finds the clock at its beginning.
	now = time.Unix(1, 0)
	lib = library(dir, &now)
	log, err = lib.Open(ctx, log.ID())
	check(t, err)
	note(log, "long ago")
	var texts []string
	var seqs []int64
	for e, err := range log.Events(2) {
		check(t, err)
		d, err := session.Note.Decode(e)
		check(t, err)
		texts, seqs = append(texts, d.Text), append(seqs, e.Seq)
	}
	if diff := cmp.Diff([]string{"noon", "nine", "long ago"}, texts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int64{2, 3, 4}, seqs); diff != "" {
		t.Error(diff)
	}
	check(t, log.Close(ctx))
	if report, err := lib.Verify(ctx, log.ID()); err != nil || !report.Valid() {
		t.Errorf("verify: %+v, %v", report, err)
	}
	if _, err := p.readLog(string(log.ID())); err != nil {
		t.Error(err)
	}
	list, err := lib.List(ctx)
	check(t, err)
	if len(list) != 1 || list[0].Problem != "" {
		t.Errorf("the list is %+v", list)
	}
}

func TestAnOpenTurnIsSettledUnderAClockThatWentBack(t *testing.T) {
	ctx := t.Context()
	p := &place{t: t, home: t.TempDir()}
	dir := filepath.Join(p.home, "sessions")
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	log, err := library(dir, &now).Create(ctx, session.CreatedData{})
	check(t, err)
	_, err = log.Append(ctx, session.ActivityStart.New(0, 0, struct{}{}), session.TurnStart.New(1, 0, session.TurnStartData{Mode: "bypass"}),
		session.StepStart.New(1, 1, struct{}{}))
	check(t, err)
	check(t, log.Flush(ctx))
	before, err := p.readLog(string(log.ID()))
	check(t, err)

	// The process is gone without a word: its folder is opened by another, earlier.
	copied := &place{t: t, home: t.TempDir()}
	copyFolder(t, filepath.Join(dir, string(log.ID())), filepath.Join(copied.home, "sessions", string(log.ID())))
	check(t, log.Close(ctx))
	now = now.Add(-time.Hour)
	lib := library(filepath.Join(copied.home, "sessions"), &now)
	again, err := lib.Open(ctx, log.ID())
	check(t, err)
	var ended []session.TurnEndData
	for e, err := range again.Events(int64(len(before.lines)) + 1) {
		check(t, err)
		if session.TurnEnd.Of(e) {
			d, err := session.TurnEnd.Decode(e)
			check(t, err)
			ended = append(ended, d)
		}
	}
	if len(ended) != 1 || ended[0].Reason.Kind != session.EndInterrupted || ended[0].Millis < 0 {
		t.Errorf("the turn ended as %+v", ended)
	}
	check(t, again.Close(ctx))
	if report, err := lib.Verify(ctx, log.ID()); err != nil || !report.Valid() {
		t.Errorf("verify: %+v, %v", report, err)
	}
}
