package external

import "bytes"

// longestLine is what is read of one line; a longer one is told of and passed over.
const longestLine = 8 << 20

// lines cuts what is written to it into lines and hands each on. It keeps no more than
// one line. One goroutine writes.
type lines struct {
	each func(line []byte)
	long func(bytes int64) // a line that is too long, with its length

	rest     []byte
	skipping int64 // bytes of the line that is passed over
	most     int   // bytes of a line; longestLine where 0
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		at := bytes.IndexByte(p, '\n')
		if at < 0 {
			l.keep(p)
			return n, nil
		}
		l.keep(p[:at])
		l.end()
		p = p[at+1:]
	}
}

func (l *lines) keep(p []byte) {
	most := l.most
	if most == 0 {
		most = longestLine
	}
	switch {
	case l.skipping > 0:
		l.skipping += int64(len(p))
	case len(l.rest)+len(p) > most:
		l.skipping = int64(len(l.rest) + len(p))
		l.rest = nil
	default:
		l.rest = append(l.rest, p...)
	}
}

func (l *lines) end() {
	line, skipped := bytes.TrimSpace(l.rest), l.skipping
	l.skipping = 0
	if skipped > 0 {
		l.long(skipped)
		return
	}
	if len(line) > 0 {
		l.each(line)
	}
	l.rest = l.rest[:0]
}

// finish hands on what stands without an end of line, and reports whether it was cut
// off there: a last line that is whole JSON only lacks its line end.
func (l *lines) finish(whole func([]byte) bool) (torn bool) {
	rest := bytes.TrimSpace(l.rest)
	torn = l.skipping > 0 || len(rest) > 0 && !whole(rest)
	l.end()
	return torn
}

// tail keeps the end of what is written to it.
type tail struct {
	most int
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > t.most {
		p = p[len(p)-t.most:]
	}
	if over := len(t.kept) + len(p) - t.most; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	t.kept = append(t.kept, p...)
	return n, nil
}
