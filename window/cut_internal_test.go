package window

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/session"
)

// lay makes a surface of a line: u a message of the person, a a reply, c a reply with
// a call, t a result.
func lay(line string) []session.Entry {
	var list []session.Entry
	for i, what := range line {
		m := llm.Message{Content: llm.Text("text")}
		switch what {
		case 'u':
			m.Role = llm.User
		case 'a':
			m.Role = llm.Assistant
		case 'c':
			m.Role = llm.Assistant
			m.Calls = []llm.Call{{ID: "c1", Name: "read", Arguments: "{}"}, {ID: "c2", Name: "read", Arguments: "{}"}}
		case 't':
			m.Role, m.CallID = llm.ToolRole, "c1"
		}
		seq := int64(i + 1)
		list = append(list, session.Entry{Seq: seq, Span: session.Span{From: seq, To: seq}, Message: m})
	}
	return list
}

func TestAKeptPartNeverBeginsBetweenACallAndItsResults(t *testing.T) {
	for _, c := range []struct {
		line string
		keep int // at ten tokens an entry
		want int
	}{
		{"uaua", 20, 2},
		{"uaua", 0, 3},      // the newest at least
		{"uctta", 20, 1},    // the boundary would fall after the first result
		{"uctt", 0, 1},      // the newest unit is the whole step
		{"ucttuctt", 15, 5}, // into the second step
		{"uaua", 400, 0},    // all of it
		{"", 20, 0},
	} {
		surface := lay(c.line)
		prices := make([]int, len(surface))
		for i := range prices {
			prices[i] = 10
		}
		if got := cut(surface, prices, c.keep); got != c.want {
			t.Errorf("%q keeping %d: from entry %d, want %d", c.line, c.keep, got, c.want)
		}
	}
}

func TestAPieceIsTheLongestBeginningOfWholeUnitsThatFits(t *testing.T) {
	for _, c := range []struct {
		line       string
		end, limit int
		lead       int
		want       int
		fits       bool
	}{
		{"uauaua", 4, 100, 0, 4, true},
		{"uauaua", 4, 25, 0, 2, true},
		{"ucttua", 6, 35, 0, 1, true}, // the step is one unit
		{"ucttua", 6, 40, 0, 4, true},
		{"ucttua", 6, 5, 0, 1, false}, // not even the first
		{"uucttua", 7, 30, 1, 2, true},
		{"uctt", 4, 15, 1, 4, false}, // a summary and the step behind it
	} {
		surface := lay(c.line)
		prices := make([]int, len(surface))
		for i := range prices {
			prices[i] = 10
		}
		at, fits := prefix(surface, prices, c.end, c.limit, c.lead)
		if at != c.want || fits != c.fits {
			t.Errorf("%q to %d within %d: %d, %v; want %d, %v", c.line, c.end, c.limit, at, fits, c.want, c.fits)
		}
	}
}

func TestALongTextIsShortenedToItsBeginningAndEndInWholeCharacters(t *testing.T) {
	for _, text := range []string{strings.Repeat("0123456789", 2000), strings.Repeat("潮汐表🌊", 4000)} {
		short, left := excerpt(text)
		if !utf8.ValidString(short) || utf8.RuneCountInString(short) > pruneHead+pruneTail+100 {
			t.Errorf("%d characters are left, valid %v", utf8.RuneCountInString(short), utf8.ValidString(short))
		}
		head, tail := string([]rune(text)[:pruneHead]), string([]rune(text)[utf8.RuneCountInString(text)-pruneTail:])
		if !strings.HasPrefix(short, head) || !strings.HasSuffix(short, tail) || left != len(text)-len(head)-len(tail) || !strings.Contains(short, fmt.Sprint(left)) {
			t.Errorf("head, tail or the %d bytes named are wrong", left)
		}
		if again, more := excerpt(short); again != short || more != 0 {
			t.Error("what was shortened is shortened again")
		}
	}
	if short, left := excerpt("short"); short != "short" || left != 0 {
		t.Errorf("a short text became %q", short)
	}
}

func TestATallyCountsWhatIsNewAndBeginsAnewAfterAShadow(t *testing.T) {
	surface := lay("ucttua")
	whole := func(list []session.Entry) Parts {
		var fresh tally
		fresh.take(0, list)
		return fresh.parts
	}
	var grown tally
	for n := range len(surface) + 1 {
		grown.take(0, surface[:n])
		if diff := cmp.Diff(whole(surface[:n]), grown.parts); diff != "" {
			t.Errorf("after %d entries (-whole +grown):\n%s", n, diff)
		}
	}
	if p := grown.parts; p.Files == 0 || p.Messages == 0 || p.Results != 0 {
		t.Errorf("parts = %+v; what the read tool gave counts as files", p)
	}
	grown.take(9, surface[3:])
	if diff := cmp.Diff(whole(surface[3:]), grown.parts); diff != "" {
		t.Errorf("after a shadow (-whole +grown):\n%s", diff)
	}
}

func TestPartsAddUpToTheWhole(t *testing.T) {
	p := Parts{System: 10, Tools: 33, Files: 7, Messages: 5, Results: 1}
	if got := p.scale(1001); got.Sum() != 1001 || got.Tools <= got.System {
		t.Errorf("scaled to %+v", got)
	}
	if got := (Parts{}).scale(10); got != (Parts{}) {
		t.Errorf("nothing became %+v", got)
	}
}

// A step costs what it adds: each size of history costs the same for one more entry.
func BenchmarkMeteringOneMoreStep(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			surface := lay(strings.Repeat("uctta", n/5))
			var t tally
			t.take(0, surface[:len(surface)-5])
			before := t
			b.ReportAllocs()
			for b.Loop() {
				t = before
				t.take(0, surface)
			}
		})
	}
}
