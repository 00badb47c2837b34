package session_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
)

// optionsFor makes the options of a library over files in a folder.
func optionsFor(dir string) session.Options {
	o := session.Options{Store: store.New(store.Options{Dir: dir}), Version: "test"}
	withSummaries(&o)
	return o
}

// library opens sessions in a folder; they are closed when the test ends.
func library(t testing.TB, dir string, change ...func(*session.Options)) *session.Library {
	t.Helper()
	o := optionsFor(dir)
	for _, f := range change {
		f(&o)
	}
	lib := session.NewLibrary(o)
	t.Cleanup(func() {
		if err := lib.Close(context.Background()); err != nil {
			t.Errorf("closing the library: %v", err)
		}
	})
	return lib
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func said(id, text string) session.UserMessageData {
	return session.UserMessageData{ID: id, Content: llm.Text(text)}
}

// all gives every event from a number on.
func all(t testing.TB, l *session.Log, from int64) []session.Event {
	t.Helper()
	var out []session.Event
	for e, err := range l.Events(from) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestWhatWasAppendedIsReadAgain(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{Folder: "/w"}))(t)
	written := must(log.Append(ctx,
		session.TurnStart.New(1, 0, session.TurnStartData{Mode: "manual"}),
		session.UserMessage.New(1, 0, said("m1", "hello <b> & 世界")),
		session.TurnEnd.New(1, 0, session.TurnEndData{Reason: session.EndReason{Kind: session.EndCompleted}}),
	))(t)
	if err := log.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(written, all(t, log, 2)); diff != "" {
		t.Errorf("live log (-written +read)\n%s", diff)
	}
	surface, id, seq := log.Surface(), log.ID(), log.Seq()
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}

	again := must(library(t, dir).Open(ctx, id))(t)
	if diff := cmp.Diff(written, all(t, again, 2)); diff != "" {
		t.Errorf("reopened log (-written +read)\n%s", diff)
	}
	if diff := cmp.Diff(surface, again.Surface()); diff != "" {
		t.Errorf("surface (-before +after)\n%s", diff)
	}
	if again.Seq() != seq {
		t.Errorf("opening a settled session wrote events up to %d, want %d", again.Seq(), seq)
	}
	if got := again.Header().Folder; got != "/w" {
		t.Errorf("folder = %q", got)
	}
}
