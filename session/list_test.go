package session_test

import (
	"os"
	"testing"

	"fairlead/session"
	"fairlead/store"
)

func TestAListShowsEveryChange(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	lib, other := library(t, dir), library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{Folder: "/w"}))(t)
	title := func(l *session.Library) string {
		t.Helper()
		rows := must(l.List(ctx))(t)
		if len(rows) != 1 || rows[0].Problem != "" {
			t.Fatalf("the list: %+v", rows)
		}
		return rows[0].Title
	}
	rename := func(to string) {
		t.Helper()
		must(log.Append(ctx, session.Titled.New(0, 0, session.TitledData{Title: to, By: "person"})))(t)
	}
	for _, name := range []string{"one", "two"} { // of the same length
		rename(name)
		if got := title(lib); got != name {
			t.Errorf("renamed to %s, the list says %s", name, got)
		}
		if err := log.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		if got := title(other); got != name {
			t.Errorf("renamed to %s, another process's list says %s", name, got)
		}
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if got := title(lib); got != "two" {
		t.Errorf("closed, the list says %s", got)
	}
	if err := lib.Delete(ctx, log.ID()); err != nil {
		t.Fatal(err)
	}
	if rows := must(lib.List(ctx))(t); len(rows) != 0 {
		t.Errorf("deleted, the list says %+v", rows)
	}
}

func TestASessionThatWasKilledBeforeItsFirstEventIsListedWithItsTime(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	id := session.NewID()
	w := must(store.New(store.Options{Dir: dir}).Create(ctx, id))(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	changed := must(os.Stat(logFile(dir, id)))(t).ModTime().UnixMilli()
	rows := must(library(t, dir).List(ctx))(t)
	if len(rows) != 1 || rows[0].Problem != "" || rows[0].At != changed || rows[0].Created != changed {
		t.Errorf("the list: %+v; want the time %d", rows, changed)
	}
}

// BenchmarkList reports what a listing of 1,000 sessions costs, the first time and
// where nothing changed since.
func BenchmarkList(b *testing.B) {
	ctx, dir := b.Context(), b.TempDir()
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: dir})})
	for range 1000 {
		log := must(lib.Create(ctx, session.CreatedData{Folder: "/w"}))(b)
		if err := log.Close(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			fresh := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: dir})})
			must(fresh.List(ctx))(b)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			must(lib.List(ctx))(b)
		}
	})
}
