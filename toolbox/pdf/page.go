package pdf

import (
	"math"
	"strings"
)

// Limits of one page.
const (
	mostOperators = 2_000_000
	mostForms     = 12 // forms inside forms
)

// matrix is a transformation (ISO 32000-1 section 8.3.3): only where text stands
// matters here.
type matrix [6]float64

func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// writer reads the operators of a page and writes down its text.
type writer struct {
	file  *file
	out   strings.Builder
	fonts map[ref]*font

	left int // operators

	page, text, line matrix
	saved            []matrix
	font             *font
	size, leading    float64
	x, y             float64 // where the last text was put
	begun            bool
	pictures         int
}

// content runs the operators of a stream.
func (w *writer) content(data []byte, resources dict, depth int) {
	s := &scanner{data: data}
	var stack []any
	for w.left > 0 {
		v, ok := s.next(0)
		if !ok {
			return
		}
		op, isOperator := v.(operator)
		if !isOperator {
			if len(stack) < 1024 {
				stack = append(stack, v)
			}
			continue
		}
		w.left--
		if op == "BI" {
			s.skipPicture()
			w.pictures++
		} else {
			w.do(op, stack, resources, depth)
		}
		stack = stack[:0]
	}
}

// skipPicture moves behind a picture inside a content stream.
func (s *scanner) skipPicture() {
	for s.at+2 < len(s.data) {
		if s.data[s.at] == 'E' && s.data[s.at+1] == 'I' && isSpace(s.data[s.at-1]) && isSpace(s.data[s.at+2]) {
			s.at += 2
			return
		}
		s.at++
	}
	s.at = len(s.data)
}

func numbers(stack []any, n int) ([]float64, bool) {
	if len(stack) < n {
		return nil, false
	}
	out := make([]float64, n)
	for i, v := range stack[len(stack)-n:] {
		f, ok := v.(float64)
		if !ok {
			return nil, false
		}
		out[i] = f
	}
	return out, true
}

func (w *writer) do(op operator, stack []any, resources dict, depth int) {
	identity := matrix{1, 0, 0, 1, 0, 0}
	switch op {
	case "q":
		if len(w.saved) < 1024 {
			w.saved = append(w.saved, w.page)
		}
	case "Q":
		if n := len(w.saved); n > 0 {
			w.page, w.saved = w.saved[n-1], w.saved[:n-1]
		}
	case "cm":
		if n, ok := numbers(stack, 6); ok {
			w.page = matrix(n).times(w.page)
		}
	case "BT":
		w.text, w.line = identity, identity
	case "Tf":
		w.setFont(stack, resources)
	case "TL":
		if n, ok := numbers(stack, 1); ok {
			w.leading = n[0]
		}
	case "Td", "TD":
		if n, ok := numbers(stack, 2); ok {
			if op == "TD" {
				w.leading = -n[1]
			}
			w.move(n[0], n[1])
		}
	case "Tm":
		if n, ok := numbers(stack, 6); ok {
			w.text, w.line = matrix(n), matrix(n)
		}
	case "T*":
		w.move(0, -w.leading)
	case "'", "\"":
		w.move(0, -w.leading)
		w.showLast(stack)
	case "Tj":
		w.showLast(stack)
	case "TJ":
		if len(stack) > 0 {
			if l, ok := stack[len(stack)-1].(list); ok {
				w.showList(l)
			}
		}
	case "Do":
		w.form(stack, resources, depth)
	}
}

func (w *writer) move(x, y float64) {
	w.line = matrix{1, 0, 0, 1, x, y}.times(w.line)
	w.text = w.line
}

func (w *writer) setFont(stack []any, resources dict) {
	if len(stack) < 2 {
		return
	}
	if size, ok := stack[len(stack)-1].(float64); ok {
		w.size = size
	}
	key, _ := stack[len(stack)-2].(name)
	entry := w.file.dict(resources["Font"])[key]
	id, isRef := entry.(ref)
	if isRef && w.fonts[id] != nil {
		w.font = w.fonts[id]
		return
	}
	w.font = w.file.loadFont(w.file.dict(entry))
	if isRef {
		w.fonts[id] = w.font
	}
}

func (w *writer) showLast(stack []any) {
	if len(stack) > 0 {
		if s, ok := stack[len(stack)-1].(str); ok {
			w.show(s)
		}
	}
}

func (w *writer) showList(l list) {
	for _, v := range l {
		switch v := v.(type) {
		case str:
			w.show(v)
		case float64:
			// Thousandths of the font's size, to the left; a wide gap is a blank.
			w.advance(-v / 1000)
			if v < -180 {
				w.blank()
			}
		}
	}
}

// show writes text down, on a new line or after a blank where it is put apart from
// the text before.
func (w *writer) show(s str) {
	if w.font == nil {
		w.font = &font{usual: 500}
	}
	text, width := w.font.text(s)
	if text == "" {
		w.advance(width)
		return
	}
	at := w.text.times(w.page)
	height := math.Abs(w.size * math.Hypot(at[1], at[3]))
	if height == 0 {
		height = 1
	}
	if w.begun {
		switch {
		case math.Abs(at[5]-w.y) > height*0.4:
			w.newLine(math.Abs(at[5]-w.y) > height*1.9)
		case at[4]-w.x > height*0.18 || w.x-at[4] > height*2:
			w.blank()
		}
	}
	w.out.WriteString(text)
	w.begun = true
	w.advance(width)
	w.y = at[5]
}

// advance moves on by a part of the font's size.
func (w *writer) advance(part float64) {
	w.text = matrix{1, 0, 0, 1, part * w.size, 0}.times(w.text)
	w.x = w.text.times(w.page)[4]
}

func (w *writer) blank() {
	if s := w.out.String(); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") {
		w.out.WriteByte(' ')
	}
}

func (w *writer) newLine(apart bool) {
	w.out.WriteByte('\n')
	if apart && !strings.HasSuffix(w.out.String(), "\n\n") {
		w.out.WriteByte('\n')
	}
}

// form runs a form, a piece of content that is used by name; a picture is counted.
func (w *writer) form(stack []any, resources dict, depth int) {
	if len(stack) == 0 || depth >= mostForms {
		return
	}
	key, _ := stack[len(stack)-1].(name)
	s, ok := w.file.get(w.file.dict(resources["XObject"])[key]).(stream)
	if !ok {
		return
	}
	if w.file.get(s.dict["Subtype"]) != name("Form") {
		w.pictures++
		return
	}
	own := w.file.dict(s.dict["Resources"])
	if own == nil {
		own = resources
	}
	page, saved := w.page, len(w.saved)
	if n, ok := numbers(w.file.list(s.dict["Matrix"]), 6); ok {
		w.page = matrix(n).times(w.page)
	}
	w.content(w.file.decode(s), own, depth+1)
	w.page, w.saved = page, w.saved[:min(saved, len(w.saved))]
}
