package window

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"fairlead/llm"
	"fairlead/session"
)

// standing are the sources whose messages hold until something changes and are not
// told again before, so that a summary carries them word for word: true where each
// message takes the place of the one before, false where it adds to it. What other
// sources inject is news, and ages.
func standing(source string) (replaces, stands bool) {
	switch source {
	case "environment", "goal":
		return true, true
	case "instructions", "skills":
		return false, true
	}
	return false, false
}

// carrying is what goes on word for word from a part that is summed up.
type carrying struct {
	said  *Carried
	told  []Carried
	steps string   // the open steps of the list
	heads []string // how the person's messages begin, for a digest
	items int      // what an earlier summary stood for
}

// carry reads what goes on from the entries before at.
func (c *compaction) carry(ctx context.Context, surface []session.Entry, at int) (*carrying, error) {
	log := c.agent.Log()
	k := &carrying{steps: openSteps(log.Snapshot()["todo"])}
	for _, e := range surface[:at] {
		if e.Message.Role != llm.User {
			continue
		}
		event, err := log.Event(ctx, e.Seq)
		if err != nil {
			return nil, err
		}
		if err := k.take(event); err != nil {
			return nil, err
		}
	}
	for _, e := range surface[at:] {
		if e.Message.Role != llm.User {
			continue
		}
		event, err := log.Event(ctx, e.Seq)
		if err != nil {
			return nil, err
		}
		if session.UserMessage.Of(event) {
			k.said = nil // a newer one stays as it is
			break
		}
	}
	k.bound(c.start.budget.Window / 4 * bytesPerToken)
	if k.said != nil && c.scaled(priceBytes(len(k.said.Text))) > c.start.budget.Keep {
		k.said.Text, _ = excerpt(k.said.Text)
	}
	return k, nil
}

func (k *carrying) take(e session.Event) error {
	switch {
	case session.UserMessage.Of(e):
		d, err := session.UserMessage.Decode(e)
		if err != nil {
			return err
		}
		text := llm.Plain(d.Content)
		k.said = &Carried{Text: text}
		k.heads = append(k.heads, head(text))
	case session.Injected.Of(e):
		d, err := session.Injected.Decode(e)
		if err != nil {
			return err
		}
		k.tell(Carried{d.Source, d.Text})
	case Summary.Of(e):
		d, err := Summary.Decode(e)
		if err != nil {
			return err
		}
		k.said, k.items = d.Said, k.items+d.Items
		for _, t := range d.Told {
			k.tell(t)
		}
		k.heads = append(k.heads, d.Text)
	}
	return nil
}

func (k *carrying) tell(t Carried) {
	replaces, stands := standing(t.Source)
	if !stands {
		return
	}
	k.told = append(slices.DeleteFunc(k.told, func(o Carried) bool { return o.Source == t.Source && (replaces || o.Text == t.Text) }), t)
}

// bound keeps the newest of what was told, up to a number of bytes.
func (k *carrying) bound(bytes int) {
	at := len(k.told)
	for at > 0 && bytes >= len(k.told[at-1].Text) {
		at--
		bytes -= len(k.told[at].Text)
	}
	k.told = k.told[at:]
}

// openSteps gives the unfinished items of the list of steps, from what its projection
// shows.
func openSteps(view any) string {
	text, err := json.Marshal(view)
	if err != nil {
		return ""
	}
	var list struct {
		Items []struct{ Text, State string }
	}
	if json.Unmarshal(text, &list) != nil {
		return ""
	}
	var b strings.Builder
	for _, item := range list.Items {
		if item.State != "done" {
			fmt.Fprintf(&b, "- [%s] %s\n", item.State, item.Text)
		}
	}
	return b.String()
}

// The length of what a digest quotes of each message, and of all, in characters.
const (
	headLength   = 300
	digestLength = 4000
)

func head(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= headLength {
		return text
	}
	return string([]rune(text)[:headLength]) + "…"
}

// digest is what the harness says of a part where the model gave no summary.
func (k *carrying) digest() string {
	var b strings.Builder
	b.WriteString("The model gave no summary of this part. What the person said in it, shortened:\n")
	from, length := len(k.heads), 0
	for from > 0 && length < digestLength {
		from--
		length += utf8.RuneCountInString(k.heads[from])
	}
	for _, h := range k.heads[from:] {
		b.WriteString("- " + h + "\n")
	}
	return b.String()
}

// frame is what the model sees of a summary.
func (d SummaryData) frame(steps string) string {
	var b strings.Builder
	b.WriteString("<summary>\nThe beginning of this conversation was summarised to make room. What follows is what is known of it; the conversation goes on behind it.\n\n")
	b.WriteString(d.Text)
	b.WriteString("\n</summary>")
	if steps != "" {
		b.WriteString("\n\n<open-steps>\n" + steps + "</open-steps>")
	}
	for _, t := range d.Told {
		b.WriteString("\n\n" + t.Text)
	}
	if d.Said != nil {
		b.WriteString("\n\n<newest-message-of-the-person>\n" + d.Said.Text + "\n</newest-message-of-the-person>")
	}
	return b.String()
}
