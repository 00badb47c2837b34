package permission_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/command"
	"fairlead/config"
	"fairlead/graph"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

const folderPatch = "tools:\n  deny: [write]\n"

// trusting is a house that asks about folders; its trust.json is in its data folder.
func trusting(t *testing.T, at homes) *house {
	h := newHouse(t, at, func(o *permission.Options) {
		o.Trust = permission.NewTrustFile(filepath.Join(at.data, "trust.json"))
	})
	h.trusted = make(chan string, 8)
	h.plug("a room that follows folders", graph.Plugin{Name: "follower", Apply: func(f *graph.Fiber, _ any) error {
		config.TrustChanged.On(f, func(_ context.Context, folder string) { h.trusted <- folder })
		return nil
	}})
	return h
}

// command runs a command for people.
func (h *house) command(t *testing.T, name, args string) (any, error) {
	t.Helper()
	c, ok := command.Find(t.Context(), h.graph.Root().Realm(), name)
	if !ok {
		t.Fatalf("there is no command %s", name)
	}
	return c.Run(t.Context(), command.Call{Args: []byte(args)})
}

// opened opens a session of the house's folder, as the host does, and gives its view.
func (h *house) opened(parent session.ID) *house {
	h.t.Helper()
	log, err := h.lib.Create(h.t.Context(), session.CreatedData{Folder: h.folder, Parent: parent})
	must(h.t, err)
	room, err := h.graph.Root().Isolate(string(log.ID()))
	must(h.t, err)
	must(h.t, h.graph.Settle(h.t.Context()))
	agent.Opening.Emit(h.t.Context(), room.Realm(), agent.Opened{Log: log, Room: room})
	h.t.Cleanup(func() {
		must(h.t, room.Dispose(context.Background()))
		must(h.t, log.Close(context.Background()))
	})
	return &house{t: h.t, graph: h.graph, tools: h.tools, gate: h.gate, lib: h.lib, log: log, folder: h.folder, room: room}
}

// seen are the tools that a session can call.
func (h *house) seen() (names []string) {
	for _, t := range h.tools.View(h.room.Realm()) {
		names = append(names, t.Schema().Name)
	}
	return names
}

var (
	all     = []string{"look", "shell", "strange", "write"}
	without = []string{"look", "shell", "strange"}
)

func TestAFoldersPatchCountsAfterAYesToItsBytes(t *testing.T) {
	where := newHomes(t)
	patch := filepath.Join(where.work, ".fairlead/patch.yaml")
	write(t, patch, folderPatch)
	h := trusting(t, where).attended()
	s := h.opened("")
	asked := s.await(0, tool.Asked.Name)
	w := h.gate.Waiting(s.log.ID())[0]
	if got := s.seen(); !cmp.Equal(got, all) {
		t.Errorf("before the answer: %v", got)
	}
	want := []tool.CardPart{{Name: "folder-patch", Kind: "text", Path: config.FolderPatch, Text: folderPatch}}
	if diff := cmp.Diff(want, w.Card.Parts); diff != "" || w.Card.Hero != where.work || w.Card.Wider != nil {
		t.Errorf("the card %+v (-want +got):\n%s", w.Card, diff)
	}
	must(t, s.decide(w, permission.Decision{Approve: true}))
	s.await(asked.Seq, tool.Decided.Name)
	<-h.trusted
	if got := s.seen(); !cmp.Equal(got, without) {
		t.Errorf("after the answer: %v", got)
	}

	// It holds in the next session, unasked, and for exactly these bytes.
	next := h.opened("")
	if got := next.seen(); !cmp.Equal(got, without) || next.count(tool.Asked.Name) != 0 {
		t.Errorf("the next session sees %v after %d questions", got, next.count(tool.Asked.Name))
	}
	write(t, patch, folderPatch+"# one byte more\n")
	changed := h.opened("")
	changed.await(0, tool.Asked.Name)
	if got := changed.seen(); !cmp.Equal(got, all) {
		t.Errorf("with other bytes: %v", got)
	}
	if trust, _ := graph.Lookup(h.graph.Root().Realm(), config.TrustKey); trust != nil {
		if _, ok := trust.Accepted(where.work, config.FolderPatch); ok {
			t.Error("other bytes are accepted")
		}
		if _, ok := trust.Accepted(where.work, ".mcp.json"); ok {
			t.Error("a file that nobody declared is accepted")
		}
	}
}

