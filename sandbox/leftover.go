//go:build linux

package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// host is what is recorded of a process that has children: enough to tell later
// whether it still lives, and by which mark its children are known.
type host struct {
	Pid   int    `json:"pid"`
	Start string `json:"start"` // in ticks since boot
	Boot  string `json:"boot"`
	Mark  string `json:"mark"`
	Temp  string `json:"temp"` // holds its children's temporary files
}

// Leftover is a process that a dead host left running.
type Leftover struct {
	Pid  int    `json:"pid"`
	Name string `json:"name"`
}

func (s *Spawner) recordFolder() string { return filepath.Join(s.home, "run") }

func (s *Spawner) recordPath() string {
	return filepath.Join(s.recordFolder(), "host-"+strconv.Itoa(os.Getpid())+"-"+s.mark[:8]+".json")
}

// recordHost writes down that this process has children, and where their temporary
// files are. Without the record they cannot be found after a crash; they work all
// the same.
func (s *Spawner) recordHost() {
	if s.home == "" {
		return
	}
	self, _, ok := readMember(os.Getpid())
	if !ok {
		s.log.Warn("children of this process are not recorded: /proc cannot be read")
		return
	}
	line, err := json.Marshal(host{Pid: self.pid, Start: self.start, Boot: bootID(), Mark: s.mark, Temp: s.scratch()})
	if err == nil {
		err = os.MkdirAll(s.recordFolder(), 0o700)
	}
	if err == nil {
		err = os.WriteFile(s.recordPath(), line, 0o600)
	}
	if err != nil {
		s.log.Warn("children of this process are not recorded", "error", err)
	}
}

func (s *Spawner) forgetHost() {
	if s.home == "" {
		return
	}
	if err := os.Remove(s.recordPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("the record of children stays behind", "error", err)
	}
}

func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "" // then pid and start time have to do
	}
	return strings.TrimSpace(string(id))
}

// Reclaim ends what hosts that died without a word left running, and returns what
// it was. A process is known by the mark in the environment it was started with,
// never by its name. Call it once at start.
func (s *Spawner) Reclaim() []Leftover {
	if s.home == "" {
		return nil
	}
	records, err := filepath.Glob(filepath.Join(s.recordFolder(), "host-*.json"))
	if err != nil {
		return nil // the pattern is ours and well formed
	}
	var found []Leftover
	for _, path := range records {
		text, err := os.ReadFile(path)
		var h host
		if err != nil || json.Unmarshal(text, &h) != nil || h.Mark == "" || h.lives() {
			continue
		}
		if h.Boot == bootID() { // nothing outlives a boot
			found = append(found, s.endMarked(h.Mark, ticks(h.Start))...)
		}
		if err := removeScratch(h.Temp); err != nil {
			s.log.Warn("temporary files of a dead host stay behind", "error", err)
		}
		if err := os.Remove(path); err != nil {
			s.log.Warn("the record of a dead host stays behind", "error", err)
		}
	}
	return found
}

func (h host) lives() bool {
	m, _, ok := readMember(h.Pid)
	return ok && m.start == h.Start && m.state != 'Z' && h.Boot == bootID()
}

// endMarked kills every process that carries a mark or, where mark is a host's,
// one of its children's, until no more is found. since, in ticks since boot, is
// when the first of them can have started.
func (s *Spawner) endMarked(mark string, since int64) []Leftover {
	const (
		rounds = 100 // a process that forks while it is looked for needs more than one
		blind  = 20  // of them for those that cannot be judged now
		pause  = 5 * time.Millisecond
	)
	var found []Leftover
	unsure := 0
	for range rounds {
		killed, unclear := 0, false
		for pid := range processes() {
			switch l, what := endIfMarked(pid, mark, since); what {
			case ended:
				found = append(found, l)
				killed++
			case between:
				unclear = true
			}
		}
		if unclear {
			unsure++
		}
		if killed == 0 && (!unclear || unsure > blind) {
			return found
		}
		if killed == 0 {
			time.Sleep(pause)
		}
	}
	s.log.Warn("processes with the mark of a dead host go on appearing", "ended", len(found))
	return found
}

// What was found out about a process.
type verdict int

const (
	foreign verdict = iota // not ours, or gone
	between                // about to become another program: its environment cannot be seen now
	ended                  // ours, and killed
)

// endIfMarked holds a process by a handle while it looks, so that the one that is
// killed is the one that was looked at.
func endIfMarked(pid int, mark string, since int64) (Leftover, verdict) {
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return Leftover{}, foreign
	}
	defer unix.Close(handle)
	m, parent, ok := readMember(pid)
	const kernelThreads = 2
	if !ok || m.state == 'Z' || parent == kernelThreads || ticks(m.start) < since {
		return Leftover{}, foreign
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil || len(env) == 0 {
		return Leftover{}, between // or somebody else's
	}
	want := []byte(markName + "=" + mark)
	for pair := range bytes.SplitSeq(env, []byte{0}) {
		if rest, ok := bytes.CutPrefix(pair, want); !ok || (len(rest) > 0 && rest[0] != '.') {
			continue
		}
		l := Leftover{Pid: pid, Name: m.describe()}
		if unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0) == nil {
			return l, ended
		}
	}
	return Leftover{}, foreign
}

func ticks(start string) int64 {
	n, err := strconv.ParseInt(start, 10, 64)
	if err != nil {
		return 0 // then nothing is too old
	}
	return n
}
