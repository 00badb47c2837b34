package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fairlead/fault"
)

// Folders for temporary files lie in one that only we can enter, in the system's
// folder for such and not in the product's home, which children may not change.

const scratchPrefix = "fairlead-temp-"

// scratch is where this spawner's folders for temporary files are.
func (s *Spawner) scratch() string {
	return filepath.Join(os.TempDir(), scratchPrefix+strings.ToLower(s.mark))
}

// scratchFor gives the folder of a name, making it where it is not there.
func (s *Spawner) scratchFor(name string) (string, error) {
	base := s.scratch()
	err := os.Mkdir(base, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil // ours: nobody else could guess the name
	}
	path := filepath.Join(base, filepath.Base(name))
	if err == nil {
		err = os.MkdirAll(path, 0o700)
	}
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "sandbox.temp", err, "No folder for temporary files could be made in %s. Nothing was started.", os.TempDir())
	}
	return path, nil
}

// removeScratch removes the folder of some host. The name is checked: it may have
// come from a file.
func removeScratch(base string) error {
	if !filepath.IsAbs(base) || !strings.HasPrefix(filepath.Base(base), scratchPrefix) {
		return fault.New(fault.Internal, "sandbox.temp", "%s is no folder of ours for temporary files. It was left alone.", base)
	}
	return os.RemoveAll(base)
}
