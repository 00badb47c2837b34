//go:build linux

package crash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// marks are the marks by which the children of the hosts of this home are known.
func (p *place) marks() []string {
	records, err := filepath.Glob(filepath.Join(p.home, "run", "host-*.json"))
	check(p.t, err)
	var marks []string
	for _, path := range records {
		var r struct {
			Mark string `json:"mark"`
		}
		text, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(text, &r) == nil && r.Mark != "" {
			marks = append(marks, r.Mark)
		}
	}
	return marks
}

// children are the processes that carry one of the marks, or work in the folder of
// this place, or are the sleepers that its work starts there.
func (p *place) children(marks []string) []string {
	var found []string
	entries, err := os.ReadDir("/proc")
	check(p.t, err)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := "/proc/" + e.Name()
		env, _ := os.ReadFile(dir + "/environ") // gone meanwhile
		cwd, _ := os.Readlink(dir + "/cwd")
		ours := cwd == p.work || strings.HasPrefix(cwd, p.work+"/")
		for _, m := range marks {
			ours = ours || bytes.Contains(env, []byte("FAIRLEAD_CHILD="+m))
		}
		if ours {
			command, _ := os.ReadFile(dir + "/cmdline")
			found = append(found, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(command, []byte{0}, []byte(" "))))
		}
	}
	return found
}

// checkChildren fails where a child of a dead host is still there after a moment:
// the kernel ends a tree beside us, not before us.
func (p *place) checkChildren(marks []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		left := p.children(marks)
		if len(left) == 0 {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			p.t.Errorf("children of the dead host are left: %q", left)
			return
		}
	}
}
