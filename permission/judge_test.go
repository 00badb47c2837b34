package permission

import (
	"testing"

	"fairlead/sandbox"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

func TestThePolicyIsThisTable(t *testing.T) {
	full := walls{confines: true, files: true, write: []string{"/work"}, deny: []string{"/home/.bashrc", "/work/.git/hooks"}}
	none := walls{write: []string{"/work"}, deny: []string{"/work/.git/hooks"}}
	workspace := sandbox.Policy{Write: []string{"/work"}, Deny: []string{"/work/.git/hooks"}, Network: true}
	open := sandbox.Policy{Write: []string{"/"}, Deny: []string{"/home/.bashrc", "/work/.git/hooks"}, Network: true}
	look := sandbox.Policy{}
	naked := sandbox.Policy{Network: true, Unconfined: true}

	type outcome struct {
		Decision tool.Decision
		By       string
		Grave    string
		Policy   sandbox.Policy
	}
	allow := func(by string, p sandbox.Policy) outcome { return outcome{tool.Allow, by, "", p} }
	ask := func(p sandbox.Policy) outcome { return outcome{tool.Ask, "", "", p} }
	loud := func(p sandbox.Policy) outcome { return outcome{tool.Ask, "", "/h", p} }
	refused := outcome{tool.Deny, "mode", "", look}

	for _, row := range []struct {
		name                 string
		facts                facts
		walls                walls
		manual, plan, bypass outcome
	}{
		{"protected path", facts{grave: "/h"}, full, loud(workspace), refused, loud(open)},
		{"protected path by a tool that says it looks", facts{looks: true, grave: "/h"}, full, loud(workspace), refused, loud(open)},
		{"secret file", facts{looks: true, secret: "/s"}, full, ask(look), ask(look), allow("mode", open)},
		{"only looks", facts{looks: true}, full, allow("tool", look), allow("tool", look), allow("mode", open)},
		{"only looks, by somebody outside", facts{looks: true, delegates: true, present: true}, full, ask(look), allow("tool", look), allow("mode", open)},
		{"only looks, by somebody outside, with nobody here", facts{looks: true, delegates: true}, full, ask(look), outcome{tool.Deny, byNobody, "", look}, allow("mode", open)},
		{"changes, by somebody outside", facts{delegates: true, present: true}, full, ask(workspace), refused, allow("mode", open)},
		{"command, proved", facts{command: true, proved: "ls"}, full, allow("proof", look), allow("proof", look), allow("mode", open)},
		{"command, proved, no walls", facts{command: true, proved: "ls"}, none, ask(naked), refused, allow("mode", naked)},
		{"command", facts{command: true}, full, ask(workspace), refused, allow("mode", open)},
		{"command of a tool that says it looks", facts{looks: true, command: true}, full, ask(workspace), refused, allow("mode", open)},
		{"command, no walls", facts{command: true}, none, ask(naked), refused, allow("mode", naked)},
		{"anything else", facts{}, full, ask(workspace), refused, allow("mode", open)},
	} {
		for mode, want := range map[Mode]outcome{Manual: row.manual, Plan: row.plan, Bypass: row.bypass, "else": row.manual} {
			parsed, _ := ParseMode(string(mode))
			v := judge(parsed, row.facts, row.walls)
			by := v.By
			if v.Decision == tool.Deny {
				by = v.DeniedBy
			}
			if diff := cmp.Diff(want, outcome{v.Decision, by, v.Grave, v.Policy}); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", row.name, mode, diff)
			}
		}
	}
}

func TestAYesIsForOnePayload(t *testing.T) {
	base := payload{Session: "s", Call: "c1", Tool: "write", Args: []byte(`{"path":"a","n":1.0}`), Folder: "/w", Mode: Manual,
		Card: tool.Card{Hero: "/w/a", Binds: map[string]string{"/w/a": "absent"}}}
	first, err := base.hash()
	if err != nil {
		t.Fatal(err)
	}
	same := base
	same.Args = []byte(" {\"n\" : 1.0, \"path\":\"a\"}\n")
	if got, err := same.hash(); err != nil || got != first {
		t.Errorf("the same arguments in another spelling have another hash: %v", err)
	}
	for name, change := range map[string]func(*payload){
		"session":   func(p *payload) { p.Session = "other" },
		"call":      func(p *payload) { p.Call = "c2" },
		"tool":      func(p *payload) { p.Tool = "edit" },
		"arguments": func(p *payload) { p.Args = []byte(`{"path":"b","n":1.0}`) },
		"number":    func(p *payload) { p.Args = []byte(`{"path":"a","n":1}`) },
		"folder":    func(p *payload) { p.Folder = "/v" },
		"mode":      func(p *payload) { p.Mode = Bypass },
		"target":    func(p *payload) { p.Card.Binds = map[string]string{"/w/a": "12"} },
		"place":     func(p *payload) { p.Card.Binds = map[string]string{"/w/b": "absent"} },
		"card":      func(p *payload) { p.Card.Hero = "/w/z" },
	} {
		other := base
		change(&other)
		if got, err := other.hash(); err != nil || got == first {
			t.Errorf("another %s has the same hash (%v)", name, err)
		}
	}
}
