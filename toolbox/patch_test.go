package toolbox

import (
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
)

func TestPatchesOfBothFormsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []filePatch
	}{
		"marked": {"*** Begin Patch\n*** Update File: a.go\n@@ func a() {\n x\n-y\n+z\n@@\n-last\n+end\n*** End of File\n*** Add File: b.go\n+one\n+\n*** Delete File: c.go\n*** Update File: d.go\n*** Move to: e.go\n*** End Patch\n", []filePatch{
			{path: "a.go", hunks: []hunk{{anchors: []string{"func a() {"}, old: []string{"x", "y"}, put: []string{"x", "z"}}, {old: []string{"last"}, put: []string{"end"}, atEnd: true}}},
			{path: "b.go", create: true, hunks: []hunk{{put: []string{"one", ""}}}},
			{path: "c.go", remove: true},
			{path: "d.go", moveTo: "e.go"},
		}},
		"around it": {"Here is it:\n```\n*** Begin Patch\n*** Delete File: c.go\n*** End Patch\n```\n", []filePatch{{path: "c.go", remove: true}}},
		"git": {"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n a\n-b\n+c\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\ndiff --git a/g b/g\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n", []filePatch{
			{path: "x", hunks: []hunk{{line: 1, old: []string{"a", "b"}, put: []string{"a", "c"}}}},
			{path: "n", create: true, hunks: []hunk{{put: []string{"new"}, newOpen: true}}},
			{path: "g", remove: true, hunks: []hunk{{line: 1, old: []string{"gone"}}}},
		}},
		"renamed": {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\ndiff --git a/p b/q\nrename from p\nrename to q\n--- a/p\n+++ b/q\n@@ -1 +1 @@\n-a\n+b\n", []filePatch{
			{path: "x", moveTo: "y"}, {path: "p", moveTo: "q", hunks: []hunk{{line: 1, old: []string{"a"}, put: []string{"b"}}}},
		}},
		"diff, with times": {"--- x.txt\t2020-01-01\n+++ x.txt\t2020-01-02\n@@ -3 +3,2 @@\n-c\n+C\n+D\n", []filePatch{{path: "x.txt", hunks: []hunk{{line: 3, old: []string{"c"}, put: []string{"C", "D"}}}}}},
		"a blank was lost": {"--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", []filePatch{{path: "x", hunks: []hunk{{line: 1, old: []string{"a", "", "b"}, put: []string{"a", "", "c"}}}}}},
	} {
		got, err := parsePatch(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(filePatch{}, hunk{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestUnreadablePatchesSayWhereAndWhy(t *testing.T) {
	for text, says := range map[string]string{
		"":                                       "names no file",
		"*** Begin Patch\n*** Update File: a\n":  "nothing is said to change in a",
		"*** Begin Patch\n*** Add File: a\n+x\n": `"*** End Patch" is missing`,
		"*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch":                  `line 4: "x" begins with neither`,
		"*** Begin Patch\nhello\n*** End Patch":                                      `line 2: "hello" is not a line`,
		"--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n":                                        "says 2 old and 2 new lines and has 1 and 1",
		"--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n--- a\n+++ a\n@@ -3 +3 @@\n-a\n+b\n":     "a is in it twice",
		"diff --git a/p b/p\nBinary files a/p and b/p differ\n":                      "binary data",
		"*** Begin Patch\n*** Delete File: a\n*** Delete File: ./a\n*** End Patch\n": "in it twice",
	} {
		_, err := parsePatch(text)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "Nothing was changed") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestHunksFindTheirPlace(t *testing.T) {
	file := "a\nx\nb\nx\nc\nx\n"
	for name, c := range map[string]struct {
		body  string
		hunks []hunk
		want  string
		says  string
	}{
		"only place":           {file, []hunk{{old: []string{"b"}, put: []string{"B"}}}, "a\nx\nB\nx\nc\nx\n", ""},
		"nearest to its line":  {file, []hunk{{line: 4, old: []string{"x"}, put: []string{"y"}}}, "a\nx\nb\ny\nc\nx\n", ""},
		"after an anchor":      {file, []hunk{{anchors: []string{"b"}, old: []string{"x"}, put: []string{"y"}}}, "a\nx\nb\ny\nc\nx\n", ""},
		"anchor is first line": {file, []hunk{{anchors: []string{"b"}, old: []string{"b", "x"}, put: []string{"b", "y"}}}, "a\nx\nb\ny\nc\nx\n", ""},
		"at the end":           {file, []hunk{{atEnd: true, old: []string{"x"}, put: []string{"y"}}}, "a\nx\nb\nx\nc\ny\n", ""},
		"one after another":    {file, []hunk{{old: []string{"a"}, put: []string{"A"}}, {old: []string{"b", "x"}, put: []string{"y"}}}, "A\nx\ny\nc\nx\n", ""},
		"ambiguous":            {file, []hunk{{old: []string{"x"}, put: []string{"y"}}}, "", "3 places"},
		"a tie":                {"x\na\nx\n", []hunk{{line: 2, old: []string{"x"}, put: []string{"y"}}}, "", "2 places"},
		"missing":              {file, []hunk{{old: []string{"q"}, put: []string{"y"}}}, "", "not in the file"},
		"missing anchor":       {file, []hunk{{anchors: []string{"q"}, old: []string{"x"}, put: []string{"y"}}}, "", `no line "q"`},
		"second missing":       {file, []hunk{{old: []string{"b"}, put: []string{"B"}}, {old: []string{"a"}, put: []string{"A"}}}, "", "Hunk 2 of 2"},
		"put in by line":       {file, []hunk{{line: 2, put: []string{"new"}}}, "a\nx\nnew\nb\nx\nc\nx\n", ""},
		"put in at the end":    {file, []hunk{{put: []string{"new"}}}, file + "new\n", ""},
		"put in, open end":     {"a\nb", []hunk{{put: []string{"new"}}}, "a\nb\nnew", ""},
		"into nothing":         {"", []hunk{{put: []string{"new"}}}, "new\n", ""},
		"crlf":                 {"a\r\nb\r\nc\r\n", []hunk{{old: []string{"a", "b"}, put: []string{"a", "x", "b"}}}, "a\r\nx\r\nb\r\nc\r\n", ""},
		"open end stays":       {"a\nb", []hunk{{old: []string{"b"}, put: []string{"c"}}}, "a\nc", ""},
		"open end is closed":   {"a\nb", []hunk{{line: 2, old: []string{"b"}, put: []string{"b"}, oldOpen: true}}, "a\nb\n", ""},
		"end is opened":        {"a\nb\n", []hunk{{line: 2, old: []string{"b"}, put: []string{"b"}, newOpen: true}}, "a\nb", ""},
		"all taken out":        {"a\n", []hunk{{old: []string{"a"}}}, "", ""},
		"last line taken out":  {"a\nb", []hunk{{old: []string{"b"}}}, "a\n", ""},
	} {
		got, err := filePatch{hunks: c.hunks}.apply(c.body)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// FuzzPatch shows that no text makes reading a patch panic, and that the difference
// of two texts, applied to the one, gives the other.
func FuzzPatch(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch", "x\n", "y\n")
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n", "a\nb\nc", "a\nc\n")
	f.Add("", "x\nx\nx\n\n\nx", "x\n\nx\ny\nx")
	f.Fuzz(func(t *testing.T, text, before, after string) {
		if files, err := parsePatch(text); err == nil {
			for _, p := range files {
				p.newContent()
				_, _ = p.apply(before) // whether it fits is of no matter here
			}
		}
		if strings.ContainsAny(before+after, "\r") || before == after {
			return
		}
		diff := udiff.Unified("f", "f", before, after)
		files, err := parsePatch(diff)
		if err != nil {
			t.Fatalf("%q is not read: %v", diff, err)
		}
		got, err := files[0].apply(before)
		if err != nil || got != after {
			t.Fatalf("%q → %q by\n%s\ngives %q, %v", before, after, diff, got, err)
		}
	})
}
