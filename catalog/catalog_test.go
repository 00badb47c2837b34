package catalog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/catalog"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/store"
)

// house is a library with a catalog over it, in a folder of the test's own.
type house struct {
	dir string
	lib *session.Library
	*catalog.Catalog
}

func build(tb testing.TB) *house {
	tb.Helper()
	dir := tb.TempDir()
	files := store.New(store.Options{Dir: filepath.Join(dir, "sessions")})
	lib := session.NewLibrary(session.Options{Store: files, Version: "test"})
	h := &house{dir: dir, lib: lib, Catalog: catalog.New(catalog.Options{Path: filepath.Join(dir, "catalog.db"), Library: lib})}
	tb.Cleanup(func() {
		for _, err := range []error{h.Close(), lib.Close(context.Background()), files.Close()} {
			if err != nil {
				tb.Error(err)
			}
		}
	})
	return h
}

// talk makes a session in which a person and a model said something.
func (h *house) talk(tb testing.TB, title string, texts ...string) *session.Log {
	tb.Helper()
	ctx := context.Background()
	log, err := h.lib.Create(ctx, session.CreatedData{Folder: "/work"})
	if err != nil {
		tb.Fatal(err)
	}
	h.say(tb, log, title, texts...)
	return log
}

func (h *house) say(tb testing.TB, log *session.Log, title string, texts ...string) {
	tb.Helper()
	ctx := context.Background()
	drafts := []session.Draft{session.Titled.New(0, 0, session.TitledData{Title: title, By: "prompt"})}
	for i, text := range texts {
		if i%2 == 0 {
			drafts = append(drafts, session.UserMessage.New(1, 1, session.UserMessageData{ID: fmt.Sprint(i), Content: llm.Text(text)}))
			continue
		}
		drafts = append(drafts, session.AssistantMessage.New(1, 1, session.AssistantMessageData{ID: fmt.Sprint(i), Content: llm.Text(text), Model: "m", Usage: &llm.Usage{Input: 10, Cached: -1, Output: 2, Reasoning: -1}}))
	}
	if _, err := log.Append(ctx, drafts...); err != nil {
		tb.Fatal(err)
	}
	if err := log.Flush(ctx); err != nil {
		tb.Fatal(err)
	}
}

func (h *house) close(tb testing.TB, log *session.Log) {
	tb.Helper()
	if err := log.Close(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

func (h *house) find(tb testing.TB, words string) []catalog.Hit {
	tb.Helper()
	hits, err := h.Search(context.Background(), catalog.Query{Words: words})
	if err != nil {
		tb.Fatalf("search %q: %v", words, err)
	}
	return hits
}

func catchUp(tb testing.TB, h *house) {
	tb.Helper()
	if err := h.CatchUp(context.Background()); err != nil {
		tb.Fatal(err)
	}
}

func TestWordsAreFoundInEveryScript(t *testing.T) {
	h := build(t)
	h.close(t, h.talk(t, "Einführung", "Why does fsync fail on ext4?", "日志文件在崩溃后仍然可以打开。", "ログは壊れても開けます", "충돌 후에도 로그가 열립니다", "Größenänderung der Datei"))
	catchUp(t, h)
	for words, want := range map[string]int{
		"fsync": 1, "FSYNC ext4": 1, "fsyn": 1, "ext4 fsync": 1, `"fail on ext4"`: 1, `"ext4 on fail"`: 0, "fsync windows": 0,
		"崩溃": 1, "崩": 1, "可以打开": 1, "开打": 0, "日志 打开": 1, "壊れても": 1, "ログ": 1, "로그가": 1, "로그": 1, "그로": 0,
		"größen": 1, "grossen": 0, "groß": 1, "Einführung": 1, "einfuhrung": 1, "": 0, "***": 0, `"`: 0, "AND OR NOT": 0, "text:fsync": 0, "fsync)": 1,
	} {
		if got := len(h.find(t, words)); got != want {
			t.Errorf("%q found %d places, want %d", words, got, want)
		}
	}
}

func TestSnippetShowsTheWordsInPlace(t *testing.T) {
	h := build(t)
	h.close(t, h.talk(t, "t", strings.Repeat("padding ", 50)+"the needle\nis here "+strings.Repeat("padding ", 50)))
	catchUp(t, h)
	hit := h.find(t, "NEEDLE here")[0]
	if len(hit.Snippet) > 300 || !strings.Contains(hit.Snippet, "the needle is here") {
		t.Errorf("snippet %q", hit.Snippet)
	}
	var marked []string
	for _, m := range hit.Marks {
		marked = append(marked, hit.Snippet[m[0]:m[1]])
	}
	if diff := cmp.Diff([]string{"needle", "here"}, marked); diff != "" {
		t.Error(diff)
	}
}

func TestCatchingUpReadsOnlyWhatChanged(t *testing.T) {
	h := build(t)
	log := h.talk(t, "first title", "alpha")
	catchUp(t, h)
	h.say(t, log, "second title", "beta")
	h.close(t, log)
	catchUp(t, h)
	catchUp(t, h)
	if a, b, old, title := len(h.find(t, "alpha")), len(h.find(t, "beta")), len(h.find(t, "first")), len(h.find(t, "second")); a != 1 || b != 1 || old != 0 || title != 1 {
		t.Errorf("alpha %d, beta %d, old title %d, new title %d", a, b, old, title)
	}
	days, err := h.Days(context.Background(), 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(days) != 0 {
		t.Errorf("days without a reply: %+v", days)
	}
}

func TestFollowedSessionsAreFoundAsTheyGrow(t *testing.T) {
	h := build(t)
	log := h.talk(t, "t", "before")
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Follow(ctx, log) }()
	h.say(t, log, "t", "meanwhile", "reply")
	waitFor(t, func() bool { return len(h.find(t, "meanwhile")) == 1 && len(h.find(t, "reply")) == 1 })
	catchUp(t, h) // beside the follower: nothing is counted twice
	days, err := h.Days(context.Background(), 7)
	if err != nil {
		t.Fatal(err)
	}
	want := []catalog.Day{{Day: time.Now().Format(time.DateOnly), Model: "m", Requests: 1, Usage: llm.Usage{Input: 10, Cached: -1, Output: 2, Reasoning: -1}, Unpriced: 1}}
	if diff := cmp.Diff(want, days); diff != "" {
		t.Error(diff)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("following ended with %v", err)
	}
	h.close(t, log)
}

// waitFor polls a condition until it holds; the test's own deadline bounds it.
func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatal("it never came true")
		case <-tick.C:
		}
	}
}

