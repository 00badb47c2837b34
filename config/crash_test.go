package config

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

var errFull = errors.New("no space left on device")

// short writes n bytes and then fails, as a full disk does.
type short struct {
	w io.Writer
	n int
}

func (s *short) Write(p []byte) (int, error) {
	if len(p) <= s.n {
		return s.w.Write(p)
	}
	n, err := s.w.Write(p[:s.n])
	return n, errors.Join(err, errFull)
}

// crash writes n bytes and then ends the program, as far as a test can.
type crash struct {
	w io.Writer
	n int
}

func (c crash) Write(p []byte) (int, error) {
	if _, err := c.w.Write(p[:min(c.n, len(p))]); err != nil {
		return 0, err
	}
	panic("the power went")
}

func TestAWriteCutShortAtAnyByteLeavesTheOldContent(t *testing.T) {
	const old, fresh = "loop:\n  count: 1\n", "loop:\n  count: 2\nui:\n  theme: dark\n"
	for _, tc := range []struct {
		name    string
		through func(n int) func(io.Writer) io.Writer
	}{
		{"full disk", func(n int) func(io.Writer) io.Writer { return func(w io.Writer) io.Writer { return &short{w, n} } }},
		{"crash", func(n int) func(io.Writer) io.Writer { return func(w io.Writer) io.Writer { return crash{w, n} } }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for n := range len(fresh) {
				path := filepath.Join(t.TempDir(), "settings.yaml")
				if err := Replace(path, []byte(old)); err != nil {
					t.Fatal(err)
				}
				func() {
					defer func() {
						if v := recover(); v != nil && tc.name != "crash" {
							t.Errorf("panic: %v", v)
						}
					}()
					if err := replace(path, []byte(fresh), tc.through(n)); !errors.Is(err, errFull) {
						t.Errorf("cut at %d: %v", n, err)
					}
				}()
				if got, err := os.ReadFile(path); err != nil || string(got) != old {
					t.Fatalf("cut at %d: the file is %q, %v", n, got, err)
				}
				if err := Replace(path, []byte(fresh)); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != fresh {
					t.Fatalf("after the cut at %d: the file is %q, %v", n, got, err)
				}
			}
		})
	}
}
