package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"testing"

	"fairlead/fault"
	"fairlead/session"
)

// Run tries every promise of a store. Make gives a store over the same records
// each time it is called within one test: the next one is what another process, or
// this one after a restart, would see.
func Run(t *testing.T, open func(t *testing.T) (again func() session.Store)) {
	for _, c := range []struct {
		promise string
		test    func(*testing.T, func() session.Store)
	}{
		{"what was appended is read at once and after a restart", appendAndRead},
		{"a session is created once and found afterwards", createAndList},
		{"what is not there is NotFound", notThere},
		{"one holder at a time", oneHolder},
		{"a writer that was given back refuses", staleWriter},
		{"the end is replaced and kept", replaceEnd},
		{"the whole is replaced and kept", replaceAll},
		{"blobs are kept by their content", blobs},
		{"parts are exchanged", parts},
		{"a deleted session is gone and its id free", deleted},
		{"many append and wait at once", together},
	} {
		t.Run(c.promise, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, r session.Reader) string {
	t.Helper()
	size, err := r.Size()
	check(t, err)
	b := make([]byte, size)
	if n, err := r.ReadAt(b, 0); int64(n) != size || err != nil && err != io.EOF {
		t.Fatalf("read %d of %d bytes: %v", n, size, err)
	}
	return string(b)
}

func reading(t *testing.T, s session.Store, id session.ID) string {
	t.Helper()
	r, err := s.Read(t.Context(), id)
	check(t, err)
	defer func() { check(t, r.Close()) }()
	return content(t, r)
}

func create(t *testing.T, s session.Store, lines string) (session.ID, session.Writer) {
	t.Helper()
	id := session.NewID()
	w, err := s.Create(t.Context(), id)
	check(t, err)
	check(t, w.Append([]byte(lines)))
	return id, w
}

func appendAndRead(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s := again()
	id, w := create(t, s, "one\n")
	if got := content(t, w); got != "one\n" {
		t.Errorf("the writer reads %q", got)
	}
	check(t, w.Sync(ctx))
	check(t, w.Append([]byte("two\n")))
	check(t, w.Append([]byte("three\n")))
	for _, at := range []struct {
		off  int64
		want string
	}{{0, "one\ntwo\n"}, {2, "e\ntwo\nth"}, {4, "two\nthre"}, {8, "three\n"}} {
		b := make([]byte, len(at.want))
		if n, err := w.ReadAt(b, at.off); string(b[:n]) != at.want || err != nil && err != io.EOF {
			t.Errorf("ReadAt(%d) = %q, %v; want %q", at.off, b[:n], err, at.want)
		}
	}
	if n, err := w.ReadAt(make([]byte, 10), 10); n != 4 || err != io.EOF {
		t.Errorf("reading over the end: %d, %v; want 4, EOF", n, err)
	}
	check(t, w.WriteOut())
	if got := reading(t, s, id); got != "one\ntwo\nthree\n" {
		t.Errorf("what was written out is read beside the writer as %q", got)
	}
	check(t, w.Sync(ctx))
	if got := reading(t, s, id); got != "one\ntwo\nthree\n" {
		t.Errorf("a reader beside the writer reads %q", got)
	}
	check(t, w.Close())
	if got := reading(t, again(), id); got != "one\ntwo\nthree\n" {
		t.Errorf("after a restart: %q", got)
	}
}

func createAndList(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s := again()
	if got, err := s.List(ctx); err != nil || len(got) != 0 {
		t.Errorf("an empty store lists %v, %v", got, err)
	}
	id, w := create(t, s, "one\n")
	check(t, w.Sync(ctx))
	defer w.Close()
	if _, err := s.Create(ctx, id); !fault.Is(err, fault.Conflict) {
		t.Errorf("creating it again: %v, want conflict", err)
	}
	got, err := again().List(ctx)
	check(t, err)
	if len(got) != 1 || got[0].ID != id || got[0].Bytes != 4 || got[0].Changed.IsZero() {
		t.Errorf("list = %+v", got)
	}
}

func notThere(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s, id := again(), session.NewID()
	if _, err := s.Acquire(ctx, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("acquire: %v", err)
	}
	if _, err := s.Read(ctx, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("read: %v", err)
	}
	if err := s.Delete(ctx, id); !fault.Is(err, fault.NotFound) {
		t.Errorf("delete: %v", err)
	}
}

func oneHolder(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s := again()
	id, w := create(t, s, "one\n")
	if _, err := s.Acquire(ctx, id); !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != session.CodeHeld {
		t.Errorf("a second holder: %v, want conflict with code %s", err, session.CodeHeld)
	}
	if err := s.Delete(ctx, id); !fault.Is(err, fault.Conflict) {
		t.Errorf("deleting a held session: %v, want conflict", err)
	}
	check(t, w.Close())
	next, err := s.Acquire(ctx, id)
	check(t, err)
	check(t, next.Append([]byte("two\n")))
	check(t, next.Close())
	if got := reading(t, s, id); got != "one\ntwo\n" {
		t.Errorf("content = %q", got)
	}
}

func staleWriter(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s := again()
	id, w := create(t, s, "one\n")
	check(t, w.Sync(ctx))
	check(t, w.Close())
	next, err := s.Acquire(ctx, id)
	check(t, err)
	defer next.Close()
	for verb, err := range map[string]error{
		"append": w.Append([]byte("stale\n")), "sync": w.Sync(ctx), "blob": w.PutBlob(sum("x"), []byte("x")),
		"part": w.PutPart(session.PartCheckpoint, strings.NewReader("{}")), "replace": w.Replace(ctx, 0, strings.NewReader(""), ""),
	} {
		if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != session.CodeLeaseLost {
			t.Errorf("%s by a stale writer: %v, want conflict with code %s", verb, err, session.CodeLeaseLost)
		}
	}
	if got := content(t, next); got != "one\n" {
		t.Errorf("content = %q", got)
	}
}

func replaceEnd(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	id, w := create(t, again(), "one\ntwo\ntorn")
	check(t, w.Replace(ctx, 8, strings.NewReader("told\n"), "log.damaged-now"))
	check(t, w.Append([]byte("three\n")))
	if err := w.Replace(ctx, 8, strings.NewReader("x\n"), "log.damaged-now"); !fault.Is(err, fault.Conflict) {
		t.Errorf("keeping under a name that is taken: %v, want conflict", err)
	}
	if err := w.Replace(ctx, 8, io.MultiReader(strings.NewReader("a longer beginning\n"), failing{}), "log.damaged-then"); err == nil {
		t.Error("a replacement that breaks off succeeded")
	}
	if got := content(t, w); got != "one\ntwo\ntold\nthree\n" {
		t.Errorf("after failures: %q", got)
	}
	check(t, w.Replace(ctx, 8, strings.NewReader(""), "log.damaged-then"))
	check(t, w.Append([]byte("four\n")))
	check(t, w.Sync(ctx))
	check(t, w.Close())
	if got := reading(t, again(), id); got != "one\ntwo\nfour\n" {
		t.Errorf("content = %q", got)
	}
}

func replaceAll(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s := again()
	id, w := create(t, s, "old\n")
	if err := w.Replace(ctx, 0, io.MultiReader(strings.NewReader("new\n"), failing{}), "kept"); err == nil {
		t.Error("a replacement that breaks off succeeded")
	}
	if got := content(t, w); got != "old\n" {
		t.Errorf("after a failure: %q", got)
	}
	check(t, w.Replace(ctx, 0, strings.NewReader("new\n"), "kept"))
	check(t, w.Append([]byte("more\n")))
	check(t, w.Sync(ctx))
	if got := content(t, w); got != "new\nmore\n" {
		t.Errorf("the writer reads %q", got)
	}
	check(t, w.Close())
	if got := reading(t, again(), id); got != "new\nmore\n" {
		t.Errorf("after a restart: %q", got)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func blobs(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	id, w := create(t, again(), "one\n")
	large := strings.Repeat("large ", 10000)
	for range 2 {
		check(t, w.PutBlob(sum(large), []byte(large)))
	}
	check(t, w.PutBlob(sum(""), nil))
	check(t, w.Sync(ctx))
	check(t, w.Close())
	r, err := again().Read(ctx, id)
	check(t, err)
	defer r.Close()
	for _, want := range []string{large, ""} {
		got, err := r.Blob(sum(want))
		check(t, err)
		if string(got) != want {
			t.Errorf("a blob of %d bytes reads as %d bytes", len(want), len(got))
		}
	}
	if _, err := r.Blob(sum("other")); !fault.Is(err, fault.NotFound) {
		t.Errorf("unknown content: %v, want not found", err)
	}
}

func parts(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	id, w := create(t, again(), "one\n")
	if p, err := w.Part(session.PartCheckpoint); p != nil || err != nil {
		t.Errorf("a part that is not there: %v, %v", p, err)
	}
	for _, c := range []string{"a longer first content", "second"} {
		check(t, w.PutPart(session.PartCheckpoint, strings.NewReader(c)))
	}
	check(t, w.Sync(ctx))
	check(t, w.Close())
	r, err := again().Read(ctx, id)
	check(t, err)
	defer r.Close()
	p, err := r.Part(session.PartCheckpoint)
	check(t, err)
	defer p.Close()
	b, err := io.ReadAll(io.NewSectionReader(p, 0, p.Size()))
	check(t, err)
	if string(b) != "second" {
		t.Errorf("part = %q", b)
	}
}

func deleted(t *testing.T, again func() session.Store) {
	ctx := t.Context()
	s := again()
	id, w := create(t, s, "one\n")
	check(t, w.PutBlob(sum("x"), []byte("x")))
	check(t, w.Close())
	check(t, s.Delete(ctx, id))
	if got, err := s.List(ctx); err != nil || len(got) != 0 {
		t.Errorf("list = %v, %v", got, err)
	}
	w, err := s.Create(ctx, id)
	check(t, err)
	defer w.Close()
	if _, err := w.Blob(sum("x")); !fault.Is(err, fault.NotFound) {
		t.Errorf("an old blob: %v, want not found", err)
	}
}

func together(t *testing.T, again func() session.Store) {
	ctx := context.Background()
	s := again()
	const sessions, appends = 10, 50
	ids := make([]session.ID, sessions)
	var wg sync.WaitGroup
	for i := range sessions {
		id, w := create(t, s, "")
		ids[i] = id
		for range 2 {
			wg.Go(func() {
				for range appends {
					if err := w.Append([]byte("line\n")); err != nil {
						t.Error(err)
					}
					if err := w.Sync(ctx); err != nil {
						t.Error(err)
					}
				}
			})
		}
		defer func() { check(t, w.Close()) }()
	}
	wg.Wait()
	for _, id := range ids {
		if got := reading(t, s, id); got != string(bytes.Repeat([]byte("line\n"), 2*appends)) {
			t.Errorf("content of %d bytes, want %d lines", len(got), 2*appends)
		}
	}
}
