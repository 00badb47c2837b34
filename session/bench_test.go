package session_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
)

// stepDrafts are the events of one step as the agent writes them, in its batches.
func stepDrafts() [][]session.Draft {
	text := "The tests pass now. Next I look at the file that holds the parser and change the way it reads numbers."
	return [][]session.Draft{
		{session.StepStart.New(3, 2, struct{}{})},
		{session.RequestHeader.New(3, 2, session.RequestHeaderData{Request: 7, Route: "local/model", Model: "model", Wire: "chat", Surface: 120, System: fmt.Sprintf("%064d", 1), Tools: fmt.Sprintf("%064d", 2), Body: fmt.Sprintf("%064d", 3), Bytes: 45000})},
		{session.AssistantMessage.New(3, 2, session.AssistantMessageData{ID: "r7", Content: llm.Text(text), Finish: llm.FinishCalls, Usage: &llm.Usage{Input: 11000, Cached: 10000, Output: 80},
			Calls: []llm.Call{{ID: "call_7", Name: "shell", Arguments: `{"command":"go test ./parser/..."}`}}})},
		{session.ToolCall.New(3, 2, session.ToolCallData{Call: "c7", ModelID: "call_7", Caller: "model", Tool: "shell", Arguments: `{"command":"go test ./parser/..."}`, Present: session.Present{Verb: "run", What: "go test ./parser/..."}})},
		{session.Note.New(3, 2, session.NoteData{Text: "allowed by rule go-test in this project", Key: "approval.rule"})},
		{session.ToolStarted.New(3, 2, session.ToolStartedData{Call: "c7"})},
		{session.ToolProgress.New(3, 2, session.ToolProgressData{Call: "c7", Text: "ok  \tproject/parser\t0.412s\n"})},
		{session.ToolResult.New(3, 2, session.ToolResultData{Call: "c7", ModelID: "call_7", Content: llm.Text("ok  \tproject/parser\t0.412s\nok  \tproject/lexer\t0.120s\n" + text + text), Millis: 431})},
		{session.Injected.New(3, 2, session.InjectedData{ID: "i", Source: "files", Text: "The file parser.go was changed by the person."})},
		{session.StepEnd.New(3, 2, struct{}{})},
	}
}

// cpu reports the processor time of the process for each operation, which other
// work on the machine disturbs less than the clock.
func cpu(b *testing.B) (report func()) {
	used := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return u.Utime.Nano() + u.Stime.Nano()
	}
	before := used()
	return func() { b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op") }
}

func benchLog(b *testing.B) (*session.Log, string) {
	b.Helper()
	dir := b.TempDir()
	lib := session.NewLibrary(session.Options{Store: store.New(store.Options{Dir: dir})})
	b.Cleanup(func() { lib.Close(context.Background()) })
	return must(lib.Create(context.Background(), session.CreatedData{}))(b), dir
}

