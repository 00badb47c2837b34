package session_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/session"
)

func TestRetentionTakesTheOldestAndSparesWhatIsWanted(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	lib := library(t, dir, func(o *session.Options) { o.Now = func() time.Time { return now } })
	ctx := t.Context()
	made := map[string]session.ID{}
	make := func(name string, age time.Duration, drafts ...session.Draft) *session.Log {
		t.Helper()
		present := now
		now = now.Add(-age)
		log := must(lib.Create(ctx, session.CreatedData{}))(t)
		must(log.Append(ctx, append(drafts, session.Note.New(0, 0, session.NoteData{Text: name}))...))(t)
		now = present
		made[name] = log.ID()
		return log
	}
	day := 24 * time.Hour
	for _, l := range []*session.Log{make("old", 40*day), make("pinned", 50*day, session.Archived.New(0, 0, session.ArchivedData{Pinned: true})), make("fresh", day), make("mid", 10*day)} {
		if err := l.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	open := make("open", 60*day)
	defer open.Close(ctx)

	names := func(swept []session.Swept) []string {
		out := []string{}
		for _, s := range swept {
			for name, id := range made {
				if id == s.ID {
					out = append(out, name+" "+s.Why)
				}
			}
		}
		slices.Sort(out)
		return out
	}
	for _, c := range []struct {
		policy session.Retention
		want   []string
	}{
		{session.Retention{}, []string{}},
		{session.Retention{Age: 30 * day}, []string{"old age"}},
		{session.Retention{Age: 5 * day}, []string{"mid age", "old age"}},
		{session.Retention{Bytes: 1}, []string{"fresh size", "mid size", "old size"}},
		{session.Retention{Bytes: 1 << 30}, []string{}},
	} {
		if diff := cmp.Diff(c.want, names(must(lib.Sweep(ctx, c.policy, true))(t))); diff != "" {
			t.Errorf("%+v: %s", c.policy, diff)
		}
	}
	if list := must(lib.List(ctx))(t); len(list) != 5 {
		t.Fatalf("a dry sweep left %d of 5 sessions", len(list))
	}
	if diff := cmp.Diff([]string{"mid age", "old age"}, names(must(lib.Sweep(ctx, session.Retention{Age: 5 * day}, false))(t))); diff != "" {
		t.Error(diff)
	}
	left := []session.ID{}
	for _, s := range must(lib.List(ctx))(t) {
		left = append(left, s.ID)
	}
	want := []session.ID{made["fresh"], made["open"], made["pinned"]}
	slices.Sort(left)
	slices.Sort(want)
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff)
	}
	if size := must(lib.Size(ctx, made["fresh"]))(t); size <= 0 {
		t.Errorf("a session takes up %d bytes", size)
	}
}
