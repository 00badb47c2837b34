package wire_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"fairlead/llm/wire"

	"github.com/google/go-cmp/cmp"
)

func events(r io.Reader) (list []string, err error) {
	for e := wire.NewEvents(r); ; {
		ev, err := e.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, ev.Name+"|"+string(ev.Data))
	}
}

func TestEventsAreTheSameHoweverTheBytesArrive(t *testing.T) {
	for _, c := range []struct {
		name string
		in   string
		want []string
	}{
		{"LF", "data: a\n\nevent: x\ndata: b\n\n", []string{"|a", "x|b"}},
		{"CRLF", "data: a\r\n\r\nevent: x\r\ndata: b\r\n\r\n", []string{"|a", "x|b"}},
		{"CR", "data: a\r\revent: x\rdata: b\r\r", []string{"|a", "x|b"}},
		{"mixed", "data: a\r\n\ndata: b\n\r\n", []string{"|a", "|b"}},
		{"several data lines", "data: {\ndata: \"a\":1\ndata: }\n\n", []string{"|{\n\"a\":1\n}"}},
		{"whole data lines without a blank between", "data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n\n", []string{`|{"a":1}`, `|{"b":2}`, "|[DONE]"}},
		{"lines of JSON", "{\"a\":1}\ndata: {\"b\":2}\n{\"c\":3}\n", []string{`|{"a":1}`, `|{"b":2}`, `|{"c":3}`}},
		{"heartbeats", ": x\n\ndata: : y\n\ndata:\n\nevent: beat\n\ndata: a\n\n", []string{"|a"}},
		{"a name does not stay", "event: beat\n\ndata: a\n\n", []string{"|a"}},
		{"no end", "data: a\n\ndata: b", []string{"|a", "|b"}},
		{"foreign lines", "hello\nnews: 1\ndata: a\n\n", []string{"|a"}},
		{"a byte order mark", "\ufeffdata: a\n\n", []string{"|a"}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"at once":    strings.NewReader(c.in),
				"one by one": iotest.OneByteReader(strings.NewReader(c.in)),
				"halves":     iotest.HalfReader(strings.NewReader(c.in)),
				"with EOF":   iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := events(r)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestAReaderThatFailsFailsTheStreamBehindItsLastEvent(t *testing.T) {
	broken := errors.New("reset")
	got, err := events(io.MultiReader(strings.NewReader("data: a\n\ndata: {"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestALineWithoutEndIsBounded(t *testing.T) {
	if _, err := events(endless{}); err == nil {
		t.Error("an endless line was read")
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// For streams in the plain form, the reader gives what a plain scanner gives.
func FuzzEventsReadPlainStreams(f *testing.F) {
	f.Add("data: a\n\ndata: b\n\n", uint8(1))
	f.Add("data: {}\r\n\r\n: c\n\nfoo\n", uint8(3))
	f.Fuzz(func(t *testing.T, in string, n uint8) {
		if len(in) > 1<<16 {
			return
		}
		whole, err := events(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		cut, err := events(&chunked{in, int(n)%17 + 1})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, cut); diff != "" {
			t.Fatalf("cut otherwise (-whole +cut):\n%s", diff)
		}
		if strings.ContainsAny(in, "\r\ufeff") || strings.Contains(in, "{") {
			return
		}
		var plain int
		for s := bufio.NewScanner(strings.NewReader(in)); s.Scan(); {
			if data, ok := strings.CutPrefix(s.Text(), "data:"); ok && strings.TrimSpace(data) != "" {
				plain++
			}
		}
		if len(whole) > plain {
			t.Errorf("%d events from %d lines", len(whole), plain)
		}
	})
}

type chunked struct {
	rest string
	n    int
}

func (c *chunked) Read(b []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), c.n)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
