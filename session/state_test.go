package session_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/fault"
	"fairlead/session"
)

func TestFoldingFromACheckpointGivesWhatFoldingEverythingGives(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{Folder: "/w", Preset: "standard"}))(t)
	c := converse(t, log)
	c.keep = 2
	checkpoint := filepath.Join(dir, string(log.ID()), "checkpoint.json")
	for range 12 {
		c.run(3)
		live := folded(t, log)
		if err := log.Close(ctx); err != nil {
			t.Fatal(err)
		}
		whole := must(lib.Read(ctx, log.ID()))(t)
		if diff := cmp.Diff(live, folded(t, whole)); diff != "" {
			t.Fatalf("from the checkpoint (-live +read)\n%s", diff)
		}
		saved := bytesOf(t, checkpoint)
		if err := os.Remove(checkpoint); err != nil {
			t.Fatal(err)
		}
		bare := must(lib.Read(ctx, log.ID()))(t)
		if diff := cmp.Diff(live, folded(t, bare)); diff != "" {
			t.Fatalf("from the first event (-live +read)\n%s", diff)
		}
		// An older checkpoint and the tail behind it give the same.
		if err := os.WriteFile(checkpoint, saved, 0o600); err != nil {
			t.Fatal(err)
		}
		log = must(lib.Open(ctx, log.ID()))(t)
		c.log = log
		c.run(2)
		live = folded(t, log)
		if err := log.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(checkpoint, saved, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(live, folded(t, must(lib.Read(ctx, log.ID()))(t))); diff != "" {
			t.Fatalf("from an older checkpoint (-live +read)\n%s", diff)
		}
		log = must(lib.Open(ctx, log.ID()))(t)
		c.log = log
	}
}

func TestStateAndSurfaceAsOfAnEarlierEvent(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	c := converse(t, log)
	c.keep = 2
	type then struct {
		surface []session.Entry
		counts  map[string]int
	}
	past := map[int64]then{}
	for range 8 {
		c.run(3)
		past[log.Seq()] = then{log.Surface(), must(session.StateOf(log, counts))(t)}
	}
	for seq, want := range past {
		if diff := cmp.Diff(want.surface, must(log.SurfaceAt(seq))(t)); diff != "" {
			t.Errorf("surface at %d (-then +now)\n%s", seq, diff)
		}
		if diff := cmp.Diff(want.counts, must(session.StateAt(ctx, log, counts, seq))(t)); diff != "" {
			t.Errorf("counts at %d (-then +now)\n%s", seq, diff)
		}
	}
}

func TestAProjectionThatIsNewOrChangedIsFoldedFromTheStart(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	id := recorded(t, dir, 60)
	changed := counts
	changed.Version = 2
	fresh := session.Projection[int]{Name: "fresh", Version: 1, Fold: func(n int, _ session.Event) int { return n + 1 }}
	lib := library(t, dir, func(o *session.Options) { o.Projections = []session.AnyProjection{changed, fresh} })
	log := must(lib.Open(ctx, id))(t)
	if n := must(session.StateOf(log, fresh))(t); int64(n) != log.Seq() {
		t.Errorf("the new projection saw %d events of %d", n, log.Seq())
	}
	sum := 0
	for _, n := range must(session.StateOf(log, changed))(t) {
		sum += n
	}
	if int64(sum) != log.Seq() {
		t.Errorf("the changed projection saw %d events of %d", sum, log.Seq())
	}
}

