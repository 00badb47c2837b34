package store_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/store"
)

// TestMain lets the test binary be the other process: with "hold DIR ID" it takes
// a session's lock and waits to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "hold" {
		w, err := store.New(store.Options{Dir: os.Args[2]}).Acquire(context.Background(), session.ID(os.Args[3]))
		if err == nil {
			err = w.Append([]byte("from the other process\n"))
		}
		fmt.Println(err)
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// otherProcess holds a session until it is killed.
func otherProcess(t *testing.T, dir string, id session.ID) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "hold", dir, string(id))
	stdin, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() {
		stdin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "<nil>\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnotherProcessIsToldWhoHoldsTheSessionAndADeadOneIsTakenOver(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	files := store.New(store.Options{Dir: dir})
	id := session.NewID()
	w, err := files.Create(ctx, id)
	check(t, err)
	check(t, w.Append([]byte("mine\n")))
	check(t, w.Close())

	other := otherProcess(t, dir, id)
	_, err = files.Acquire(ctx, id)
	if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != session.CodeHeld || !strings.Contains(fault.Person(err), fmt.Sprintf("pid %d", other.Process.Pid)) {
		t.Errorf("acquire: %v, want a conflict that names pid %d", err, other.Process.Pid)
	}
	if err := files.Delete(ctx, id); !fault.Is(err, fault.Conflict) {
		t.Errorf("delete: %v, want conflict", err)
	}
	r, err := files.Read(ctx, id)
	check(t, err)
	check(t, r.Close())

	check(t, other.Process.Signal(syscall.SIGKILL))
	if err := other.Wait(); err == nil {
		t.Fatal("the other process ended by itself")
	}
	w, err = files.Acquire(ctx, id)
	check(t, err)
	check(t, w.Append([]byte("mine again\n")))
	check(t, w.Close())
}

func TestALeaseWhoseLockWasTakenAwayWritesNothing(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	files := store.New(store.Options{Dir: dir})
	id := session.NewID()
	stale, err := files.Create(ctx, id)
	check(t, err)
	check(t, stale.Append([]byte("first\n")))
	check(t, stale.Sync(ctx))
	check(t, os.Remove(filepath.Join(dir, string(id), "lock")))
	holder, err := files.Acquire(ctx, id)
	check(t, err)
	defer holder.Close()
	check(t, holder.Append([]byte("second\n")))
	check(t, holder.Sync(ctx))

	if err := stale.Append([]byte("stale\n")); err == nil {
		err = stale.Sync(ctx)
		if !fault.Is(err, fault.Conflict) || fault.CodeOf(err) != session.CodeLeaseLost {
			t.Errorf("sync by the stale writer: %v, want conflict with code %s", err, session.CodeLeaseLost)
		}
	}
	if err := stale.PutPart(session.PartCheckpoint, strings.NewReader("{}")); !fault.Is(err, fault.Conflict) {
		t.Errorf("a checkpoint by the stale writer: %v, want conflict", err)
	}
	stale.Close()
	b, err := os.ReadFile(filepath.Join(dir, string(id), "log.jsonl"))
	check(t, err)
	if string(b) != "first\nsecond\n" {
		t.Errorf("log = %q", b)
	}
	check(t, holder.Append([]byte("third\n")))
	check(t, holder.Sync(ctx))
}

func TestTheLockSaysWhoAndCountsGenerations(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	files := store.New(store.Options{Dir: dir})
	id := session.NewID()
	w, err := files.Create(ctx, id)
	check(t, err)
	type holder struct {
		PID        int    `json:"pid"`
		Started    string `json:"started"`
		Generation int    `json:"generation"`
	}
	read := func() (h holder) {
		b, err := os.ReadFile(filepath.Join(dir, string(id), "lock"))
		check(t, err)
		check(t, json.Unmarshal(b, &h))
		return h
	}
	if h := read(); h.PID != os.Getpid() || h.Generation != 1 {
		t.Errorf("lock = %+v", h)
	}
	check(t, w.Append([]byte("x\n")))
	check(t, w.Close())
	if h := read(); h.PID != 0 || h.Generation != 1 {
		t.Errorf("a lock given back = %+v", h)
	}
	w, err = files.Acquire(ctx, id)
	check(t, err)
	if h := read(); h.PID != os.Getpid() || h.Generation != 2 {
		t.Errorf("the next lock = %+v", h)
	}
	check(t, w.Close())
}

func TestEverythingIsPrivateFromItsFirstMoment(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "home", "sessions")
	files := store.New(store.Options{Dir: dir})
	w, err := files.Create(ctx, session.NewID())
	check(t, err)
	check(t, w.Append([]byte("one\ntwo\n")))
	check(t, w.PutBlob("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", []byte("x")))
	check(t, w.PutPart(session.PartCheckpoint, strings.NewReader("{}")))
	check(t, w.Replace(ctx, 4, strings.NewReader(""), "log.damaged-now"))
	check(t, w.Sync(ctx))
	check(t, w.Close())
	seen := 0
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
		}
		seen++
		return nil
	}))
	if seen != 8 {
		t.Errorf("%d files and folders, want 8", seen)
	}
}

func TestADeletionCutShortIsFinishedAndNeverListed(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	left := filepath.Join(dir, ".deleted-"+string(session.NewID()))
	check(t, os.MkdirAll(left, 0o700))
	check(t, os.WriteFile(filepath.Join(left, "log.jsonl"), []byte("x\n"), 0o600))
	files := store.New(store.Options{Dir: dir})
	if got, err := files.List(ctx); err != nil || len(got) != 0 {
		t.Errorf("list = %v, %v", got, err)
	}
	w, err := files.Create(ctx, session.NewID())
	check(t, err)
	check(t, w.Close())
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the leftover: %v, want it gone", err)
	}
}

func TestAHomeThatCannotBeWrittenCanBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		// Root writes anywhere; what matters is that reading makes no file.
		readMakesNothing(t)
		return
	}
	dir := readMakesNothing(t)
	check(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	if _, err := store.New(store.Options{Dir: dir}).Create(t.Context(), session.NewID()); !fault.Is(err, fault.Denied) {
		t.Errorf("create: %v, want denied", err)
	}
}

func readMakesNothing(t *testing.T) string {
	ctx := t.Context()
	dir := t.TempDir()
	id := session.NewID()
	check(t, os.Mkdir(filepath.Join(dir, string(id)), 0o700))
	check(t, os.WriteFile(filepath.Join(dir, string(id), "log.jsonl"), []byte("x\n"), 0o400))
	files := store.New(store.Options{Dir: dir})
	r, err := files.Read(ctx, id)
	check(t, err)
	if p, err := r.Part(session.PartCheckpoint); p != nil || err != nil {
		t.Errorf("part = %v, %v", p, err)
	}
	check(t, r.Close())
	entries, err := os.ReadDir(filepath.Join(dir, string(id)))
	check(t, err)
	if len(entries) != 1 {
		t.Errorf("reading left %v", entries)
	}
	return dir
}
