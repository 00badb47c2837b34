package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/session/storetest"
)

// inMemoryLog makes a session that lives in memory.
func inMemoryLog(t testing.TB) *session.Log {
	t.Helper()
	o := session.Options{Store: &storetest.Memory{}, Version: "test"}
	withSummaries(&o)
	lib := session.NewLibrary(o)
	t.Cleanup(func() {
		if err := lib.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return must(lib.Create(context.Background(), session.CreatedData{}))(t)
}

func note(i int) session.Draft {
	return session.Note.New(0, 0, session.NoteData{Text: fmt.Sprint("note ", i)})
}

func TestAWatchGivesWhatWasAndThenWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := inMemoryLog(t)
		for i := range 3 {
			must(log.Append(ctx, note(i)))(t)
		}
		var mu sync.Mutex
		var got []string
		var wg sync.WaitGroup
		for _, after := range []int64{0, 2, 4} {
			wg.Go(func() {
				for f, err := range log.Watch(ctx, after) {
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					if f.Event != nil {
						got = append(got, fmt.Sprint(after, ":", f.Event.Seq))
					} else {
						got = append(got, fmt.Sprint(after, ":", f.Live.Type))
					}
					mu.Unlock()
				}
			})
		}
		synctest.Wait()
		log.Live(session.Live{Type: "status"})
		must(log.Append(ctx, note(3), note(4)))(t)
		synctest.Wait()
		cancel()
		wg.Wait()
		want := map[string][]string{
			"0": {"0:1", "0:2", "0:3", "0:4", "0:status", "0:5", "0:6"},
			"2": {"2:3", "2:4", "2:status", "2:5", "2:6"},
			"4": {"4:status", "4:5", "4:6"},
		}
		have := map[string][]string{}
		for _, g := range got {
			have[g[:1]] = append(have[g[:1]], g)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("frames (-want +got)\n%s", diff)
		}
	})
}

func TestASlowWatcherLosesLiveFramesNeverEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		log := inMemoryLog(t)
		proceed, stuck := make(chan struct{}), make(chan struct{})
		var seqs []int64
		live := 0
		var wg sync.WaitGroup
		const events, frames = 1000, 1000
		wg.Go(func() {
			for f, err := range log.Watch(ctx, 1) {
				switch {
				case err != nil:
					t.Error(err)
					return
				case f.Live != nil:
					live++
				default:
					if seqs = append(seqs, f.Event.Seq); len(seqs) == 1 {
						close(stuck)
						<-proceed
					}
				}
				if len(seqs) == events {
					return
				}
			}
		})
		synctest.Wait()
		must(log.Append(ctx, note(0)))(t)
		<-stuck
		for i := 1; i < events; i++ {
			for range frames / events {
				log.Live(session.Live{Type: "status"})
			}
			must(log.Append(ctx, note(i)))(t)
		}
		close(proceed)
		wg.Wait()
		for i, s := range seqs {
			if s != int64(i+2) {
				t.Fatalf("event %d is number %d: one was lost or came twice", i, s)
			}
		}
		if live >= frames-1 {
			t.Errorf("%d of %d live frames came: the queue has no bound", live, frames)
		}
	})
}

func TestAWatcherThatFallsBehindAgainAndAgainGetsEveryEventOnce(t *testing.T) {
	ctx := t.Context()
	log := must(library(t, t.TempDir()).Create(ctx, session.CreatedData{}))(t)
	const events = 3000
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			next := int64(2)
			for f, err := range log.Watch(ctx, 1) {
				if err != nil {
					t.Error(err)
					return
				}
				if f.Event == nil {
					continue
				}
				if f.Event.Seq != next {
					t.Errorf("watcher %d got %d, want %d", w, f.Event.Seq, next)
					return
				}
				if next++; next == events+2 {
					return
				}
			}
		})
	}
	for i := 0; i < events; i += 10 {
		var drafts []session.Draft
		for n := range 10 {
			drafts = append(drafts, note(i+n))
		}
		must(log.Append(ctx, drafts...))(t)
	}
	wg.Wait()
}

func TestAWatchEndsWhenTheSessionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		log := inMemoryLog(t)
		var last error
		var seqs []int64
		var wg sync.WaitGroup
		wg.Go(func() {
			for f, err := range log.Watch(ctx, 0) {
				if last = err; err == nil {
					seqs = append(seqs, f.Event.Seq)
				}
			}
		})
		synctest.Wait()
		must(log.Append(ctx, note(0)))(t)
		if err := log.Close(ctx); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		if !fault.Is(last, fault.Unavailable) || len(seqs) != 2 {
			t.Errorf("ended with %v after events %v", last, seqs)
		}
	})
}

