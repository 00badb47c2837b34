package settings

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/config"
)

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
	return n, errors.Join(err, errNoSpace)
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
				f := &file{path: filepath.Join(t.TempDir(), "settings.yaml")}
				if err := f.replace([]byte(old)); err != nil {
					t.Fatal(err)
				}
				f.through = tc.through(n)
				func() {
					defer func() {
						if v := recover(); v != nil && tc.name != "crash" {
							t.Errorf("panic: %v", v)
						}
					}()
					if err := f.replace([]byte(fresh)); err == nil || full(err) != "disk-full" {
						t.Errorf("cut at %d: %v", n, err)
					}
				}()
				if got, err := f.read(); err != nil || string(got) != old {
					t.Fatalf("cut at %d: the file is %q, %v", n, got, err)
				}
				f.through = nil
				if err := f.replace([]byte(fresh)); err != nil {
					t.Fatal(err)
				}
				if got, err := f.read(); err != nil || string(got) != fresh {
					t.Fatalf("after the cut at %d: the file is %q, %v", n, got, err)
				}
				entries, err := os.ReadDir(filepath.Dir(f.path))
				if err != nil || len(entries) != 1 {
					t.Fatalf("left behind: %v, %v", entries, err)
				}
			}
		})
	}
}

func FuzzAnEditIsExactlyThatChange(f *testing.F) {
	f.Add("a:\n  b: 1\n  c: 2\n", "a.b", "x")
	f.Add("a: {b: 1}\n", "a.d", "x: y")
	f.Add("a:\n    b: |\n      text\n      # more\n    c: [1,\n      2]\nd: 'e\n  f'\n", "a.c", "")
	f.Add("# c\n\na:\n- 1\n- b: 2\n\n# d\n", "a", "z")
	f.Fuzz(func(t *testing.T, text, path, value string) {
		if len(text) > 500 {
			return
		}
		before, problems := config.Parse([]byte(text), &config.Layer{})
		if problems != nil || path == "" {
			return
		}
		v, err := config.ValueOf(value)
		if err != nil {
			t.Fatal(err)
		}
		if value == "" {
			v = &config.Value{}
		}
		keys := strings.Split(path, ".")
		made, err := edit([]byte(text), keys, v)
		if err != nil {
			return // said so, and nothing was written
		}
		after, problems := config.Parse(made, &config.Layer{})
		if problems != nil {
			t.Fatalf("%q became %q: %v", text, made, problems)
		}
		want := before.With(keys, v)
		if !after.Equal(want) && !(isEmpty(after) && isEmpty(want)) {
			t.Errorf("%q became %q", text, made)
		}
	})
}
