package toolbox

import (
	"fmt"
	"strings"
	"testing"

	"fairlead/tool/file"
)

func TestEditsKeepLineEnds(t *testing.T) {
	for name, c := range map[string]struct {
		body     string
		old, new string
		all      bool
		want     string
	}{
		"CRLF file, LF in the call":    {"a\r\nb\r\nc\r\n", "a\nb", "a\nX\nb", false, "a\r\nX\r\nb\r\nc\r\n"},
		"LF file, CRLF in the call":    {"a\nb\nc\n", "a\r\nb", "a\r\nX\r\nb", false, "a\nX\nb\nc\n"},
		"inside a line":                {"one two three\r\n", "two", "2", false, "one 2 three\r\n"},
		"no line end at the end":       {"a\nb", "b", "c", false, "a\nc"},
		"mixed, LF part":               {"a\r\nb\nc\nd\r\n", "b\nc", "b\nX\nc", false, "a\r\nb\nX\nc\nd\r\n"},
		"mixed, kept lines keep ends":  {"a\r\nb\nc\r\nd\n", "a\nb\nc\nd", "A\nb\nc\nD", false, "A\r\nb\nc\r\nD\n"},
		"mixed, line added":            {"a\r\nb\n", "b", "b\nc", false, "a\r\nb\nc\n"},
		"append after the last line":   {"a\r\nb", "b", "b\nc", false, "a\r\nb\r\nc"},
		"delete a line":                {"a\r\nb\r\nc\r\n", "b\n", "", false, "a\r\nc\r\n"},
		"delete a line end":            {"a\r\nb\r\n", "a\nb", "ab", false, "ab\r\n"},
		"all":                          {"x=1; x=2\r\nx=3\n", "x", "y", true, "y=1; y=2\r\ny=3\n"},
		"all, overlapping":             {"aaaa\n", "aa", "b", true, "bb\n"},
		"dollar signs are plain":       {"a\n", "a", `$& $1 \1`, false, "$& $1 \\1\n"},
		"lone CR is a character":       {"a\rb\r\nc\r\n", "a\rb", "a\rB", false, "a\rB\r\nc\r\n"},
		"multi-byte neighbours differ": {"é\n", "é", "è", false, "è\n"},
		"empty lines":                  {"\r\n\r\n\r\nx\r\n", "x", "\ny", false, "\r\n\r\n\r\n\r\ny\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := change{c.old, c.new, c.all}.apply(c.body)
			if err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestFailedEditsExplainThemselves(t *testing.T) {
	file := "package main\n\nfunc main() {\n\tprintln(\"it’s\")\n\tx := 1\n\tx = 2\n}\n"
	for name, c := range map[string]struct {
		old, new string
		says     []string
	}{
		"empty":             {"", "x", []string{`"old" is empty`}},
		"same":              {"x := 1", "x := 1", []string{"nothing would change"}},
		"twice":             {"x", "y", []string{"2 places", "5→\tx := 1", "6→\tx = 2", `"all"`}},
		"spaces for a tab":  {"    x := 1\n    x = 2", "y", []string{"Line 5", "differ only in blanks", `the file has "\tx := 1"`, `"old" has "    x := 1"`, "5→\tx := 1"}},
		"trailing blank":    {"x := 1 \n", "y", []string{"Line 5", "only in blanks"}},
		"line numbers":      {"5→\tx := 1\n6→\tx = 2\n", "y", []string{"line numbers of read"}},
		"numbers with tabs": {"     5\t\tx := 1\n", "y", []string{"line numbers of read"}},
		"escaped":           {`\tx := 1\n\tx = 2`, "y", []string{"written as a backslash"}},
		"typographic quote": {`println("it's")`, "y", []string{"line is 4", "U+2019", `"old" has "'s\")"`}},
		"another value":     {"func main() {\n\tprintln(\"it’s\")\n\tx := 3", "y", []string{"nearest place is line 3", "First difference in line 5, column 7", `the file has "1", "old" has "3"`}},
		"made before":       {"x := 0", "\tx := 1", []string{`"new" stands in line 5 already`}},
		"nothing like it":   {"SELECT * FROM somewhere", "y", []string{"Nothing in the file is like it"}},
		"past the end":      {"}\nmore\n", "y", []string{"The file ends after line 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := change{Old: c.old, New: c.new}.apply(file)
			if err == nil {
				t.Fatalf("made: %q", got)
			}
			for _, says := range c.says {
				if says == "line is 4" {
					says = "is line 4"
				}
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
		})
	}
}

// editCorpus makes the cases of an edit: character sets, with and without a mark,
// line ends, sizes, places, with and without a last line end. try gets the bytes of
// a file before and as they must be after; it gives how many cases there were by set.
func editCorpus(t *testing.T, try func(name string, before, after []byte)) (cases map[string]int) {
	t.Helper()
	utf8Set, le, be, latin1, win, gb, sjis := file.Charsets()
	words := map[string]string{utf8Set.Name: "grün 漢字 😀", le.Name: "grün 漢字 😀", be.Name: "grün 漢字", latin1.Name: "grün schön für", win.Name: "it’s “grün” für", gb.Name: "中文注释和更多的字", sjis.Name: "ソフトウェアの表示"}
	cases = map[string]int{}
	build := func(c file.Charset, marked, closed bool, ends []string, size int, word func(line int) string) []byte {
		var b strings.Builder
		for i := range size {
			fmt.Fprintf(&b, "line %d %s %s end", i, words[c.Name], word(i))
			if i < size-1 || closed {
				b.WriteString(ends[i%len(ends)])
			}
		}
		raw, err := file.Text{Code: c, BOM: marked}.Encode(b.String())
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for _, c := range []file.Charset{utf8Set, le, be, latin1, win, gb, sjis} {
		for _, marked := range []bool{false, true} {
			if marked && c.Mark == nil {
				continue
			}
			for _, ends := range [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}, {"\r\n", "\n", "\n"}} {
				for _, size := range []int{1, 3, 40, 400} {
					for _, at := range []int{0, size / 2, size - 1} {
						for _, closed := range []bool{true, false} {
							cases[c.Name]++
							as := func(word string) func(int) string {
								return func(line int) string {
									if line == at {
										return word
									}
									return "alpha"
								}
							}
							try(fmt.Sprintf("%s, mark %t, %q, line %d of %d, closed %t", c.Name, marked, ends, at, size, closed),
								build(c, marked, closed, ends, size, as("TARGET")), build(c, marked, closed, ends, size, as("changed")))
						}
					}
				}
			}
		}
	}
	return cases
}

func TestEveryByteOutsideAnEditStays(t *testing.T) {
	total := 0
	for _, n := range editCorpus(t, func(name string, before, after []byte) {
		read, ok := file.Decode(before)
		if !ok {
			t.Fatalf("%s: no text", name)
		}
		body, err := change{Old: "TARGET end", New: "changed end"}.apply(read.Body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := read.Encode(body); err != nil || string(got) != string(after) {
			t.Fatalf("%s (read as %s): other bytes changed (%v)", name, read.Code.Name, err)
		}
	}) {
		total += n
	}
	if total < 300 {
		t.Errorf("only %d cases", total)
	}
}

// FuzzEdit shows that an edit that is made changes one region and nothing else,
// and that line ends other than those of the region stay.
func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\r\nc\r\n", "b\n", "B\nBB\n")
	f.Add("x\ny\r\n", "x\ny", "y\nx")
	f.Add("aaa", "aa", "b")
	f.Add("é\xffè\r\n\r", "\xff", "\n")
	f.Fuzz(func(t *testing.T, body, old, replacement string) {
		got, err := change{Old: old, New: replacement}.apply(body)
		if err != nil {
			if got != "" {
				t.Fatal("a refused edit gives text")
			}
			return
		}
		plainOld, plainNew := strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(replacement, "\r\n", "\n")
		plain := fold(body).text
		want := strings.Replace(plain, plainOld, plainNew, 1)
		if strings.ReplaceAll(got, "\r\n", "\n") != strings.ReplaceAll(want, "\r\n", "\n") {
			t.Fatalf("%q, %q → %q gives %q", body, old, replacement, got)
		}
		at := strings.Index(plain, plainOld)
		head := fold(body).at(at)
		if !strings.HasPrefix(got, body[:head]) {
			t.Fatalf("%q, %q → %q: text before the edit changed: %q", body, old, replacement, got)
		}
		tail := body[fold(body).at(at+len(plainOld)):]
		if !strings.HasSuffix(got, tail) {
			t.Fatalf("%q, %q → %q: text after the edit changed: %q", body, old, replacement, got)
		}
	})
}
