package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/session"
	"fairlead/store"
)

// What a viewer was shown must outlive a kill of the process: it has been given to
// the system by then, although nobody waited for the disk.
func TestAnEventIsWrittenBeforeAViewerIsShownIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: dir})})
	log, err := lib.Create(ctx, session.CreatedData{})
	check(t, err)
	defer log.Close(context.WithoutCancel(ctx))
	const events = 50
	shown := make(chan int64)
	go func() {
		defer close(shown)
		for f, err := range log.Watch(ctx, 0) {
			if err != nil || f.Event == nil {
				t.Errorf("frame %+v, %v", f, err)
				return
			}
			text, err := os.ReadFile(filepath.Join(dir, string(log.ID()), "log.jsonl"))
			if err != nil || !strings.Contains(string(text), `"h":"`+f.Event.Hash+`"`) {
				t.Errorf("event %d was shown and is not in the file (%v)", f.Event.Seq, err)
			}
			shown <- f.Event.Seq
			if f.Event.Seq == events {
				return
			}
		}
	}()
	<-shown
	for range events - 1 {
		_, err := log.Append(ctx, session.Note.New(0, 0, session.NoteData{Text: "a fact"}))
		check(t, err)
		<-shown
	}
}