func TestAFolderThatWasRefusedIsNotAskedAgain(t *testing.T) {
	where := newHomes(t)
	write(t, filepath.Join(where.work, ".fairlead/patch.yaml"), folderPatch)
	h := trusting(t, where).attended()
	first, second := h.opened(""), h.opened("")
	first.await(0, tool.Asked.Name)
	second.await(0, tool.Asked.Name)
	must(t, first.decide(h.gate.Waiting(first.log.ID())[0], permission.Decision{}))
	second.await(0, tool.Decided.Name) // one answer closes the card in the other session
	third := h.opened("")
	third.begin("manual", "person")
	note := third.await(0, session.Note.Name)
	if d, err := session.Note.Decode(note); err != nil || d.Key != "note.folder-ignored" || !strings.Contains(d.Text, config.FolderPatch) {
		t.Errorf("the line: %+v, %v", d, err)
	}
	if got := third.seen(); !cmp.Equal(got, all) {
		t.Errorf("a refused patch counts: %v", got)
	}
	list, err := permission.NewTrustFile(filepath.Join(where.data, "trust.json")).List()
	if err != nil || len(list) != 1 || len(list[0].Accepted) != 0 || len(list[0].Refused) != 1 {
		t.Errorf("trust.json: %+v, %v", list, err)
	}
}

func TestWhereNobodyCanAnswerALineSaysThatAFolderDoesNotCount(t *testing.T) {
	where := newHomes(t)
	write(t, filepath.Join(where.work, ".fairlead/patch.yaml"), folderPatch)
	for name, s := range map[string]*house{"nobody is there": trusting(t, where).opened(""), "a helper": func() *house {
		h := trusting(t, homes{data: t.TempDir(), work: where.work}).attended()
		return h.opened(h.log.ID())
	}()} {
		s.begin("manual", "person")
		note := s.await(0, session.Note.Name)
		if d, err := session.Note.Decode(note); err != nil || d.Key != "note.folder-ignored" {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if got := s.seen(); !cmp.Equal(got, all) || s.count(tool.Asked.Name) != 0 {
			t.Errorf("%s: %v after %d questions", name, got, s.count(tool.Asked.Name))
		}
	}
}

func TestAFolderPatchThatChangesWhileItWaitsIsAskedAnew(t *testing.T) {
	where := newHomes(t)
	patch := filepath.Join(where.work, ".fairlead/patch.yaml")
	write(t, patch, folderPatch)
	h := trusting(t, where).attended()
	s := h.opened("")
	s.await(0, tool.Asked.Name)
	w := h.gate.Waiting(s.log.ID())[0]
	write(t, patch, "tools: {deny: [look]}\n")
	if err := s.decide(w, permission.Decision{Approve: true}); err == nil {
		t.Fatal("a yes to other bytes counts")
	}
	if again := h.gate.Waiting(s.log.ID()); len(again) != 1 || again[0].Card.Parts[0].Text == folderPatch || again[0].Hash == w.Hash {
		t.Errorf("the new card: %+v", again)
	}
}

func TestAFolderNeverWidens(t *testing.T) {
	for name, c := range map[string]struct {
		patch, says string
		want        []string
	}{
		"a row of its own":  {"rows:\n  - {id: evil, plugin: own-tool}\n  - {id: tools of the test, disabled: true}\n", "cannot add the row", nil},
		"a row configured":  {"rows:\n  - {id: permission, config: {mode: bypass}}\n", "cannot configure the row", all},
		"a row enabled":     {"rows:\n  - {id: web, disabled: false}\n", "cannot enable the row", all},
		"another key":       {"mode: bypass\ntools: {deny: [shell]}\n", `it cannot say "mode"`, []string{"look", "strange", "write"}},
		"tools not read":    {"tools: {deny: 7}\n", "deny", nil},
		"no YAML":           {"rows: [", "patch.yaml", all},
		"tools of a preset": {"tools: {allow: [lo*]}\n", "", []string{"look"}},
	} {
		t.Run(name, func(t *testing.T) {
			where := newHomes(t)
			write(t, filepath.Join(where.work, ".fairlead/patch.yaml"), c.patch)
			h := trusting(t, where).attended()
			s := h.opened("")
			s.await(0, tool.Asked.Name)
			must(t, s.decide(h.gate.Waiting(s.log.ID())[0], permission.Decision{Approve: true}))
			<-h.trusted
			if c.says != "" {
				s.begin("manual", "person")
				d, err := session.Note.Decode(s.await(0, session.Note.Name))
				if err != nil || d.Key != "note.folder-patch" || !strings.Contains(d.Text, c.says) {
					t.Errorf("the line: %+v, %v", d, err)
				}
			}
			if got := s.seen(); !cmp.Equal(got, c.want) {
				t.Errorf("what is seen: %v", got)
			}
		})
	}
}

func TestAFolderFileIsAFileOfTheFolder(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, path string){
		"a link out of it": func(t *testing.T, path string) {
			outside := filepath.Join(t.TempDir(), "patch.yaml")
			write(t, outside, folderPatch)
			must(t, os.Symlink(outside, path))
		},
		"a folder":  func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) },
		"a pipe":    mkfifo,
		"very long": func(t *testing.T, path string) { write(t, path, "#"+strings.Repeat("x", 1<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			where := newHomes(t)
			must(t, os.Mkdir(filepath.Join(where.work, ".fairlead"), 0o700))
			make(t, filepath.Join(where.work, config.FolderPatch))
			s := trusting(t, where).attended().opened("")
			if n := s.count(tool.Asked.Name); n != 0 || !cmp.Equal(s.seen(), all) {
				t.Errorf("%d questions, %v", n, s.seen())
			}
		})
	}
}

