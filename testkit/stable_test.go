package testkit_test

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"fairlead/session"
	"fairlead/testkit"

	"github.com/google/go-cmp/cmp"
)

func log(lines ...session.Event) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		for _, e := range lines {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestLogsOfTwoRunsAreEqualText(t *testing.T) {
	run := func(id, dir, sum string, port string) string {
		s := testkit.Stable{Replace: map[string]string{dir: "$HOME", dir + "/work": "$WORK"}, Sessions: []session.ID{session.ID(id)}}
		text, err := s.Log(log(
			session.Event{Seq: 1, At: 5, Type: "session/created", Data: json.RawMessage(`{"id":"` + id + `","folder":"` + dir + `/work"}`)},
			session.Event{Seq: 2, At: 6, Type: "step/start", Turn: 1, Step: 1, Data: json.RawMessage(`{}`)},
			session.Event{Seq: 3, Type: "assistant/delta", Data: json.RawMessage(`{"text":"x"}`)},
			session.Event{Seq: 4, Turn: 1, Step: 1, Type: "note", Data: json.RawMessage(`{"z":"<` + sum + `>","ms":12,"a":"127.0.0.1:` + port + ` ` + dir + `/x"}`)},
		), "assistant/delta")
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	one := run("01890a5d-ac96-774b-bcce-b302099a8057", "/tmp/a1", "d41d8cd98f00b204e9800998ecf8427e", "4711")
	two := run("01890a5d-ac96-774b-bcce-b302099a8058", "/tmp/b2", "d41d8cd98f00b204e9800998ecf84270", "4712")
	want := `1 session/created {"folder":"$WORK","id":"s1"}
2 step/start 1.1
3 note 1.1 {"a":"127.0.0.1:PORT $HOME/x","ms":0,"z":"<h1>"}
`
	for _, got := range []string{one, two} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestGoldenFilesAreCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.golden")
	if err := os.WriteFile(path, []byte("right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, path, "right\n")
	inner := &recorder{TB: t}
	testkit.Golden(inner, path, "wrong\n")
	if !inner.failed && !testkit.Updating() {
		t.Error("a difference passed")
	}
}

// recorder takes failures of the code under test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
