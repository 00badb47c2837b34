package session

import "io"

// probeBlock is how much is read at a place that is only looked at.
const probeBlock = 2 << 10

// firstSeq gives the number of the first event that can be read near the start.
func firstSeq(r io.ReaderAt, end int64) (int64, error) {
	e, ok, err := firstEvent(r, 0, end)
	if err != nil || !ok {
		return 0, err
	}
	return e.Seq, nil
}

// firstEvent finds the first event at or behind the first line start at or after from.
func firstEvent(r io.ReaderAt, from, end int64) (found, bool, error) {
	sc := scanLines(r, max(from-1, 0), end)
	sc.block = probeBlock
	if from > 0 {
		// The rest of the line that from stands in, or the newline before it.
		if _, err := sc.next(); err != nil {
			return found{}, false, eofIsNil(err)
		}
	}
	var scratch [1]found
	for {
		l, err := sc.next()
		if err != nil {
			return found{}, false, eofIsNil(err)
		}
		if es := l.events(scratch[:0], nil); len(es) > 0 {
			return es[0], true, nil
		}
	}
}

func eofIsNil(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// searchSorted halves the log until the place is in one block, then reads on.
func searchSorted(r io.ReaderAt, end, seq int64) (int64, error) {
	lo, hi := int64(0), end
	for hi-lo > firstBlock {
		mid := lo + (hi-lo)/2
		e, ok, err := firstEvent(r, mid, hi)
		switch {
		case err != nil:
			return 0, err
		case !ok || e.Seq >= seq:
			hi = mid
		default:
			lo = e.start
		}
	}
	return scanFor(r, lo, end, func(e found) bool { return e.Seq >= seq })
}

// searchLinear finds the place behind the last event with the number before seq,
// else that of the first with a higher one.
func searchLinear(r io.ReaderAt, end, seq int64) (int64, error) {
	best := int64(-1)
	_, err := scanFor(r, 0, end, func(e found) bool {
		if e.Seq == seq-1 {
			best = e.end
		}
		return false
	})
	if err != nil || best >= 0 {
		return best, err
	}
	return scanFor(r, 0, end, func(e found) bool { return e.Seq >= seq })
}

// scanFor gives the start of the first event that fits, or end.
func scanFor(r io.ReaderAt, from, end int64, fits func(found) bool) (int64, error) {
	sc := scanLines(r, from, end)
	var scratch []found
	for {
		l, err := sc.next()
		if err != nil {
			return end, eofIsNil(err)
		}
		scratch = l.events(scratch[:0], nil)
		for _, e := range scratch {
			if fits(e) {
				return e.start, nil
			}
		}
	}
}
