package permission

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fairlead/config"
	"fairlead/graph"
)

// trust is [config.Trust]: what a folder brings along counts where a person said yes
// to exactly its bytes. It looks at declared files and at nothing else of a folder,
// and starts nothing.
type trust struct {
	kept *TrustFile
	log  *slog.Logger

	mu       sync.Mutex
	declared []*config.FolderFile
}

// largestFolderFile is how much of such a file a card can be asked to show.
const largestFolderFile = 256 << 10

// mostFolderFiles bounds what one folder has asked for.
const mostFolderFiles = 64

// Declare is [config.Trust].
func (t *trust) Declare(f *graph.Fiber, file config.FolderFile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := &file
	t.declared = append(t.declared, mine)
	f.Effect("declares "+file.Path+" of folders", func(context.Context) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.declared = slices.DeleteFunc(t.declared, func(o *config.FolderFile) bool { return o == mine })
		return nil
	})
}

// Accepted is [config.Trust].
func (t *trust) Accepted(folder, name string) ([]byte, bool) {
	if !t.knows(name) {
		return nil, false
	}
	answers, err := t.kept.of(folder)
	if err != nil {
		t.log.Warn("nothing of a folder counts", "folder", folder, "error", err)
		return nil, false
	}
	sum, ok := answers.Accepted[name]
	if !ok {
		return nil, false
	}
	text, err := readIn(folder, name)
	if err != nil || digest(text) != sum {
		return nil, false
	}
	return text, true
}

func (t *trust) knows(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.declared, func(d *config.FolderFile) bool {
		ok, err := path.Match(d.Path, name)
		return ok && err == nil
	})
}

// brought is a declared file that a folder has.
type brought struct {
	path string // relative, with slashes
	word string
	text []byte
	sum  string
}

// brought lists what a folder brings along and nobody answered for yet, and the
// paths that were refused as they are.
func (t *trust) brought(folder string) (open []brought, refused []string, err error) {
	var answers Trusted
	for _, file := range t.present(folder) {
		if answers.Folder == "" {
			if answers, err = t.kept.of(folder); err != nil {
				return nil, nil, err
			}
		}
		if file.text, err = readIn(folder, file.path); err != nil {
			t.log.Info("a file that a folder brings along does not count", "folder", folder, "path", file.path, "error", err)
			continue
		}
		if !t.asks(file) {
			continue
		}
		switch file.sum = digest(file.text); file.sum {
		case answers.Accepted[file.path]:
		case answers.Refused[file.path]:
			refused = append(refused, file.path)
		default:
			open = append(open, file)
		}
	}
	return open, refused, nil
}

// asks reports whether a file holds anything that somebody who declared it wants asked.
func (t *trust) asks(file brought) bool {
	t.mu.Lock()
	declared := slices.Clone(t.declared)
	t.mu.Unlock()
	return slices.ContainsFunc(declared, func(d *config.FolderFile) bool {
		ok, err := path.Match(d.Path, file.path)
		return ok && err == nil && (d.Asks == nil || d.Asks(file.text))
	})
}

// present finds the declared files of a folder by name. A folder without any costs
// one look for each name.
func (t *trust) present(folder string) []brought {
	t.mu.Lock()
	declared := slices.Clone(t.declared)
	t.mu.Unlock()
	found := map[string]string{}
	for _, d := range declared {
		dir, last := path.Split(d.Path)
		if !strings.ContainsAny(last, `*?[\`) {
			if _, err := os.Lstat(filepath.Join(folder, filepath.FromSlash(d.Path))); err == nil {
				found[d.Path] = d.Word
			}
			continue
		}
		entries, err := os.ReadDir(filepath.Join(folder, filepath.FromSlash(dir)))
		if err != nil {
			continue // there is none, or nobody may read it: nothing of it counts
		}
		for _, e := range entries {
			if ok, err := path.Match(last, e.Name()); ok && err == nil && len(found) < mostFolderFiles {
				found[dir+e.Name()] = d.Word
			}
		}
	}
	list := make([]brought, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, brought{path: name, word: found[name]})
	}
	return list
}

// readIn reads a file of a folder, which no link leads out of.
func readIn(folder, name string) (text []byte, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	about, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() {
		return nil, errors.New("it is no file")
	}
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if about, err = f.Stat(); err == nil && !about.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(f, largestFolderFile+1))
	}
	if err == nil && len(text) > largestFolderFile {
		err = errors.New("it is larger than a card can show")
	}
	return text, err
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