func TestAViewerSeesTheSessionThisProcessWrites(t *testing.T) {
	ctx := t.Context()
	lib := library(t, t.TempDir())
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	viewer := must(lib.Read(ctx, log.ID()))(t)
	must(log.Append(ctx, note(1)))(t)
	if viewer.Seq() != 2 {
		t.Errorf("the viewer sees %d events, want 2", viewer.Seq())
	}
	if _, err := viewer.Append(ctx, note(2)); !fault.Is(err, fault.Denied) {
		t.Errorf("a viewer appends: %v, want denied", err)
	}
	if err := viewer.Close(ctx); err != nil {
		t.Fatal(err)
	}
	must(log.Append(ctx, note(3)))(t)
}

func delta(offset int, text string) session.DeltaData {
	return session.DeltaData{Message: "r1", Channel: "text", Offset: int64(offset), Text: text}
}

// packs gives the texts of the delta events in a log.
func packs(t testing.TB, log *session.Log) []string {
	var out []string
	for _, e := range all(t, log, 1) {
		if session.AssistantDelta.Of(e) {
			d := must(session.AssistantDelta.Decode(e))(t)
			out = append(out, fmt.Sprintf("%s@%d:%s", d.Channel, d.Offset, d.Text))
		}
	}
	return out
}

func TestStreamsArePackedByTimeAndSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := inMemoryLog(t)
		offset := 0
		say := func(text string) {
			log.Delta(delta(offset, text))
			offset += len(text)
		}
		say("a")
		time.Sleep(100 * time.Millisecond)
		say("b")
		time.Sleep(149 * time.Millisecond)
		if got := packs(t, log); got != nil {
			t.Errorf("after 249 ms: %v", got)
		}
		time.Sleep(2 * time.Millisecond)
		if diff := cmp.Diff([]string{"text@0:ab"}, packs(t, log)); diff != "" {
			t.Errorf("after 251 ms (-want +got)\n%s", diff)
		}
		time.Sleep(time.Hour)
		big := strings.Repeat("x", 1024)
		for range 5 {
			say(big)
		}
		if diff := cmp.Diff([]string{"text@0:ab", "text@2:" + strings.Repeat(big, 4)}, packs(t, log)); diff != "" {
			t.Errorf("after 4 KiB (-want +got)\n%s", diff)
		}
		log.FlushDeltas(t.Context())
		if got := packs(t, log); len(got) != 3 {
			t.Errorf("after a flush there are %d packs", len(got))
		}
	})
}

func TestAStreamOfManyPiecesCostsFewLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := inMemoryLog(t)
		for i := range 5000 {
			log.Delta(delta(4*i, "word"))
		}
		log.FlushDeltas(t.Context())
		if lines := log.Seq() - 1; lines != 5 {
			t.Errorf("20 KB in 5000 pieces make %d lines, want 5", lines)
		}
	})
}

func TestPacksKeepChannelsApartAndTheOrderOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		log := inMemoryLog(t)
		must(log.Append(ctx, session.StepStart.New(3, 2, struct{}{})))(t)
		log.Delta(session.DeltaData{Message: "r1", Channel: "reasoning", Text: "hm"})
		log.Delta(delta(0, "an"))
		log.Delta(delta(2, "swer"))
		must(log.Append(ctx, note(1)))(t)
		log.Delta(delta(6, " more"))
		must(log.Append(ctx, session.AssistantMessage.New(3, 2, session.AssistantMessageData{ID: "r1", Content: llm.Text("answer more")})))(t)
		var got []string
		for _, e := range all(t, log, 3) {
			got = append(got, fmt.Sprintf("%s %d.%d", e.Type, e.Turn, e.Step))
		}
		want := []string{"assistant/delta 3.2", "assistant/delta 3.2", "note 0.0", "assistant/message 3.2"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got): what a message carries is not packed again\n%s", diff)
		}
	})
}

func TestAWatcherThatComesInTheMiddleOfAStreamMissesNoByte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := inMemoryLog(t)
		want := ""
		say := func(text string) {
			log.Delta(delta(len(want), text))
			want += text
		}
		say("packed already, ")
		log.FlushDeltas(ctx)
		say("pending, ")
		var wg sync.WaitGroup
		got := ""
		wg.Go(func() {
			for f := range log.Watch(ctx, 0) {
				d, ok := session.DeltaData{}, false
				if f.Live != nil {
					d, ok = f.Live.Data.(session.DeltaData)
				} else if session.AssistantDelta.Of(*f.Event) {
					d, ok = must(session.AssistantDelta.Decode(*f.Event))(t), true
				}
				// A viewer drops what it has.
				if have := int64(len(got)) - d.Offset; ok && have >= 0 && have < int64(len(d.Text)) {
					got += d.Text[have:]
				} else if ok && have < 0 {
					t.Errorf("a gap before %d: %q", d.Offset, d.Text)
				}
			}
		})
		synctest.Wait()
		say("live, ")
		synctest.Wait()
		log.FlushDeltas(ctx)
		say("and the end")
		synctest.Wait()
		cancel()
		wg.Wait()
		if got != want {
			t.Errorf("the viewer has %q, want %q", got, want)
		}
	})
}
