package extension_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fairlead/extension"
	"fairlead/fault"
	"fairlead/graph"
)

const (
	good = `fairlead.tool({name: "which", description: "x"}, () => "good")`
	evil = `fairlead.tool({name: "which", description: "x"}, () => "evil")`
)

// shop is a house with a folder of plugins.
type shop struct {
	*house
	dir string
	row *graph.Fiber
}

func newShop(t *testing.T) *shop {
	s := &shop{house: newHouse(t), dir: filepath.Join(t.TempDir(), "plugins")}
	row, err := s.graph.Root().Plug("plugins", extension.PluginsPlugin(s.dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.row = row
	s.settle()
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *shop) plugins() *extension.Plugins {
	s.t.Helper()
	p, ok := graph.Lookup(s.graph.Root().Realm(), extension.PluginsKey)
	if !ok {
		s.t.Fatal("there are no plugins")
	}
	return p
}

func (s *shop) put(name, code string) {
	s.t.Helper()
	// As a whole, so that nobody reads half of it.
	if err := os.WriteFile(filepath.Join(s.dir, name+".half"), []byte(code), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(s.dir, name+".half"), filepath.Join(s.dir, name+".ts")); err != nil {
		s.t.Fatal(err)
	}
}

// only gives the one file of the folder as it is now.
func (s *shop) only() extension.KeptPlugin {
	s.t.Helper()
	all, err := s.plugins().List()
	if err != nil || len(all) != 1 {
		s.t.Fatalf("the folder has %+v, %v", all, err)
	}
	return all[0]
}

// restart starts the row again, as a new process would.
func (s *shop) restart() {
	s.t.Helper()
	if err := s.row.Restart(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.settle()
}

func TestAPluginRunsOnlyAsTheBytesThatWereReviewed(t *testing.T) {
	s := newShop(t)
	s.put("p", good)
	if k := s.only(); k.State != extension.New || k.Running != "" {
		t.Errorf("nobody has reviewed it, and it is %+v", k)
	}
	s.restart()
	if got := s.says("which", args{}); !strings.HasPrefix(got, "UNKNOWN_TOOL") {
		t.Errorf("nobody has reviewed it, and it says %s", got)
	}
	read := s.only().SHA256
	s.put("p", good+"\n")
	if err := s.plugins().Approve(t.Context(), "p", read); !fault.Is(err, fault.Conflict) {
		t.Errorf("what was read is not there any more, and the approval says %v", err)
	}
	s.put("p", good)
	if err := s.plugins().Approve(t.Context(), "p", read); err != nil {
		t.Fatal(err)
	}
	if got := s.says("which", args{}); got != "good" {
		t.Error(got)
	}
	s.put("p", evil)
	s.restart()
	if k := s.only(); k.State != extension.Changed || k.Running != "" {
		t.Errorf("one byte was changed, and it is %+v", k)
	}
	if got := s.says("which", args{}); !strings.HasPrefix(got, "UNKNOWN_TOOL") {
		t.Errorf("it was changed, and says %s", got)
	}
	r, err := s.plugins().Review("p")
	if err != nil || !strings.Contains(r.Diff, "-"+good) || !strings.Contains(r.Diff, "+"+evil) || r.Source != evil || strings.Join(r.Asks, " ") != "tool" {
		t.Errorf("the review shows %+v, %v", r, err)
	}
	s.put("p", good)
	s.restart()
	for s.only().Running != "active" { // it starts once the row is up
		s.settle()
	}
	if got := s.says("which", args{}); got != "good" {
		t.Errorf("the reviewed bytes are back, and it says %s", got)
	}
	if err := s.plugins().Remove(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	if got := s.says("which", args{}); !strings.HasPrefix(got, "UNKNOWN_TOOL") {
		t.Errorf("it was removed, and says %s", got)
	}
}

func TestALinkIsNeverRun(t *testing.T) {
	s := newShop(t)
	target := filepath.Join(t.TempDir(), "p.ts")
	if err := os.WriteFile(target, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(s.dir, "p.ts")); err != nil {
		t.Fatal(err)
	}
	k := s.only()
	if k.State != extension.Refused {
		t.Errorf("a link is %+v", k)
	}
	if err := s.plugins().Approve(t.Context(), "p", k.SHA256); !fault.Is(err, fault.Conflict) {
		t.Errorf("its approval says %v", err)
	}
}

// While somebody swaps the file without a pause, what runs is never what was not reviewed.
func TestAFileThatIsSwappedIsNeverRunAsWhatItWasTakenFor(t *testing.T) {
	s := newShop(t)
	s.put("p", good)
	if err := s.plugins().Approve(t.Context(), "p", s.only().SHA256); err != nil {
		t.Fatal(err)
	}
	stop, swapping := make(chan struct{}), sync.WaitGroup{}
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.put("p", evil)
				s.put("p", good)
			}
		}
	})
	for range 20 {
		s.restart()
		if got := s.says("which", args{}); got == "evil" {
			t.Error("it ran what nobody has reviewed")
		}
	}
	close(stop)
	swapping.Wait()
}
