package toolbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fairlead/llm"
	"fairlead/tool"
)

var (
	advice   = regexp.MustCompile(`\[(?:lines (\d+) to (\d+)[^\]]*read on with offset (\d+)|(.*end of the file.*)|(no line end.*)|(the file is empty))\]$`)
	goesOn   = regexp.MustCompile(`… \[line (\d+) goes on with [\d,]+ characters; read offset (\d+) column (\d+)\]$`)
	numbered = regexp.MustCompile(`^(\d+)(?::(\d+))?→`)
)

// follow reads a file to its end as the answers say, and gives its lines put
// together again. What an answer states about its range must be what it holds.
func follow(t *testing.T, h *house, path string) (lines []string, calls int) {
	t.Helper()
	offset, column := 1, 0
	for calls < 500 {
		calls++
		a := args{"path": path, "offset": offset}
		if column > 0 {
			a["column"] = column
		}
		text := h.ok("read", a)
		if len(text) > 50_000 {
			t.Fatalf("an answer of %d bytes would be cut again", len(text))
		}
		rows := strings.Split(text, "\n")
		foot := advice.FindStringSubmatch(rows[len(rows)-1])
		if foot != nil {
			rows = rows[:len(rows)-1]
		}
		first, last := 0, 0
		cutLine, cutColumn := 0, 0
		for _, row := range rows {
			mark := numbered.FindStringSubmatch(row)
			if mark == nil {
				t.Fatalf("row %.60q has no number", row)
			}
			n, _ := strconv.Atoi(mark[1])
			if first == 0 {
				first = n
			}
			last = n
			row = row[len(mark[0]):]
			if cut := goesOn.FindStringSubmatch(row); cut != nil {
				row = strings.TrimSuffix(row, cut[0])
				if cutLine == 0 {
					cutLine, _ = strconv.Atoi(cut[2])
					cutColumn, _ = strconv.Atoi(cut[3])
				}
			}
			if cutLine != 0 && n > cutLine {
				continue // read again from the cut on
			}
			if mark[2] != "" {
				lines[n-1] += row
			} else if len(lines) == n-1 {
				lines = append(lines, row)
			} else {
				t.Fatalf("line %d comes after %d", n, len(lines))
			}
		}
		if foot != nil && foot[1] != "" {
			if from, _ := strconv.Atoi(foot[1]); from != first {
				t.Fatalf("says from %d, holds from %d", from, first)
			}
			if to, _ := strconv.Atoi(foot[2]); to != last {
				t.Fatalf("says to %d, holds to %d", to, last)
			}
		}
		switch {
		case cutLine != 0:
			offset, column = cutLine, cutColumn
		case foot == nil || foot[1] == "":
			return lines, calls
		default:
			offset, _ = strconv.Atoi(foot[3])
			column = 0
		}
	}
	t.Fatalf("not at the end after %d calls", calls)
	return nil, 0
}

func TestFollowingTheAdviceReadsAnyFileToItsEnd(t *testing.T) {
	h := newHouse(t)
	lines := func(n, length int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d %s\n", i, strings.Repeat("x", length))
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"short":            "one\ntwo\n",
		"no end":           "one\ntwo",
		"2,000 lines":      lines(2000, 5),
		"2,001 lines":      lines(2001, 5),
		"5,321 lines":      lines(5321, 5),
		"wide lines":       lines(1500, 1200),
		"one long line":    strings.Repeat("0123456789", 30_000),
		"long, many bytes": strings.Repeat("漢字é", 20_000) + "\nend\n",
		"long lines":       strings.Repeat(strings.Repeat("y", 7000)+"\n", 7),
		"exactly at limit": strings.Repeat("z", 2000) + "\n" + strings.Repeat("z", 2001) + "\n",
		"empty lines":      strings.Repeat("\n", 4500),
		"crlf":             strings.Repeat("row\r\n", 3000),
	} {
		h.put("f", body)
		got, calls := follow(t, h, "f")
		want := strings.Split(strings.TrimSuffix(strings.ReplaceAll(body, "\r\n", "\n"), "\n"), "\n")
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %d lines read in %d calls, want %d lines", name, len(got), calls, len(want))
		}
		if limit := 2 + len(body)/30_000 + strings.Count(body, "\n")/1000 + 8; calls > limit {
			t.Errorf("%s: %d calls for %d bytes", name, calls, len(body))
		}
	}
}

