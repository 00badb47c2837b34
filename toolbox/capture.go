package toolbox

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
)

// How much of an output is kept.
const (
	keptMost   = 64 << 20 // whole
	memoryMost = 256 << 10
	shownHead  = 16_000 // to the model at once, from the start
	shownTail  = 32_000 // and from the end
)

// capture keeps output: all of it up to keptMost, in memory while it is small and
// in a file beyond, and always the last part. It may be read while it grows.
type capture struct {
	mu     sync.Mutex
	memory []byte
	file   *os.File // unlinked; nil while all is in memory
	failed error    // of the file: what came since is lost but for the tail
	tail   []byte   // the last bytes, at most twice shownTail
	size   int64
	lines  int64 // line ends
	ends   bool  // the last byte is a line end
}

func (c *capture) write(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(p))
	c.lines += int64(bytes.Count(p, []byte{'\n'}))
	if len(p) > 0 {
		c.ends = p[len(p)-1] == '\n'
	}
	c.keepTail(p)
	room := keptMost - (c.size - int64(len(p)))
	if room <= 0 || c.failed != nil {
		return
	}
	p = p[:min(int64(len(p)), room)]
	if c.file == nil && len(c.memory)+len(p) <= memoryMost {
		c.memory = append(c.memory, p...)
		return
	}
	c.failed = c.spool(p)
}

// spool moves what is kept into a file and adds to it.
func (c *capture) spool(p []byte) error {
	if c.file == nil {
		file, err := os.CreateTemp("", "fairlead-output-*")
		if err != nil {
			return err
		}
		if err := os.Remove(file.Name()); err != nil {
			return errors.Join(err, file.Close())
		}
		if _, err := file.Write(c.memory); err != nil {
			return errors.Join(err, file.Close())
		}
		c.file, c.memory = file, nil
	}
	_, err := c.file.Write(p)
	return err
}

func (c *capture) keepTail(p []byte) {
	if len(p) > shownTail {
		p = p[len(p)-shownTail:]
	}
	if len(c.tail)+len(p) > 2*shownTail {
		c.tail = append(c.tail[:0], c.tail[max(0, len(c.tail)+len(p)-shownTail-shownTail/2):]...)
	}
	c.tail = append(c.tail, p...)
}

// kept is how many bytes can be read, from the start.
func (c *capture) kept() int64 {
	switch {
	case c.file == nil:
		return int64(len(c.memory))
	case c.failed != nil:
		n, err := c.file.Seek(0, io.SeekEnd)
		if err != nil {
			return 0
		}
		return n
	}
	return min(c.size, keptMost)
}

// read gives what is kept from an offset on, at most most bytes.
func (c *capture) read(offset, most int64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := min(c.kept(), offset+most)
	if offset >= end {
		return nil, nil
	}
	if c.file == nil {
		return bytes.Clone(c.memory[offset:end]), nil
	}
	p := make([]byte, end-offset)
	n, err := c.file.ReadAt(p, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return p[:n], err
}

// measure says how much came.
func (c *capture) measure() (size, lines, kept int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines = c.lines
	if c.size > 0 && !c.ends {
		lines++
	}
	return c.size, lines, c.kept()
}

// last gives the end of the output, at most shownTail bytes.
func (c *capture) last() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.tail[max(0, len(c.tail)-shownTail):])
}

func (c *capture) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != nil {
		c.file.Close() // it is unlinked, so nothing is left either way
		c.file = nil
	}
	c.memory = nil
}
