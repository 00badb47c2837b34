package wire_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// joined writes results that follow each other as one group, other messages one by
// one, and counts the messages it wrote.
func joined(written *int) func(b []byte, rest []llm.Message) ([]byte, int, error) {
	return func(b []byte, rest []llm.Message) ([]byte, int, error) {
		n := 1
		for rest[0].Role == llm.ToolRole && n < len(rest) && rest[n].Role == llm.ToolRole {
			n++
		}
		b = append(b, '(')
		for _, m := range rest[:n] {
			*written++
			b = fmt.Append(b, m.Role, m.CallID, m.Content, m.Calls)
		}
		return append(b, ')'), n, nil
	}
}

func TestARememberedHistoryIsWrittenAsANewOne(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var w wire.Written
	histories := make([][]llm.Message, 12) // more than are remembered
	for range 3000 {
		h := &histories[r.IntN(len(histories))]
		switch r.IntN(10) {
		case 0: // as after compaction
			*h = slices.Clone((*h)[min(len(*h), r.IntN(3)):])
		case 1:
			*h = (*h)[:r.IntN(len(*h)+1)]
		default:
			m := llm.Message{Role: llm.User, Content: llm.Text(fmt.Sprint(r.IntN(5)))}
			if r.IntN(2) == 0 {
				m = llm.Message{Role: llm.ToolRole, CallID: fmt.Sprint(r.IntN(3)), Content: llm.Text("x")}
			}
			*h = append((*h)[:len(*h):len(*h)], m)
		}
		quirks := llm.Quirks{NoUsage: r.IntN(9) == 0}
		n := 0
		want, err := new(wire.Written).Write([]byte("head "), quirks, *h, joined(&n))
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.Write([]byte("head "), quirks, *h, joined(&n))
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v\nremembered %s\nnew        %s", err, got, want)
		}
	}
}

func TestAHistoryThatGrowsCostsWhatItAdds(t *testing.T) {
	var w wire.Written
	var list []llm.Message
	for i := range 100 {
		list = append(list, llm.Message{Role: llm.User, Content: llm.Text(fmt.Sprint(i))})
		n := 0
		if _, err := w.Write(nil, llm.Quirks{}, list, joined(&n)); err != nil || n > 2 {
			t.Fatalf("message %d: %d were written, %v", i, n, err)
		}
	}
}

func TestWhatFailsIsNotRemembered(t *testing.T) {
	var w wire.Written
	list := []llm.Message{{Role: llm.User, Content: llm.Text("a")}, {Role: llm.User, Content: llm.Text("b")}}
	broken := errors.New("broken")
	if _, err := w.Write(nil, llm.Quirks{}, list, func(b []byte, _ []llm.Message) ([]byte, int, error) { return b, 1, broken }); !errors.Is(err, broken) {
		t.Fatal(err)
	}
	n := 0
	if _, err := w.Write(nil, llm.Quirks{}, list, joined(&n)); err != nil || n != 2 {
		t.Errorf("%d messages were written, %v", n, err)
	}
}
