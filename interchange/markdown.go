package interchange

import (
	"fmt"
	"io"
	"strings"

	"fairlead/session"
)

// Markdown writes a session for reading in a text editor. What tools were given and
// gave back stands in fences, so that no text can change how the rest reads.
func Markdown(log *session.Log, w io.Writer) error {
	t, err := transcriptOf(log)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", oneLine(titleOf(t)))
	fmt.Fprintf(&b, "Session %s", t.Header.ID)
	if t.Header.Folder != "" {
		fmt.Fprintf(&b, " in `%s`", strings.ReplaceAll(t.Header.Folder, "`", "'"))
	}
	fmt.Fprintf(&b, ", %d events.\n", t.Events)
	for _, r := range t.Rows {
		b.WriteByte('\n')
		switch r.Kind {
		case "person":
			fmt.Fprintf(&b, "## You · %s\n\n%s\n", r.At.Format("2006-01-02 15:04"), r.Text)
		case "model":
			fmt.Fprintf(&b, "## Fairlead\n\n%s\n", r.Text)
		case "thinking":
			fmt.Fprintf(&b, "<details><summary>Thinking</summary>\n\n%s\n\n</details>\n", fenced(r.Text, ""))
		case "call":
			fmt.Fprintf(&b, "**%s** %s\n\n%s\n", oneLine(r.Who), oneLine(r.What), fenced(r.Text, "json"))
		case "result":
			fmt.Fprintf(&b, "%s\n\n%s\n", map[bool]string{false: "Result", true: "Result (did not work)"}[r.Failed], fenced(r.Text, ""))
		case "note":
			fmt.Fprintf(&b, "> %s\n", oneLine(r.Text))
		case "end":
			fmt.Fprintf(&b, "> Ended: %s. %s\n", r.Who, oneLine(r.Text))
		}
		for _, p := range r.Images {
			fmt.Fprintf(&b, "\n![%s](%s)\n", oneLine(first(p.Name, "Picture without description")), p.address())
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func titleOf(t *transcript) string { return first(t.Meta.Title, "Session "+string(t.Header.ID)) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// fenced puts text into a code fence that is longer than any in it.
func fenced(text, language string) string {
	longest, run := 2, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
