package toolbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/tool"
	"fairlead/tool/file"
)

// largeChunk is how much of a large file is loaded for one read; it holds more
// than one answer shows.
const largeChunk = 4 * readBytes

// large gives a range of a file that is too large to be read whole. The lines
// before it are counted, not kept; such a file is not noted as seen, because it
// cannot be changed by the tools anyway.
func (a readArgs) large(call *tool.Call, p *file.Place) (*tool.Result, error) {
	f, about, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	path := shown(call, p.Path)
	sample, err := in.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, file.Unreachable(p.Path, err)
	}
	// A character may be cut at the sample's end; its last line is left out of the judgement.
	t, ok := file.Decode(wholeLines(sample))
	if !ok {
		return nil, binary(path, sample, about.Size())
	}
	if t.Code.Name == "UTF-16 LE" || t.Code.Name == "UTF-16 BE" {
		return nil, fault.New(fault.TooLarge, "toolbox.read", "%s is %s text of %s; only up to %s of it can be read. Convert it first, with iconv for instance.", path, t.Code.Name, file.ByteCount(about.Size()), file.ByteCount(file.MostBytes)).WithCode(file.CodeTooLarge)
	}
	from := max(a.Offset, 1)
	for line := 1; line < from; {
		_, err := in.ReadSlice('\n')
		switch {
		case err == nil:
			line++
		case errors.Is(err, io.EOF):
			return nil, fault.New(fault.Invalid, "toolbox.read", "%s has %s; line %d is past its end.", path, plural(line, "line"), from).WithCode("PAST_END")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, file.Unreachable(p.Path, err)
		}
	}
	w := window{line: from, column: max(a.Column, 1)}
	if err := skipColumns(in, w.column-1); err != nil {
		return nil, fault.Wrap(fault.Invalid, "toolbox.read", err, "Line %d of %s has fewer than %d characters.", from, path, w.column).WithCode("PAST_END")
	}
	chunk := make([]byte, largeChunk)
	n, err := io.ReadFull(in, chunk)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, file.Unreachable(p.Path, err)
	}
	w.end = n < len(chunk)
	w.rest = string(chunk[:n])
	if t.Code.Via != nil {
		if w.rest, err = t.Code.Via.NewDecoder().String(w.rest); err != nil {
			return nil, fault.Wrap(fault.Invalid, "toolbox.read", err, "%s cannot be read as %s.", path, t.Code.Name)
		}
	}
	limit := readLines
	if a.Limit > 0 {
		limit = min(a.Limit, readLines)
	}
	out := w.render(limit)
	if out.done {
		out.add(fmt.Sprintf("[end of the file, %s]", file.ByteCount(about.Size())))
	} else {
		out.add(fmt.Sprintf("[lines %d to %d; the file has %s and goes on, read on with offset %d]", from, out.to, file.ByteCount(about.Size()), out.to+1))
	}
	return &tool.Result{Content: llm.Text(out.String()), View: readView{Kind: "read", Path: path, From: from, To: out.to, Lang: language(path)}}, nil
}

// wholeLines drops what follows the last line end, if there is one.
func wholeLines(b []byte) []byte {
	for i := len(b) - 1; i > 0; i-- {
		if b[i] == '\n' {
			return b[:i+1]
		}
	}
	return b
}

// skipColumns passes over characters of one line.
func skipColumns(in *bufio.Reader, n int) error {
	for range n {
		r, _, err := in.ReadRune()
		if err != nil {
			return err
		}
		if r == '\n' {
			return errors.New("the line ends before")
		}
	}
	return nil
}
