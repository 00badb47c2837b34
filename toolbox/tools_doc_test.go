package toolbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fairlead/testkit"
	"fairlead/tool"
	"fairlead/tool/file"
)

//go:generate go test . -run Documented -count=1 -update

// TestFileToolsAreDocumented holds docs/tools.md against the tools, and what it says
// of edits against the corpus.
func TestFileToolsAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Tools for files\n\nMade by the tests (`make gen`). What each tool says to the model stands in its `.md` file in `toolbox/`.\n\n" +
		"| tool | arguments | only looks | beside others | bytes in a request |\n|---|---|---|---|---|\n")
	total := 0
	for _, one := range append(fileTools(), todo{}) {
		s := one.Schema()
		var params struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(s.Parameters, &params); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, n := range slices.Sorted(maps.Keys(params.Properties)) {
			if !slices.Contains(params.Required, n) {
				n += "?"
			}
			names = append(names, "`"+n+"`")
		}
		call := &tool.Call{Args: json.RawMessage(`{}`)}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		total += len(raw)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d |\n", s.Name, strings.Join(names, " "), yes(one.(tool.ReadOnly).ReadOnly(call)), yes(parallel(one, call)), len(raw))
	}
	fmt.Fprintf(&b, "| together | | | | %d |\n", total)
	b.WriteString("\n## What an edit leaves alone\n\nA file of each character set, with and without a byte order mark where it has one, with four mixtures of line ends, in four sizes, with and without a line end " +
		"after the last line, edited in its first, middle and last line: every byte outside the edit is the same afterwards.\n\n| character set | cases |\n|---|---|\n")
	cases := editCorpus(t, func(string, []byte, []byte) {})
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		fmt.Fprintf(&b, "| %s | %d |\n", name, cases[name])
	}
	b.WriteString("\n## Limits\n\n| what | limit |\n|---|---|\n")
	for _, l := range [][2]string{
		{"one read", fmt.Sprintf("%s lines or %s; %s characters of a line, then it says at which column to go on", grouped(readLines), file.ByteCount(readBytes), grouped(lineChars))},
		{"a file that can be changed", file.ByteCount(file.MostBytes) + "; a larger one is read in ranges"},
		{"a picture", file.ByteCount(mostPictureBytes)},
		{"paths in an answer of glob", grouped(mostPaths) + ", the whole list is kept"},
		{"entries in an answer of list", grouped(mostEntries) + ", the whole list is kept"},
		{"matching lines in an answer of grep", grouped(mostMatches) + ", the whole list is kept up to " + file.ByteCount(mostFound)},
		{"a file that is searched", file.ByteCount(searchedBytes)},
	} {
		fmt.Fprintf(&b, "| %s | %s |\n", l[0], l[1])
	}
	testkit.Golden(t, "../docs/tools.md", b.String())
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func parallel(t tool.Tool, call *tool.Call) bool {
	s, ok := t.(tool.Scheduler)
	return ok && s.Parallel(call)
}
