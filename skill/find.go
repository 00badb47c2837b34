package skill

import (
	"os"
	"path/filepath"
	"strings"

	"fairlead/fault"
	"fairlead/tool"
	"fairlead/tool/file"
)

// Options are the places of the person who runs the product.
type Options struct {
	// Home is the product's own home folder, Personal the person's; "" has none.
	Home     string
	Personal string
}

// mostText bounds what is read of one file for a model, in bytes.
const mostText = 32 << 10

// territory is where a session's texts may come from: its folder, and the root of the
// repository around it. Both are resolved; the root is the folder where there is no
// repository. The zero value is that of a session without a folder.
type territory struct{ root, folder string }

func territoryOf(folder string) territory {
	if folder == "" {
		return territory{}
	}
	resolved, err := tool.Resolve(folder)
	if err != nil {
		return territory{}
	}
	for dir := resolved; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return territory{dir, resolved}
		}
		if dir == filepath.Dir(dir) {
			return territory{resolved, resolved}
		}
	}
}

// down lists the folders from the root to dir, both included; nothing where dir is
// not below the root.
func (t territory) down(dir string) []string {
	if t.root == "" || !tool.Within(t.root, dir) {
		return nil
	}
	relative, err := filepath.Rel(t.root, dir)
	if err != nil {
		return nil
	}
	at, list := t.root, []string{t.root}
	for name := range strings.SplitSeq(relative, string(filepath.Separator)) {
		if name != "." {
			at = filepath.Join(at, name)
			list = append(list, at)
		}
	}
	return list
}

// shown names a path as people do: from the session's folder, or from the root.
func (t territory) shown(path string) string {
	if t.root == "" || !tool.Within(t.root, path) {
		return path
	}
	relative, err := filepath.Rel(t.folder, path)
	if err != nil {
		return path
	}
	return relative
}

// found is a text as it was read.
type found struct {
	path  string // resolved
	sum   string // SHA-256 of all its bytes
	text  string // at most mostText bytes, whole lines
	bytes int    // of the whole text
}

func (f found) cut() bool { return len(f.text) < f.bytes }

// read reads a text that lies within root; ok is false where there is none, or none
// that may be read: a link that leads out of root, something that holds secrets, what
// is no text.
func read(root, path string) (f found, ok bool) {
	resolved, err := tool.Resolve(path)
	if err != nil || !tool.Within(root, resolved) || tool.SecretPath(resolved) {
		return found{}, false
	}
	place, err := file.Reach(root, resolved, false)
	if err != nil {
		return found{}, false
	}
	defer place.Close()
	content, err := place.Read()
	if err != nil {
		return found{}, false
	}
	text, isText := file.Decode(content.Raw)
	if !isText {
		return found{}, false
	}
	body := strings.ToValidUTF8(strings.ReplaceAll(text.Body, "\r\n", "\n"), "\uFFFD")
	return found{resolved, content.Sum, head(body), len(body)}, true
}

// head is as much of a text as is shown, cut behind a line where it can be.
func head(text string) string {
	if len(text) <= mostText {
		return text
	}
	text = text[:mostText]
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		return text[:end+1]
	}
	return strings.ToValidUTF8(text, "")
}

func errNoSkill(name string, near []string) error {
	text := "There is no skill " + name + "."
	if len(near) > 0 {
		text += " There are: " + strings.Join(near, ", ") + "."
	}
	return fault.New(fault.NotFound, "skill.find", "%s", text).WithCode("NOT_FOUND")
}