func TestTakingTrustBackCountsAtOnce(t *testing.T) {
	where := newHomes(t)
	write(t, filepath.Join(where.work, ".fairlead/patch.yaml"), folderPatch)
	h := trusting(t, where).attended()
	s := h.opened("")
	s.await(0, tool.Asked.Name)
	must(t, s.decide(h.gate.Waiting(s.log.ID())[0], permission.Decision{Approve: true}))
	<-h.trusted
	if got := s.seen(); !cmp.Equal(got, without) {
		t.Errorf("after the answer: %v", got)
	}
	_, err := h.command(t, "trust.revoke", `{"folder":"`+where.work+`"}`)
	must(t, err)
	if got := s.seen(); !cmp.Equal(got, all) {
		t.Errorf("after it was taken back: %v", got)
	}
	if _, err := h.command(t, "trust.revoke", `{"folder":"`+where.work+`"}`); err == nil {
		t.Error("taken back twice")
	}
}

func TestABrokenTrustFileAcceptsNothing(t *testing.T) {
	where := newHomes(t)
	write(t, filepath.Join(where.work, ".fairlead/patch.yaml"), folderPatch)
	write(t, filepath.Join(where.data, "trust.json"), `{"folders":[{"folder":`)
	s := trusting(t, where).attended().opened("")
	s.begin("manual", "person")
	if d, err := session.Note.Decode(s.await(0, session.Note.Name)); err != nil || d.Key != "note.folder-unread" {
		t.Errorf("the line: %+v, %v", d, err)
	}
	if got := s.seen(); !cmp.Equal(got, all) {
		t.Errorf("%v", got)
	}
}

func TestTheOtherPartsOfTheTrustFileStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trust.json")
	write(t, path, `{"folders":[{"folder":"/w","accepted":{"a":"1"}}],"mcp":{"x":{"launch":"2"}}}`)
	must(t, permission.NewTrustFile(path).Revoke("/w"))
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"launch": "2"`) || strings.Contains(string(text), "/w") {
		t.Errorf("%s, %v", text, err)
	}
}
