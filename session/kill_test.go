package session_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"fairlead/session"
)

// writeUntilKilled is the other process: it appends to a session and says the number
// of each event once it is confirmed.
func writeUntilKilled(dir string, id session.ID) error {
	ctx := context.Background()
	lib := session.NewLibrary(optionsFor(dir))
	log, err := lib.Open(ctx, id)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		log.Delta(session.DeltaData{Message: fmt.Sprint("r", i), Channel: "text", Text: strings.Repeat("streamed ", 600)})
		events, err := log.Append(ctx, note(i), session.UserMessage.New(1, 0, said("m", strings.Repeat("x", i%40000))))
		if err != nil {
			return err
		}
		if err := log.Flush(ctx); err != nil {
			return err
		}
		fmt.Println(events[1].Seq, events[1].Hash)
	}
}

func TestAKilledProcessLosesNothingItConfirmed(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	id := log.ID()
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	for round := range 12 {
		cmd := exec.Command(os.Args[0], "write", dir, string(id))
		cmd.Stderr = os.Stderr
		out := must(cmd.StdoutPipe())(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var seq int64
		var hash string
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if _, err := fmt.Sscan(lines.Text(), &seq, &hash); err != nil {
				t.Fatalf("the other process says %q: %v", lines.Text(), err)
			}
			if n == 1+5*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the other process ended by itself")
		}
		if report := must(lib.Verify(ctx, id, session.Mark{Seq: seq, Hash: hash}))(t); !report.Valid() {
			t.Errorf("round %d, confirmed up to %d: %v", round, seq, report.Problems)
		}
		log := must(lib.Open(ctx, id))(t)
		if e := must(log.Event(ctx, seq))(t); e.Hash != hash {
			t.Errorf("round %d: event %d is another one", round, seq)
		}
		if err := log.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryPrefixOfASessionHasOneResultForEachCall(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	c := inMemory(t, dir, recorded(t, dir, 120))
	for _, end := range c.ends {
		c.Put(c.id, c.log[:end], nil)
		l := must(c.lib.Open(ctx, c.id))(t)
		paired(t, l.Surface())
		if err := l.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASessionIsProvedWhileItIsWritten(t *testing.T) {
	ctx := t.Context()
	lib := library(t, t.TempDir())
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c := converse(t, log)
		c.keep = 2
		for range 60 {
			c.run(4)
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if report := must(lib.Verify(ctx, log.ID()))(t); !report.Valid() {
			t.Fatalf("problems: %v", report.Problems)
		}
	}
}