func TestAVeryLargeFileIsReadInRanges(t *testing.T) {
	h := newHouse(t)
	line := strings.Repeat("large ", 200)
	f, err := os.Create(h.path("big.log"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 15_000 {
		fmt.Fprintf(f, "%d %s\n", i+1, line)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text := h.ok("read", args{"path": "big.log", "offset": 14_990})
	says(t, text, "14990→14990 large", "15000→15000 large", "[end of the file, 18.1 MB]")
	text = h.ok("read", args{"path": "big.log", "offset": 7, "limit": 2})
	says(t, text, "7→7 large", "8→8 large", "[lines 7 to 8; the file has 18.1 MB and goes on, read on with offset 9]")
	text = h.ok("read", args{"path": "big.log", "offset": 7, "column": 1190})
	says(t, text, "7:1190→")
	says(t, h.refused("PAST_END", "read", args{"path": "big.log", "offset": 20_000}), "line 20000 is past its end")
	h.refused("FILE_TOO_LARGE", "edit", args{"path": "big.log", "old": "x", "new": "y"})
}

func TestReadSaysWhatAFileIs(t *testing.T) {
	h := newHouse(t)
	h.put("empty", "")
	h.put("mark.txt", "\xEF\xBB\xBFhi\n")
	h.put("latin.txt", "caf\xe9\n")
	h.put("pic.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00")
	h.put("data.bin", "\x00\x01\x02\x03")
	h.put("Main.go", "package main\n")
	says(t, h.ok("read", args{"path": "empty"}), "[the file is empty]")
	says(t, h.ok("read", args{"path": "mark.txt"}), "1→hi\n[UTF-8 with a byte order mark]")
	says(t, h.ok("read", args{"path": "latin.txt"}), "1→café\n[Windows-1252]")
	says(t, h.refused("BINARY_FILE", "read", args{"path": "data.bin"}), "not text but binary data (unknown format, 4 bytes)", "was not read")
	says(t, h.refused("IS_FOLDER", "read", args{"path": "."}), "Use list")
	says(t, h.refused("NOT_FOUND", "read", args{"path": "main.go"}), "main.go does not exist", "there is Main.go")
	says(t, h.refused("NOT_FOUND", "read", args{"path": "no/where"}), "does not exist")
	says(t, h.refused("PAST_END", "read", args{"path": "Main.go", "offset": 2}), "has 1 line; line 2 is past its end")
	says(t, h.refused("PAST_END", "read", args{"path": "Main.go", "offset": 1, "column": 400}), "fewer than 400 characters")
	h.refused("INVALID", "read", args{"path": "a\x00b"})
	says(t, h.refused("INVALID", "read", args{"path": "~/x"}), "~ is not expanded")
	r := h.run("read", args{"path": "Main.go"})
	var view map[string]any
	if err := json.Unmarshal(r.View, &view); err != nil || view["kind"] != "read" || view["lang"] != "go" || view["lines"] != 1.0 || view["path"] != "Main.go" {
		t.Errorf("view %s", r.View)
	}
}

func TestAKeptResultIsReadLikeAFile(t *testing.T) {
	h := newHouse(t)
	for i := range 300 {
		h.put(fmt.Sprintf("d/f%03d.txt", i), "x\n")
	}
	r := h.run("glob", args{"pattern": "*.txt"})
	text := llm.Plain(r.Content)
	says(t, text, "d/f000.txt", "the first 200 of 300", "offset 201")
	if r.Spill == nil {
		t.Fatal("nothing kept")
	}
	rest := h.ok("read", args{"path": tool.Locator(*r.Spill), "offset": 201})
	says(t, rest, "201→d/f200.txt", "300→d/f299.txt", "end of the file, 300 lines")
	h.refused("NOT_FOUND", "read", args{"path": "spill:123456789abc"})
}

func TestNotebooksPicturesAndPDFAreRead(t *testing.T) {
	h := newHouse(t)
	h.put("n.ipynb", `{"cells":[{"cell_type":"markdown","source":["# Title\n","text"]},{"cell_type":"code","source":"print(1)","outputs":[{"output_type":"stream","text":["1\n"]},{"output_type":"display_data","data":{"image/png":"aGVsbG8="}},{"output_type":"error","ename":"ValueError","evalue":"no"}]}],"nbformat":4}`)
	want := "1→[cell 1, markdown]\n2→# Title\n3→text\n4→[cell 2, code]\n5→print(1)\n6→[output]\n7→1\n8→[output]\n9→[a picture, image/png, 10 bytes, is left out]\n10→[output]\n11→ValueError: no\n[shown as text, the file itself is not]"
	if got := h.ok("read", args{"path": "n.ipynb"}); got != want {
		t.Errorf("notebook:\n%s", got)
	}
	h.ok("edit", args{"path": "n.ipynb", "old": "print(1)", "new": "print(2)"})
	h.put("bad.ipynb", "not JSON\n")
	says(t, h.ok("read", args{"path": "bad.ipynb"}), "1→not JSON")

	var pic bytes.Buffer
	if err := png.Encode(&pic, image.NewGray(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	h.put("pic.png", pic.String())
	r := h.run("read", args{"path": "pic.png"})
	if r.Failed || len(r.Content) != 2 || r.Content[0].Text != fmt.Sprintf("pic.png: PNG picture, 40 × 30, %d bytes", pic.Len()) || r.Content[1].MIME != "image/png" {
		t.Fatalf("%+v", r)
	}
	if got, err := h.log.Blob(r.Content[1].Blob); err != nil || !bytes.Equal(got, pic.Bytes()) {
		t.Errorf("kept %d bytes, %v", len(got), err)
	}
	h.put("big.png", pic.String()+strings.Repeat("x", 4<<20))
	says(t, h.refused("FILE_TOO_LARGE", "read", args{"path": "big.png"}), "Make a smaller one")

	h.put("d.pdf", "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page/Contents 4 0 R>>endobj\n4 0 obj<</Length 27>>\nstream\nBT 5 5 Td (Hello) Tj ET    \nendstream endobj\ntrailer<</Root 1 0 R>>")
	if got := h.ok("read", args{"path": "d.pdf"}); got != "1→[page 1 of 1]\n2→Hello\n[shown as text, the file itself is not]" {
		t.Errorf("PDF: %s", got)
	}
	h.put("e.pdf", "%PDF-1.4\nnothing")
	says(t, h.refused("BINARY_FILE", "read", args{"path": "e.pdf"}), "cannot be read: no page was found in it")
}
