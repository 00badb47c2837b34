package proof

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// OnDisk judges what the text of a proved command cannot tell: which repository git
// will find, and where the paths that it names lead. A link in a project may point
// to a secret, a device or a pipe. It starts nothing; nil means that nothing stands
// against the command now.
func (v Verdict) OnDisk(at Place) error {
	if v.Git {
		if err := Repository(at.Folder); err != nil {
			return err
		}
	}
	j := &judgement{at: at, secrets: map[string]bool{}, reads: map[string]bool{}}
	for path, below := range v.reads {
		if err := j.follow(path, below); err != nil {
			return err
		}
	}
	return nil
}

// mostEntries bounds the look for links below a folder; a larger one asks.
const mostEntries = 50_000

// follow judges where a path leads, or for a pattern every path that it matches.
// below is true where what lies in a folder is read through links, too.
func (j *judgement) follow(path string, below bool) error {
	found := []string{path}
	if strings.ContainsAny(path, "*?[") {
		matched, err := filepath.Glob(path)
		if err != nil {
			return doubtf("%s is a pattern that is not read", path)
		}
		found = append(found, matched...)
	}
	for _, name := range found {
		to, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue // nothing can be read there, or only what the command's own error says
		}
		if err := j.target(name, to); err != nil {
			return err
		}
		if below {
			if err := j.linksBelow(to); err != nil {
				return err
			}
		}
	}
	return nil
}

// target judges what stands where a path leads.
func (j *judgement) target(name, to string) error {
	if to != name {
		if err := j.open(to, name); err != nil {
			return err
		}
	}
	info, err := os.Stat(to)
	if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 && to != "/dev/null" {
		return doubtf("%s is no plain file and may never end", name)
	}
	return nil
}

// linksBelow judges every link in a folder and below it.
func (j *judgement) linksBelow(folder string) error {
	left := mostEntries
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // the command cannot read it either
		}
		if left--; left < 0 {
			return doubtf("%s holds too much to look through for links", folder)
		}
		if e.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		to, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil // it leads nowhere
		}
		return j.target(path, to)
	})
}
