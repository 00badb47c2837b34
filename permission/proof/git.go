package proof

import "strings"

// discovers notes that git runs. Its repository is the one of the working folder,
// which the gate checks; after a cd it may be another.
func (j *judgement) discovers() error {
	if j.moved {
		return doubtf("git after a cd may find another repository")
	}
	j.git = true
	return nil
}

// gitArgument judges a revision or a path given to git: the history of a secret
// file is as secret as the file.
func gitArgument(j *judgement, text string) error {
	path := text
	if strings.HasPrefix(path, ":") { // pathspec magic: :/x  :!x  :^x  :(icase)x  and :0:x
		path = strings.TrimLeft(path, ":!^/0123")
		if strings.HasPrefix(path, "(") {
			_, path, _ = strings.Cut(path, ")")
		}
	}
	if strings.Contains(path, "://") {
		return doubtf("%q is an address", text)
	}
	// REVISION:path, where the revision may hold colons of its own: ^{/a:b}, @{10:00}.
	for i := range len(text) {
		if text[i] == ':' && i+1 < len(text) {
			if err := j.readable(text[i+1:]); err != nil {
				return err
			}
		}
	}
	if err := j.readable(path); err != nil {
		return err
	}
	return j.readable(text)
}

// gitConfigName passes names of settings that hold no secret.
func gitConfigName(_ *judgement, text string) error {
	section, _, _ := strings.Cut(strings.ToLower(text), ".")
	switch section {
	case "user", "core", "branch", "init", "pull", "push", "merge", "color", "diff", "log", "rebase", "status", "fetch", "commit", "tag", "column", "help", "advice":
		return nil
	}
	return doubtf("the setting %s may hold a secret", text)
}

// gitLines judges START,END:FILE of -L: the history of lines is as secret as the file.
func gitLines(j *judgement, text string) error { return gitArgument(j, text) }

// gitFormat passes a format, or a name to sort by, that checks no signature:
// checking starts gpg.
func gitFormat(_ *judgement, text string) error {
	if strings.Contains(text, "%G") || strings.Contains(text, "signature") {
		return doubtf("the format %q checks signatures, which starts gpg", text)
	}
	return nil
}
