package proof

import (
	"fmt"
	"path/filepath"
)

// Place is where a command would run, as far as judging needs it.
type Place struct {
	Folder string // the working folder, absolute
	Home   string // the person's home folder, absolute
}

// Verdict is the judgement of one command.
type Verdict struct {
	// Looks is true where the command is proved to only look.
	Looks bool
	// Reason says in plain words why it is not; empty where it is.
	Reason string
	// Git is true where the command runs git: it counts as proved only if the
	// repository of the working folder names no programs in its configuration.
	Git bool
	// reads are the paths it names, absolute, for [Verdict.OnDisk]; true where what
	// lies below one is read, too, through links.
	reads map[string]bool
}

// Bash judges a command line as bash would read it.
func Bash(command string, at Place) Verdict {
	return judge(command, at, (*judgement).bash)
}

// PowerShell judges a command line as PowerShell would read it.
func PowerShell(command string, at Place) Verdict {
	return judge(command, at, (*judgement).powershell)
}

// judgement is the state of judging one command. The first doubt ends it.
type judgement struct {
	at   Place
	text string // the command
	// folders are the working folders that a part may run in: the first one and
	// every one that a cd before it may have led to.
	folders []string
	moved   bool
	git     bool
	depth   int             // of nested blocks and substitutions
	secrets map[string]bool // paths judged so far
	reads   map[string]bool // as in [Verdict]
}

// doubt is why a command is not proved.
type doubt struct{ reason string }

func (d doubt) Error() string { return d.reason }

func doubtf(format string, args ...any) error { return doubt{fmt.Sprintf(format, args...)} }

func judge(command string, at Place, read func(*judgement, string) error) Verdict {
	j := &judgement{at: at, text: command, folders: []string{filepath.Clean(at.Folder)}, secrets: map[string]bool{}, reads: map[string]bool{}}
	if err := honest(command); err != nil {
		return Verdict{Reason: err.Error()}
	}
	if err := read(j, command); err != nil {
		return Verdict{Reason: err.Error()}
	}
	return Verdict{Looks: true, Git: j.git, reads: j.reads}
}
