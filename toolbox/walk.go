package toolbox

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"fairlead/tool"
	"fairlead/tool/file"
)

// ignoreFiles are read in every folder; the later one wins.
var ignoreFiles = [...]string{".gitignore", ".ignore"}

// Folders in which versions are kept are not walked.
func isVersionFolder(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj"
}

// ignoreFileLimit is how much of an ignore file is read, in bytes.
const ignoreFileLimit = 1 << 20

// found is one entry that a walk shows. Its folder is open while visit runs.
type found struct {
	folder *handle
	name   string
	rel    string // from the walk's root, with slashes
	entry  fs.DirEntry
}

// walk visits the files and folders below a folder, in no order and from several
// goroutines at once (worker tells them apart), but for what ignore files leave
// out. Links are shown and not followed. Folders that cannot be read are left out
// and counted.
type walk struct {
	visit func(worker int, f found)

	mu      sync.Mutex
	wake    *sync.Cond
	pending []*walkFolder
	busy    int
	skipped atomic.Int64 // folders that could not be read
	ignored atomic.Int64 // entries that ignore files left out
}

// walkFolder is a folder on the way. It stays open until its own folders are.
type walkFolder struct {
	up    *walkFolder
	name  string
	rel   string // with a slash at the end; "" for the root
	rules *ignoreRules
	at    *handle
	open  atomic.Int32 // users of at
}

func (f *walkFolder) done() {
	if f.open.Add(-1) == 0 {
		f.at.close()
	}
}

// run walks from an open folder. Rules are those of folders above it.
func (w *walk) run(ctx context.Context, root *os.Root, rules *ignoreRules) error {
	at, err := newHandle(root)
	if err != nil {
		return file.Unreachable(root.Name(), err)
	}
	w.wake = sync.NewCond(&w.mu)
	top := &walkFolder{at: at, rules: rules}
	top.open.Store(1)
	w.pending = []*walkFolder{top}
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.wake.Broadcast()
	})
	defer stop()
	var workers sync.WaitGroup
	for i := range walkers() {
		workers.Go(func() { w.work(ctx, i) })
	}
	workers.Wait()
	for _, f := range w.pending {
		f.leave()
	}
	return ctx.Err()
}

// walkers is how many goroutines a walk takes.
func walkers() int { return min(runtime.GOMAXPROCS(0), 8) }

// leave gives up a folder that was not opened.
func (f *walkFolder) leave() {
	if f.up == nil {
		f.done()
		return
	}
	f.up.done()
}

func (w *walk) work(ctx context.Context, worker int) {
	for {
		w.mu.Lock()
		for len(w.pending) == 0 && w.busy > 0 && ctx.Err() == nil {
			w.wake.Wait()
		}
		if len(w.pending) == 0 || ctx.Err() != nil {
			w.mu.Unlock()
			return
		}
		f := w.pending[len(w.pending)-1]
		w.pending = w.pending[:len(w.pending)-1]
		w.busy++
		w.mu.Unlock()

		below := w.enter(ctx, worker, f)

		w.mu.Lock()
		w.busy--
		w.pending = append(w.pending, below...)
		if len(below) > 0 || w.busy == 0 {
			w.wake.Broadcast()
		}
		w.mu.Unlock()
	}
}

// enter visits what is directly in a folder and gives its folders.
func (w *walk) enter(ctx context.Context, worker int, f *walkFolder) []*walkFolder {
	if f.up != nil {
		at, err := f.up.at.folder(f.name)
		f.up.done()
		if err != nil {
			w.skipped.Add(1)
			return nil
		}
		f.at = at
		f.open.Store(1)
	}
	defer f.done()
	entries, err := f.at.entries()
	if err != nil && len(entries) == 0 {
		w.skipped.Add(1)
		return nil
	}
	rules := f.rules.with(f.at, f.rel, entries)
	var below []*walkFolder
	for _, e := range entries {
		if ctx.Err() != nil {
			break
		}
		name := e.Name()
		rel := f.rel + name
		folder := e.IsDir()
		if folder && isVersionFolder(name) {
			continue
		}
		if rules.ignored(rel, folder) {
			w.ignored.Add(1)
			continue
		}
		w.visit(worker, found{f.at, name, rel, e})
		if folder {
			f.open.Add(1)
			below = append(below, &walkFolder{up: f, name: name, rel: rel + "/", rules: rules})
		}
	}
	return below
}

// with adds the rules of a folder's own ignore files.
func (s *ignoreRules) with(at *handle, rel string, entries []fs.DirEntry) *ignoreRules {
	var rules []ignoreRule
	for _, name := range ignoreFiles {
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.Type().IsRegular() }) {
			rules = append(rules, readIgnore(at, name)...)
		}
	}
	if rules == nil {
		return s
	}
	return &ignoreRules{up: s, cut: len(rel), rules: rules}
}

// readIgnore reads an ignore file; one that cannot be read ignores nothing, as in git.
func readIgnore(at *handle, name string) []ignoreRule {
	f, err := at.file(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, ignoreFileLimit))
	if err != nil {
		return nil
	}
	return parseIgnore(string(raw))
}

// rulesAbove reads the ignore files that hold in a folder from above: those up to
// the top of its git repository, else up to the workspace.
func rulesAbove(folder, workspace string) *ignoreRules {
	top := repositoryTop(folder)
	if top == "" && workspace != "" && tool.Within(workspace, folder) {
		top = workspace
	}
	if top == "" {
		return nil
	}
	rel, err := filepath.Rel(top, folder)
	if err != nil {
		return nil
	}
	parts := []string{}
	if rel != "." {
		parts = strings.Split(filepath.ToSlash(rel), "/")
	}
	var rules *ignoreRules
	above := func(folder, lead string, names ...string) {
		root, err := file.OpenFolder("", folder, false)
		if err != nil {
			return // without its rules nothing more is hidden
		}
		defer root.Close()
		at, err := newHandle(root)
		if err != nil {
			return
		}
		defer at.close()
		var own []ignoreRule
		for _, name := range names {
			own = append(own, readIgnore(at, name)...)
		}
		if own != nil {
			rules = &ignoreRules{up: rules, rules: own, lead: lead}
		}
	}
	above(filepath.Join(top, ".git", "info"), lead(parts), "exclude")
	for i := range parts { // the folder's own files are read by the walk
		above(filepath.Join(top, filepath.Join(parts[:i]...)), lead(parts[i:]), ignoreFiles[:]...)
	}
	return rules
}

func lead(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "/") + "/"
}

// repositoryTop finds the folder with .git in it at or above a folder.
func repositoryTop(folder string) string {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			return ""
		}
		folder = up
	}
}