// BenchmarkAppend is the cost of one event without a barrier, beside writing the
// same bytes through a buffered writer: bytes that are there already, and bytes that
// encoding/json makes of the same event.
func BenchmarkAppend(b *testing.B) {
	ctx := context.Background()
	steps := stepDrafts()
	log, dir := benchLog(b)
	for _, d := range steps {
		must(log.Append(ctx, d...))(b)
	}
	events := all(b, log, 2)
	if err := log.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	lines := bytes.SplitAfter(bytesOf(b, logFile(dir, log.ID())), []byte{'\n'})[1 : len(events)+1]

	buffered := func(b *testing.B, write func(w *bufio.Writer, i int)) {
		f := must(os.Create(filepath.Join(b.TempDir(), "log")))(b)
		defer f.Close()
		w := bufio.NewWriterSize(f, 64<<10)
		b.ReportAllocs()
		report := cpu(b)
		i := 0
		for b.Loop() {
			write(w, i%len(events))
			i++
		}
		report()
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("buffered-writer-ready-bytes", func(b *testing.B) {
		buffered(b, func(w *bufio.Writer, i int) { w.Write(lines[i]) })
	})
	b.Run("buffered-writer-json", func(b *testing.B) {
		buffered(b, func(w *bufio.Writer, i int) {
			line := events[i]
			data, err := json.Marshal(steps[i][0].Data)
			if err != nil {
				b.Fatal(err)
			}
			line.Data = data
			out, err := json.Marshal(line)
			if err != nil {
				b.Fatal(err)
			}
			w.Write(out)
			w.WriteByte('\n')
		})
	})
	b.Run("log", func(b *testing.B) {
		log, _ := benchLog(b)
		b.ReportAllocs()
		defer cpu(b)()
		i := 0
		for b.Loop() {
			if _, err := log.Append(ctx, steps[i%len(steps)]...); err != nil {
				b.Fatal(err)
			}
			i++
		}
	})
}

// BenchmarkStep is what the log costs a step: ten appends and two barriers, beside
// two writes with a barrier each that nobody shares.
func BenchmarkStep(b *testing.B) {
	ctx := context.Background()
	steps := stepDrafts()
	b.Run("log", func(b *testing.B) {
		log, _ := benchLog(b)
		b.ReportAllocs()
		defer cpu(b)()
		for b.Loop() {
			for i, d := range steps {
				if _, err := log.Append(ctx, d...); err != nil {
					b.Fatal(err)
				}
				if i == 1 || i == 5 {
					if err := log.Flush(ctx); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
	b.Run("log-without-barriers", func(b *testing.B) {
		log, _ := benchLog(b)
		b.ReportAllocs()
		defer cpu(b)()
		for b.Loop() {
			for _, d := range steps {
				if _, err := log.Append(ctx, d...); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("bare-writes-with-barriers", func(b *testing.B) {
		f := must(os.Create(filepath.Join(b.TempDir(), "log")))(b)
		defer f.Close()
		half := make([]byte, 1500)
		for b.Loop() {
			for range 2 {
				f.Write(half)
				if err := syscall.Fdatasync(int(f.Fd())); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkBarrier has many sessions wait for the disk at the same time. It reports
// syncs and rounds for each wait.
func BenchmarkBarrier(b *testing.B) {
	for _, sessions := range []int{1, 4, 16, 50} {
		b.Run(fmt.Sprint(sessions, "-sessions"), func(b *testing.B) {
			ctx := context.Background()
			files := store.New(store.Options{Dir: b.TempDir()})
			lib := session.NewLibrary(session.Options{Store: files})
			defer lib.Close(ctx)
			var logs []*session.Log
			for range sessions {
				logs = append(logs, must(lib.Create(ctx, session.CreatedData{}))(b))
			}
			syncs, rounds := files.Syncs()
			waits := 0
			for b.Loop() {
				var wg sync.WaitGroup
				for _, l := range logs {
					wg.Go(func() {
						if _, err := l.Append(ctx, note(1)); err != nil {
							b.Error(err)
						}
						if err := l.Flush(ctx); err != nil {
							b.Error(err)
						}
					})
				}
				wg.Wait()
				waits += sessions
			}
			s, r := files.Syncs()
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(waits), "µs/wait")
			b.ReportMetric(float64(s-syncs)/float64(waits), "syncs/wait")
			b.ReportMetric(float64(r-rounds)/float64(waits), "rounds/wait")
		})
	}
}

// plain are the options of a library that folds nothing but what every session has.
func plain(dir string) session.Options {
	return session.Options{Store: store.New(store.Options{Dir: dir}), Kinds: session.NewKindTable(session.Kinds(), []session.AnyKind{summary})}
}

// lengths are the numbers of events at which growth is shown.
var lengths = []int64{1_000, 10_000, 100_000, 1_000_000}

// longSessions keeps what was recorded for one run of the benchmarks.
var longSessions sync.Map

func longSession(b *testing.B, n int64) (dir string, id session.ID) {
	b.Helper()
	if have, ok := longSessions.Load(n); ok {
		return have.(*longRecord).dir, have.(*longRecord).id
	}
	dir = must(os.MkdirTemp("", "fairlead-bench"))(b)
	r := &longRecord{dir: dir, id: recorded(b, dir, n, func(c *conversation) { c.big, c.keep = 2, 20 })}
	longSessions.Store(n, r)
	return r.dir, r.id
}

type longRecord struct {
	dir string
	id  session.ID
}

// BenchmarkOpen opens sessions of growing length for writing with their checkpoint.
func BenchmarkOpen(b *testing.B) {
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := context.Background()
			dir, id := longSession(b, n)
			lib := session.NewLibrary(plain(dir))
			b.ReportAllocs()
			for b.Loop() {
				l := must(lib.Open(ctx, id))(b)
				if err := l.Close(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpenWithoutCheckpoint reads everything, beside a scan of the same file
// that only parses each line as JSON.
func BenchmarkOpenWithoutCheckpoint(b *testing.B) {
	for _, n := range lengths {
		dir, id := longSession(b, n)
		path := logFile(dir, id)
		size := must(os.Stat(path))(b).Size()
		b.Run(fmt.Sprint(n, "/bare-json-scan"), func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				f := must(os.Open(path))(b)
				sc := bufio.NewScanner(f)
				sc.Buffer(nil, 1<<20)
				for sc.Scan() {
					var e session.Event
					if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
						b.Fatal(err)
					}
				}
				f.Close()
			}
		})
		b.Run(fmt.Sprint(n, "/open"), func(b *testing.B) {
			ctx := context.Background()
			checkpoint := filepath.Join(dir, string(id), "checkpoint.json")
			saved := bytesOf(b, checkpoint)
			if err := os.Remove(checkpoint); err != nil {
				b.Fatal(err)
			}
			lib := session.NewLibrary(plain(dir))
			b.SetBytes(size)
			for b.Loop() {
				l := must(lib.Read(ctx, id))(b)
				l.Surface()
				if err := l.Close(ctx); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.WriteFile(checkpoint, saved, 0o600); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkFork forks sessions of growing length at their last event.
func BenchmarkFork(b *testing.B) {
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := context.Background()
			dir, id := longSession(b, n)
			lib := session.NewLibrary(plain(dir))
			for b.Loop() {
				fork := must(lib.Fork(ctx, id, 0))(b)
				b.StopTimer()
				if err := fork.Close(ctx); err != nil {
					b.Fatal(err)
				}
				if err := lib.Delete(ctx, fork.ID()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// BenchmarkForkInTheMiddle forks sessions of growing length at an event that is half
// way back, and BenchmarkSurfaceInTheMiddle asks what the model saw there.
func BenchmarkForkInTheMiddle(b *testing.B) {
	inTheMiddle(b, func(ctx context.Context, lib *session.Library, id session.ID, seq int64) {
		fork := must(lib.Fork(ctx, id, seq))(b)
		b.StopTimer()
		if err := fork.Close(ctx); err != nil {
			b.Fatal(err)
		}
		if err := lib.Delete(ctx, fork.ID()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	})
}

func BenchmarkSurfaceInTheMiddle(b *testing.B) {
	inTheMiddle(b, func(ctx context.Context, lib *session.Library, id session.ID, seq int64) {
		l := must(lib.Read(ctx, id))(b)
		must(l.SurfaceAt(seq))(b)
		if err := l.Close(ctx); err != nil {
			b.Fatal(err)
		}
	})
}

func inTheMiddle(b *testing.B, do func(ctx context.Context, lib *session.Library, id session.ID, seq int64)) {
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, id := longSession(b, n)
			lib := session.NewLibrary(plain(dir))
			for b.Loop() {
				do(context.Background(), lib, id, n/2)
			}
		})
	}
}

// BenchmarkEventByNumber finds single events in sessions of growing length.
func BenchmarkEventByNumber(b *testing.B) {
	for _, n := range lengths {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := context.Background()
			dir, id := longSession(b, n)
			lib := session.NewLibrary(plain(dir))
			l := must(lib.Read(ctx, id))(b)
			defer l.Close(ctx)
			i := int64(0)
			for b.Loop() {
				i = (i + 7919) % n
				must(l.Event(ctx, i+1))(b)
			}
		})
	}
}

// BenchmarkDelta is one piece of a stream with two watchers.
func BenchmarkDelta(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	log, _ := benchLog(b)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range log.Watch(ctx, 0) {
			}
		})
	}
	b.ReportAllocs()
	offset := 0
	for b.Loop() {
		log.Delta(delta(offset, "word "))
		offset += 5
	}
	cancel()
	wg.Wait()
}
