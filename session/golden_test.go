package session_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/session"
)

var update = flag.Bool("update", false, "write the wanted texts anew")

// TestEveryLogEverReleasedLoads reads logs that were written by earlier versions.
// A log in testdata is never written anew: a format that cannot read it is wrong.
func TestEveryLogEverReleasedLoads(t *testing.T) {
	versions := must(filepath.Glob("testdata/v*"))(t)
	loaded := 0
	for _, version := range versions {
		info := must(os.Stat(version))(t)
		if !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(version), func(t *testing.T) {
			lib := library(t, version)
			got := ""
			for _, row := range must(lib.List(t.Context()))(t) {
				got += described(t, lib, row)
			}
			want := version + ".want"
			if *update {
				if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(bytesOf(t, want)), got); diff != "" {
				t.Errorf("what is read of it (-want +got)\n%s", diff)
			}
		})
		loaded++
	}
	if loaded < session.Format {
		t.Errorf("%d versions are kept, want one for each of %d formats", loaded, session.Format)
	}
}

// described says everything that is read of a session.
func described(t *testing.T, lib *session.Library, row session.Summary) string {
	t.Helper()
	var b strings.Builder
	l := must(lib.Read(t.Context(), row.ID))(t)
	fmt.Fprintf(&b, "session %s %q folder %s turns %d messages %d calls %d problem %q\n", row.ID, row.Title, row.Folder, row.Turns, row.Messages, row.Calls, row.Problem)
	for e, err := range l.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		data := string(e.Data)
		if len(data) > 100 {
			data = fmt.Sprintf("%s… %d bytes", strings.ToValidUTF8(data[:100], ""), len(data))
		}
		fmt.Fprintf(&b, "%d %d %s %d.%d %s\n", e.Seq, e.At, e.Type, e.Turn, e.Step, data)
	}
	for _, e := range l.Surface() {
		text := llm.Plain(e.Message.Content)
		fmt.Fprintf(&b, "surface %d %s %d characters, %d calls\n", e.Seq, e.Message.Role, len([]rune(text)), len(e.Message.Calls))
	}
	for _, d := range l.Damage() {
		fmt.Fprintf(&b, "damage %s\n", d.Text)
	}
	report := must(lib.Verify(t.Context(), row.ID))(t)
	fmt.Fprintf(&b, "valid %v, last %d %s\n", report.Valid(), report.Last.Seq, report.Last.Hash)
	return b.String()
}

// TestAnEventsLineIsTheLogsLine gives every event of every kept log as a line, and
// finds the line that is on disk; only what a blob stood for is filled in.
func TestAnEventsLineIsTheLogsLine(t *testing.T) {
	for _, file := range must(filepath.Glob("testdata/v*/*/log.jsonl"))(t) {
		dir := filepath.Dir(file)
		lib := library(t, filepath.Dir(dir))
		lines := strings.SplitAfter(string(bytesOf(t, file)), "\n")
		l, err := lib.Read(t.Context(), session.ID(filepath.Base(dir)))
		if err != nil {
			continue // a log that is kept because it is refused
		}
		for e, err := range l.Events(1) {
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(lines[0], fmt.Sprintf(`{"seq":%d,`, e.Seq)) {
				continue // its line is in the log it was forked from
			}
			got, want := string(e.AppendLine(nil)), lines[0]
			lines = lines[1:]
			if e.Blob != nil {
				got, want = got[strings.LastIndex(got, `,"h":`):], want[strings.LastIndex(want, `,"h":`):]
			}
			if got != want {
				t.Fatalf("%s, event %d:\n got %s want %s", file, e.Seq, got, want)
			}
		}
		if len(lines) != 1 {
			t.Errorf("%s: %d lines were given by no event", file, len(lines)-1)
		}
	}
}