func TestAProjectionThatPanicsLeavesTheOthersAndTheSession(t *testing.T) {
	ctx := t.Context()
	bad := session.Projection[int]{Name: "bad", Version: 1, Fold: func(n int, e session.Event) int {
		if session.UserMessage.Of(e) {
			panic("no")
		}
		return n + 1
	}}
	lib := library(t, t.TempDir(), func(o *session.Options) {
		o.Projections = append([]session.AnyProjection{bad}, o.Projections...)
	})
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	if n := must(session.StateOf(log, bad))(t); n != 1 {
		t.Errorf("before it panics: %d", n)
	}
	must(log.Append(ctx, session.UserMessage.New(1, 0, said("m", "hi")), note(1)))(t)
	if _, err := session.StateOf(log, bad); !fault.Is(err, fault.Internal) {
		t.Errorf("state of the bad one: %v, want internal", err)
	}
	if n := must(session.StateOf(log, counts))(t)["note"]; n != 1 {
		t.Errorf("the other one counts %d notes", n)
	}
	if _, ok := log.Snapshot()["bad"]; ok {
		t.Error("the bad one is in the snapshot")
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if seq := must(lib.Open(ctx, log.ID()))(t).Seq(); seq != 3 {
		t.Errorf("reopened with %d events, want 3", seq)
	}
}

func TestAnUnreadablePayloadIsLeftOutOfTheSurface(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	log := must(lib.Create(ctx, session.CreatedData{}))(t)
	poison := session.UserMessage.New(1, 0, session.UserMessageData{})
	poison.Data = map[string]any{"id": 7, "content": "not a list"}
	must(log.Append(ctx, session.UserMessage.New(1, 0, said("a", "one")), poison, session.UserMessage.New(1, 0, said("b", "two"))))(t)
	live := log.Surface()
	if len(live) != 2 {
		t.Errorf("%d messages on the surface, want 2", len(live))
	}
	if err := log.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(live, must(lib.Open(ctx, log.ID()))(t).Surface()); diff != "" {
		t.Errorf("reopened (-live +again)\n%s", diff)
	}
}

func TestOneSessionHasManyHandlesInAProcess(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	first := must(lib.Create(ctx, session.CreatedData{}))(t)
	second := must(lib.Open(ctx, first.ID()))(t)
	if diff := cmp.Diff([]session.ID{first.ID()}, lib.Opened()); diff != "" {
		t.Errorf("opened (-want +got)\n%s", diff)
	}
	for range 2 { // a second Close of one handle is nothing
		if err := first.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	must(second.Append(ctx, note(1)))(t)
	if _, err := library(t, dir).Open(ctx, first.ID()); !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != session.CodeHeld {
		t.Errorf("another library: %v, want conflict", err)
	}
	if err := second.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Append(ctx, note(2)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("append after the last Close: %v, want unavailable", err)
	}
	if got := must(library(t, dir).Open(ctx, first.ID()))(t).Seq(); got != 2 {
		t.Errorf("the next holder finds %d events", got)
	}
	if got := lib.Opened(); len(got) != 0 {
		t.Errorf("still opened: %v", got)
	}
}

func TestListAndResolve(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	lib := library(t, dir)
	older := must(lib.Create(ctx, session.CreatedData{ID: "01890000-0000-7000-8000-000000000001", Folder: "/a"}))(t)
	newer := must(lib.Create(ctx, session.CreatedData{ID: "01890000-0000-7000-8000-000000000002", Folder: "/b"}))(t)
	must(older.Append(ctx, session.Titled.New(0, 0, session.TitledData{Title: "mine", By: "person"}), session.Titled.New(0, 0, session.TitledData{Title: "its", By: "model"})))(t)
	if err := older.Close(ctx); err != nil {
		t.Fatal(err)
	}
	must(newer.Append(ctx, session.Archived.New(0, 0, session.ArchivedData{Archived: true, Pinned: true})))(t)
	broken := session.NewID()
	if err := os.MkdirAll(filepath.Join(dir, string(broken)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logFile(dir, broken), []byte("not a log\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := must(lib.List(ctx))(t)
	got := map[session.ID]session.Summary{}
	for _, r := range rows {
		got[r.ID] = r
	}
	if r := got[older.ID()]; r.Title != "mine" || r.Folder != "/a" || r.Events != 3 || r.Problem != "" || r.Bytes == 0 {
		t.Errorf("the older one = %+v", r)
	}
	if r := got[newer.ID()]; !r.Archived || !r.Pinned || r.Folder != "/b" {
		t.Errorf("the newer one = %+v", r)
	}
	if r := got[broken]; !strings.Contains(r.Problem, "log.jsonl") {
		t.Errorf("the broken one = %+v", r)
	}
	for prefix, want := range map[string]fault.Kind{"01890000-0000-7000-8000-00000000000": fault.Invalid, "ff": fault.NotFound, "": fault.NotFound, "../": fault.NotFound} {
		if id, err := lib.Resolve(ctx, prefix); !fault.Is(err, want) {
			t.Errorf("resolve %q = %s, %v; want %v", prefix, id, err, want)
		}
	}
	if id := must(lib.Resolve(ctx, string(broken)[:20]))(t); id != broken {
		t.Errorf("resolved %s", id)
	}
}

func TestAppendRefusesWhatItsOwnReaderWouldRefuse(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	log := inMemoryLog(t)
	if _, err := log.Append(ctx, session.Draft{Type: "never/declared"}); !fault.Is(err, fault.Internal) {
		t.Errorf("an undeclared kind: %v, want internal", err)
	}
	if _, err := log.Append(ctx, note(1), session.Draft{Type: "note", Data: make(chan int)}); !fault.Is(err, fault.Internal) {
		t.Errorf("a payload that is no JSON: %v, want internal", err)
	}
	cancel()
	if _, err := log.Append(ctx, note(1)); !fault.Is(err, fault.Cancelled) {
		t.Errorf("a cancelled append: %v, want cancelled", err)
	}
	if log.Seq() != 1 {
		t.Errorf("%d events, want none added: a batch is all or nothing", log.Seq())
	}
}
