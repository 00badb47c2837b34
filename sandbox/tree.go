//go:build linux

package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// member is one process of a child's tree.
type member struct {
	pid   int
	start string // in ticks since boot; with pid it is an identity
	state byte   // as in proc(5): R, S, D, Z, …
	name  string // the program's own short name
}

// descendants finds every living process below root, nearest first. It reads all
// of /proc: about 20 µs a process of the machine, and only where a tree has to be
// ended or named.
func descendants(root int) []member {
	children := map[int][]member{}
	for pid := range processes() {
		if m, parent, ok := readMember(pid); ok {
			children[parent] = append(children[parent], m)
		}
	}
	var found []member
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, m := range children[queue[0]] {
			queue = append(queue, m.pid)
			if m.state != 'Z' && m.state != 'X' {
				found = append(found, m)
			}
		}
	}
	return found
}

// processes yields the ids of all processes that /proc shows.
func processes() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		dir, err := os.Open("/proc")
		if err != nil {
			return // without /proc there is nothing to be found, and doctor says so
		}
		defer dir.Close()
		names, _ := dir.Readdirnames(-1)
		for _, name := range names {
			if pid, err := strconv.Atoi(name); err == nil && !yield(pid) {
				return
			}
		}
	}
}

// readMember reads /proc/PID/stat; ok is false where the process has gone.
func readMember(pid int) (m member, parent int, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return m, 0, false
	}
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || shut < open {
		return m, 0, false
	}
	rest := strings.Fields(string(stat[shut+1:]))
	const state, ppid, starttime = 0, 1, 19 // fields 3, 4 and 22 of proc(5)
	if len(rest) <= starttime {
		return m, 0, false
	}
	parent, err = strconv.Atoi(rest[ppid])
	return member{pid: pid, start: rest[starttime], state: rest[state][0], name: string(stat[open+1 : shut])}, parent, err == nil
}

// describe names a process for a person: its command line, cut, and its id.
func (m member) describe() string {
	const longest = 120
	line, err := os.ReadFile("/proc/" + strconv.Itoa(m.pid) + "/cmdline")
	text := strings.TrimSpace(string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	if err != nil || text == "" {
		text = m.name
	}
	text = strings.ToValidUTF8(strings.Map(printable, text), "�")
	if len(text) > longest {
		cut := longest
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// signalAll sends a signal to processes; those that have gone meanwhile are passed over.
func signalAll(members []member, s unix.Signal) {
	for _, m := range members {
		unix.Kill(m.pid, s)
	}
}