func TestDeletedSessionsAreForgotten(t *testing.T) {
	h := build(t)
	log := h.talk(t, "gone", "vanishing words")
	id := log.ID()
	h.close(t, log)
	catchUp(t, h)
	if err := h.lib.Delete(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	catchUp(t, h)
	rows, err := h.Sessions(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.find(t, "vanishing")) != 0 || len(rows) != 0 {
		t.Errorf("still listed: %v", rows)
	}
}

func TestArchivedSessionsAreFoundOnRequest(t *testing.T) {
	h := build(t)
	log := h.talk(t, "t", "hidden gem")
	if _, err := log.Append(context.Background(), session.Archived.New(0, 0, session.ArchivedData{Archived: true})); err != nil {
		t.Fatal(err)
	}
	h.close(t, log)
	catchUp(t, h)
	if n := len(h.find(t, "gem")); n != 0 {
		t.Errorf("%d hits in archived sessions unasked", n)
	}
	hits, err := h.Search(context.Background(), catalog.Query{Words: "gem", Archived: true})
	if err != nil || len(hits) != 1 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func TestMissingAndDamagedCatalogsAreMadeAgain(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"missing": os.Remove,
		"no database": func(p string) error {
			return os.WriteFile(p, []byte("not a database, but long enough to look at"), 0o600)
		},
		"empty": func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"torn": func(p string) error {
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			for i := 4096; i < len(text); i++ {
				text[i] ^= 0x5a
			}
			return os.WriteFile(p, text, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			h.close(t, h.talk(t, "t", "survivor"))
			catchUp(t, h)
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(h.dir, "catalog.db")
			for _, end := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + end); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			if err := harm(path); err != nil {
				t.Fatal(err)
			}
			catchUp(t, h)
			if n := len(h.find(t, "survivor")); n != 1 {
				t.Errorf("%d hits after it was made again", n)
			}
		})
	}
}

func TestReplacedLogsAreReadAnew(t *testing.T) {
	h := build(t)
	log := h.talk(t, "t", "original")
	id := log.ID()
	h.close(t, log)
	catchUp(t, h)
	// The folder is replaced by another session's log under the same id: nothing of
	// what was read may stay.
	if err := h.lib.Delete(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	again, err := h.lib.Create(context.Background(), session.CreatedData{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	h.say(t, again, "t", "something else entirely")
	h.close(t, again)
	catchUp(t, h)
	if old, now := len(h.find(t, "original")), len(h.find(t, "entirely")); old != 0 || now != 1 {
		t.Errorf("old text %d, new text %d", old, now)
	}
}

func TestTheFileIsPrivate(t *testing.T) {
	h := build(t)
	h.close(t, h.talk(t, "t", "x"))
	catchUp(t, h)
	for _, end := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(filepath.Join(h.dir, "catalog.db"+end))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("catalog.db%s has mode %v", end, info.Mode().Perm())
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	h := build(b)
	const sessions, messages = 100, 1000
	for i := range sessions {
		texts := make([]string, messages)
		for j := range texts {
			texts[j] = fmt.Sprintf("message %d of session %d about the build, the test and value %d 构建和测试", j, i, (i*messages+j)*7919%99991)
		}
		h.close(b, h.talk(b, fmt.Sprint("session ", i), texts...))
	}
	catchUp(b, h)
	for name, words := range map[string]string{"rare": "99990", "common": "build test", "cjk": "构建", "beginning": "valu", "phrase": `"about the build"`} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h.find(b, words)
			}
		})
	}
}
