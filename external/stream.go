package external

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"fairlead/fault"
)

// stream is what a program printed, as it is, in a file. Past its bound it keeps
// nothing more, and counts.
type stream struct {
	mu      sync.Mutex
	file    *os.File
	left    int64
	dropped int64
	err     error // the first failure to write; the run goes on without the file
}

// openStream makes a file that is not there yet.
func openStream(path string, most int64) (*stream, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, unkept(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, unkept(err)
	}
	return &stream{file: f, left: most}, nil
}

func unkept(err error) error {
	return fault.Wrap(fault.Unavailable, "external.stream", err, "What the agent prints cannot be kept on disk. Nothing was started; see that Fairlead's home folder can be written.")
}

// Write never fails: the program must not be stopped by it.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	part := p[:min(int64(len(p)), s.left)]
	s.dropped += int64(len(p) - len(part))
	if len(part) > 0 && s.err == nil {
		_, s.err = s.file.Write(part)
	}
	s.left -= int64(len(part))
	return len(p), nil
}

// close gives how many bytes were not kept.
func (s *stream) close() (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped, errors.Join(s.err, s.file.Close())
}
