package session

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// widestGap is how far a number may jump ahead and still be believed: numbers go on
// above the highest one, so a damaged digit must not use them up.
const widestGap = 1 << 24

// chain judges events in the order of the file: whether each follows the one
// before it in number and hash. It goes on behind damage.
type chain struct {
	hash *chainer
	// last is the event before; high the highest number so far.
	last Mark
	high Mark
	// computed is the hash that the bytes of the event before give, where that is
	// not the hash it states: one of the two was changed.
	computed string
	// blind is true behind something unreadable: the hash before is not known.
	blind bool
}

func newChain(after Mark) *chain {
	return &chain{hash: newChainer(), last: after, high: after}
}

// judgement of one event.
type judgement struct {
	what string // "" or one of the Found words; FoundHole for what is no event at all
	lost *Span  // the numbers missing before it
	// seq is the number the event had when it was written.
	seq int64
}

// root gives the hash that comes before an event which begins a session's own log.
func root(f found) (prev string, forked ForkedData, ok bool) {
	if f.Type != Created.Name && f.Type != Forked.Name {
		return "", ForkedData{}, false
	}
	var d struct {
		ID     ID     `json:"id"`
		Parent ID     `json:"parent"`
		Seq    int64  `json:"seq"`
		Hash   string `json:"hash"`
	}
	if json.Unmarshal(f.Data, &d) != nil {
		return "", ForkedData{}, false
	}
	if f.Type == Created.Name {
		return string(d.ID), ForkedData{}, true
	}
	return string(d.ID), ForkedData{ID: d.ID, Parent: d.Parent, Seq: d.Seq, Hash: d.Hash}, true
}

func (c *chain) judge(f found) judgement {
	if f.Seq == c.high.Seq+1 && f.sound && f.Type != Created.Name && f.Type != Forked.Name &&
		!c.blind && string(c.hash.next(c.last.Hash, f.body)) == f.Hash {
		c.step(f, f.Seq, "")
		return judgement{seq: f.Seq}
	}
	return c.judgeOdd(f)
}

// judgeOdd judges an event that is not simply the next one.
func (c *chain) judgeOdd(f found) judgement {
	if f.Seq == c.last.Seq && f.Hash == c.last.Hash {
		return judgement{what: FoundRepeated, seq: f.Seq}
	}
	prevs := []string{c.last.Hash, c.computed, c.high.Hash}
	rooted, fork, isRoot := root(f)
	if isRoot {
		prevs = []string{rooted}
	}
	linked, computed := c.links(prevs, f.body, f.Hash)
	seq := f.Seq
	if !linked && seq != c.high.Seq+1 && c.misnumbered(prevs, f) {
		seq = c.high.Seq + 1
		c.step(f, seq, computed)
		return judgement{what: FoundChanged, seq: seq}
	}
	if !linked && (f.salvaged && !c.blind || f.sound && !validLine(f) || f.Seq > c.high.Seq+widestGap) {
		return judgement{what: FoundHole}
	}
	j := judgement{seq: seq}
	if linked && bridges(f, c.high.Seq) {
		c.step(f, seq, "")
		return j
	}
	if seq > c.high.Seq+1 {
		j.lost = &Span{c.high.Seq + 1, seq - 1}
	}
	switch {
	case fork.ID != "" && (fork.Seq != c.last.Seq || fork.Hash != c.last.Hash):
		j.what = FoundHistory
	case seq <= c.high.Seq:
		j.what = FoundOrder
	case c.blind:
		// The hole before it tells of any loss; its own link cannot be checked.
	case j.lost != nil:
		j.what = FoundGap
	case !linked || !f.sound:
		j.what = FoundChanged
	}
	if linked {
		computed = ""
	}
	c.step(f, seq, computed)
	return j
}

func (c *chain) step(f found, seq int64, computed string) {
	c.last = Mark{seq, f.Hash}
	c.computed, c.blind = computed, false
	if seq > c.high.Seq {
		c.high = c.last
	}
}

// bridges reports whether the event is an incident that accounts for the numbers
// missing before it, as repair writes them.
func bridges(f found, high int64) bool {
	if f.Type != Incident.Name || f.Seq <= high+1 {
		return false
	}
	d, err := Incident.Decode(f.Event)
	return err == nil && d.Lost != nil && *d.Lost == Span{high + 1, f.Seq}
}

// links reports whether the hash follows from one of prevs, and what it should be
// behind the first of them.
func (c *chain) links(prevs []string, body []byte, hash string) (bool, string) {
	first := ""
	for i, p := range prevs {
		h := c.hash.next(p, body)
		if string(h) == hash {
			return true, ""
		}
		if i == 0 {
			first = string(h)
		}
	}
	return false, first
}

// misnumbered reports whether the event is the expected next one in everything but
// its number.
func (c *chain) misnumbered(prevs []string, f found) bool {
	have := `{"seq":` + strconv.FormatInt(f.Seq, 10)
	rest, ok := bytes.CutPrefix(f.body, []byte(have))
	if !ok {
		return false
	}
	meant := append([]byte(`{"seq":`+strconv.FormatInt(c.high.Seq+1, 10)), rest...)
	linked, _ := c.links(prevs, meant, f.Hash)
	return linked
}

// validLine reports whether a line that was read by its layout is JSON as a whole.
func validLine(f found) bool {
	return json.Valid(append(append([]byte(nil), f.body...), '}'))
}
