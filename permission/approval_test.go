package permission_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fairlead/fault"
	"fairlead/permission"
	"fairlead/session"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

func TestAYesLetsExactlyThisCallRun(t *testing.T) {
	where := newHomes(t)
	h := newHouse(t, where, nil).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "write", `{"path":"sub.txt","text":"new"}`)
	file := filepath.Join(where.work, "sub.txt")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is there before the answer")
	}
	if diff := cmp.Diff(map[string]string{file: "absent"}, w.Card.Binds); diff != "" {
		t.Errorf("binds (-want +got):\n%s", diff)
	}
	waiting, err := session.StateOf(h.log, permission.Approvals)
	if err != nil || len(waiting) != 1 || waiting[0].Hash != w.Hash {
		t.Errorf("the projection: %+v, %v", waiting, err)
	}
	if err := h.decide(w, permission.Decision{Approve: true, Hash: strings.Repeat("0", 64)}); fault.CodeOf(err) != permission.CodePayloadChanged {
		t.Errorf("an answer to another payload: %v", err)
	}
	if err := h.decide(w, permission.Decision{Approve: true}); err != nil {
		t.Fatal(err)
	}
	if got := <-result; got.Failed {
		t.Errorf("the result: %+v", got)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "new" {
		t.Errorf("the file: %q, %v", text, err)
	}
	want := tool.DecidedData{Call: w.Call, Decision: "approved", By: "person", Mode: "manual", Hash: w.Hash}
	if diff := cmp.Diff(want, h.last()); diff != "" {
		t.Errorf("the row (-want +got):\n%s", diff)
	}
	if err := h.decide(w, permission.Decision{Approve: true}); fault.CodeOf(err) != permission.CodeAnsweredElsewhere || !fault.Is(err, fault.Conflict) {
		t.Errorf("a second use of the answer: %v", err)
	}
	if left := h.gate.Waiting(""); len(left) != 0 {
		t.Errorf("still waiting: %+v", left)
	}
}

func TestANoReachesTheModelInThePersonsWords(t *testing.T) {
	h := newHouse(t, newHomes(t), nil).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "strange", `{}`)
	if err := h.decide(w, permission.Decision{Note: "not before review"}); err != nil {
		t.Fatal(err)
	}
	got := <-result
	if got.DeniedBy != "person" || !strings.Contains(got.Content[0].Text, "not before review") {
		t.Errorf("the result: %+v", got)
	}
}

func TestTheFirstAnswerWins(t *testing.T) {
	h := newHouse(t, newHomes(t), nil).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "strange", `{}`)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { errs[i] = h.decide(w, permission.Decision{Approve: i%2 == 0}) })
	}
	all.Wait()
	<-result
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if fault.CodeOf(err) != permission.CodeAnsweredElsewhere {
			t.Errorf("a late answer: %v", err)
		}
	}
	if won != 1 || len(h.decisions()) != 1 {
		t.Errorf("%d answers counted, %d rows", won, len(h.decisions()))
	}
}

func TestATargetThatChangedIsAskedAnew(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, work string){
		"bytes":  func(t *testing.T, work string) { write(t, filepath.Join(work, "dir/a.txt"), "other") },
		"gone":   func(t *testing.T, work string) { must(t, os.Remove(filepath.Join(work, "dir/a.txt"))) },
		"a link": func(t *testing.T, work string) { relink(t, filepath.Join(work, "dir/a.txt"), "../elsewhere.txt") },
		"its folder": func(t *testing.T, work string) {
			must(t, os.RemoveAll(filepath.Join(work, "dir")))
			relink(t, filepath.Join(work, "dir"), "other")
		},
	} {
		t.Run(name, func(t *testing.T) {
			where := newHomes(t)
			write(t, filepath.Join(where.work, "dir/a.txt"), "old")
			write(t, filepath.Join(where.work, "other/a.txt"), "old")
			h := newHouse(t, where, nil).attended()
			h.begin("manual", "person")
			w, result := h.asking(t.Context(), "write", `{"path":"dir/a.txt","text":"new"}`)
			change(t, where.work)
			if err := h.decide(w, permission.Decision{Approve: true}); fault.CodeOf(err) != permission.CodePayloadChanged {
				t.Fatalf("the answer to the old card: %v", err)
			}
			if len(h.decisions()) != 0 {
				t.Fatalf("something was decided: %+v", h.last())
			}
			again := h.gate.Waiting("")
			if len(again) != 1 || again[0].Hash == w.Hash {
				t.Fatalf("asked anew: %+v", again)
			}
			if err := h.decide(again[0], permission.Decision{Hash: again[0].Hash}); err != nil {
				t.Fatal(err)
			}
			if got := <-result; got.DeniedBy != "person" {
				t.Errorf("the result: %+v", got)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func relink(t *testing.T, path, target string) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	must(t, os.Symlink(target, path))
}

func TestStopClosesTheQuestion(t *testing.T) {
	h := newHouse(t, newHomes(t), nil).attended()
	h.begin("manual", "person")
	ctx, stop := context.WithCancel(t.Context())
	w, result := h.asking(ctx, "strange", `{}`)
	stop()
	if got := <-result; !got.Failed {
		t.Errorf("the result: %+v", got)
	}
	if got := h.last(); got.Decision != "denied" || got.By != "stop" || got.Hash != w.Hash {
		t.Errorf("the row: %+v", got)
	}
	if err := h.decide(w, permission.Decision{Approve: true}); fault.CodeOf(err) != permission.CodeAnsweredElsewhere {
		t.Errorf("an answer after Stop: %v", err)
	}
}

func TestWhereNobodyCanAnswerTheAnswerIsNo(t *testing.T) {
	t.Run("a scheduled run in an attended host", func(t *testing.T) {
		h := newHouse(t, newHomes(t), nil).attended()
		h.begin("manual", "task")
		if got := h.call(t.Context(), "strange", `{}`); got.DeniedBy != "nobody" {
			t.Errorf("the result: %+v", got)
		}
	})
	t.Run("the last answerer leaves", func(t *testing.T) {
		h := newHouse(t, newHomes(t), nil).attended()
		h.begin("manual", "person")
		_, result := h.asking(t.Context(), "strange", `{}`)
		must(t, h.people.Dispose(t.Context()))
		if got := <-result; got.DeniedBy != "nobody" {
			t.Errorf("the result: %+v", got)
		}
	})
	t.Run("another session's answer", func(t *testing.T) {
		h := newHouse(t, newHomes(t), nil).attended()
		h.begin("manual", "person")
		w, result := h.asking(t.Context(), "strange", `{}`)
		other := h.create(h.folder)
		err := h.gate.Decide(t.Context(), w.Call, permission.Decision{Session: string(other.ID()), Approve: true, Hash: w.Hash})
		if fault.CodeOf(err) != permission.CodeAnsweredElsewhere {
			t.Errorf("the answer: %v", err)
		}
		must(t, h.decide(w, permission.Decision{}))
		<-result
	})
}

func TestADecisionThatCannotBeKeptIsNone(t *testing.T) {
	h := newHouse(t, newHomes(t), nil).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "write", `{"path":"a.txt"}`)
	must(t, h.log.Close(t.Context())) // the log takes nothing more
	if err := h.decide(w, permission.Decision{Approve: true}); err == nil {
		t.Error("an answer that is not in the log counts")
	}
	<-result
	if _, err := os.Stat(filepath.Join(h.folder, "a.txt")); err == nil {
		t.Error("the call ran")
	}
}

func TestAQuestionSurvivesInTheLogAndARestartClosesIt(t *testing.T) {
	where := newHomes(t)
	h := newHouse(t, where, nil).attended()
	h.begin("manual", "person")
	w, result := h.asking(t.Context(), "strange", `{}`)
	must(t, h.log.Flush(t.Context()))
	crashed := homes{data: t.TempDir(), work: where.work}
	must(t, os.CopyFS(crashed.data, os.DirFS(where.data))) // what a process that dies now leaves

	later := newHouse(t, crashed, nil).attended()
	seen, err := later.lib.Read(t.Context(), h.log.ID())
	must(t, err)
	waiting, err := session.StateOf(seen, permission.Approvals)
	must(t, err)
	if len(waiting) != 1 || waiting[0].Hash != w.Hash {
		t.Errorf("what a reader sees: %+v", waiting)
	}
	must(t, seen.Close(t.Context()))
	log, err := later.lib.Open(t.Context(), h.log.ID())
	must(t, err)
	if waiting, err = session.StateOf(log, permission.Approvals); err != nil || len(waiting) != 0 {
		t.Errorf("still asked after the restart: %+v, %v", waiting, err)
	}
	if err := later.gate.Decide(t.Context(), w.Call, permission.Decision{Session: string(w.Session), Approve: true, Hash: w.Hash}); fault.CodeOf(err) != permission.CodeAnsweredElsewhere {
		t.Errorf("an answer to the old card: %v", err)
	}
	must(t, log.Close(t.Context()))
	must(t, h.decide(w, permission.Decision{}))
	<-result
}

func TestProtectedPathsAskLoudlyAndAreNeverWidened(t *testing.T) {
	rules := permission.NewRules(filepath.Join(t.TempDir(), "rules.yaml"))
	for _, mode := range []string{"manual", "bypass"} {
		h := newHouse(t, newHomes(t), func(o *permission.Options) { o.Rules = rules }).attended()
		h.begin(mode, "person")
		w, result := h.asking(t.Context(), "write", `{"path":".vscode/tasks.json","text":"{}"}`)
		if w.Card.Grave == "" || w.Card.Wider != nil {
			t.Errorf("in %s the card is %+v", mode, w.Card)
		}
		must(t, h.decide(w, permission.Decision{}))
		<-result
	}
}

func TestAStandingYesCoversExactlyWhatItSays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	where := newHomes(t)
	write(t, filepath.Join(where.work, "sub/deep/x"), "")
	with := func(o *permission.Options) { o.Rules = permission.NewRules(file) }
	allowed := func(h *house, name, args string) bool {
		h.call(t.Context(), name, args)
		got := h.last()
		if got.Decision == "allowed" && (got.By != "rule" || got.Rule == "") {
			t.Errorf("%s %s is allowed by %s", name, args, got.By)
		}
		return got.Decision == "allowed"
	}
	give := func(h *house, scope, name, args string) {
		t.Helper()
		w, result := h.asking(t.Context(), name, args)
		for _, wider := range w.Card.Wider {
			if wider.Scope == scope {
				must(t, h.decide(w, permission.Decision{Approve: true, Rule: wider.ID}))
				<-result
				return
			}
		}
		t.Fatalf("%s %s offers %+v", name, args, w.Card.Wider)
	}
	h := newHouse(t, where, with).attended()
	h.begin("manual", "person")
	give(h, "session", "shell", `{"command":"go vet ./..."}`)
	give(h, "project", "write", `{"path":"sub/a.txt","text":"1"}`)
	must(t, h.people.Dispose(t.Context())) // from here on what asks is denied

	for _, row := range []struct {
		name, args string
		want       bool
	}{
		{"shell", `{"command":"go vet ./..."}`, true},
		{"shell", `{"command":"go vet ./... ; rm -rf ."}`, false},
		{"shell", `{"command":"go vet  ./..."}`, false},
		{"shell", `{"command":"go vet"}`, false},
		{"write", `{"path":"sub/a.txt"}`, true},
		{"write", `{"path":"sub/deep/b.txt"}`, true},
		{"write", `{"path":"sub/../c.txt"}`, false},
		{"write", `{"path":"sub2/a.txt"}`, false},
		{"write", `{"path":"sub/.git/config"}`, false},
		{"strange", `{"path":"sub/a.txt"}`, false},
	} {
		if got := allowed(h, row.name, row.args); got != row.want {
			t.Errorf("%s %s: allowed %t, want %t", row.name, row.args, got, row.want)
		}
	}
	h.begin("plan", "person")
	if allowed(h, "write", `{"path":"sub/a.txt"}`) {
		t.Error("a standing yes counts in Plan")
	}

	other := newHouse(t, homes{data: t.TempDir(), work: where.work}, with)
	other.begin("manual", "person")
	if allowed(other, "shell", `{"command":"go vet ./..."}`) {
		t.Error("the session's rule counts in another session")
	}
	if !allowed(other, "write", `{"path":"sub/a.txt"}`) {
		t.Error("the project's rule does not count in another session")
	}
	elsewhere := newHouse(t, newHomes(t), with)
	elsewhere.begin("manual", "person")
	if allowed(elsewhere, "write", `{"path":"sub/a.txt"}`) {
		t.Error("the project's rule counts in another project")
	}

	rules := permission.NewRules(file)
	list, err := rules.List()
	must(t, err)
	if len(list) != 1 || list[0].Below != filepath.Join(where.work, "sub") {
		t.Fatalf("the file holds %+v", list)
	}
	must(t, rules.Narrow(list[0].ID, filepath.Join(where.work, "sub/deep")))
	if allowed(other, "write", `{"path":"sub/a.txt"}`) || !allowed(other, "write", `{"path":"sub/deep/b.txt"}`) {
		t.Error("a narrowed rule covers what it did before, or nothing")
	}
	if err := rules.Narrow(list[0].ID, where.work); !fault.Is(err, fault.Invalid) {
		t.Errorf("narrowing to a wider folder: %v", err)
	}
	must(t, rules.Revoke(list[0].ID))
	if allowed(other, "write", `{"path":"sub/deep/b.txt"}`) {
		t.Error("a revoked rule counts")
	}
}

func TestWhatRunsOtherProgramsIsNeverOfferedAStandingYes(t *testing.T) {
	h := newHouse(t, newHomes(t), nil).attended()
	h.begin("manual", "person")
	for command, offered := range map[string]bool{
		"go test ./...": true, "make": true, "git status": true, "cd sub && go build": true, "git commit -m 'x y'": true, "ls | wc -l": true,
		"bash -c ls": false, "python3 x.py": false, "/usr/bin/env ls": false, "sudo ls": false, "xargs rm": false, "git -c core.pager=x log": false,
		"git config a b": false, "FOO=1 make": false, "$CMD": false, "eval ls": false, "ls $(cat x)": false, "timeout 5 make": true, "timeout 5 python3 x.py": false, "nice -n 5 timeout 5 sudo ls": false, "timeout --wat 5 make": false, "cd sub && env ls": false, "npx thing": false,
		"node x.js": false, "awk 1": false, "find . -delete": false, "ls; sh": false, "(python3)": false, "if true; then bash; fi": false, "git \"$X\"": false, "ls &&": false,
	} {
		w, result := h.asking(t.Context(), "shell", `{"command":`+quote(command)+`}`)
		if got := len(w.Card.Wider) > 0; got != offered {
			t.Errorf("%s: offered %t, want %t", command, got, offered)
		}
		must(t, h.decide(w, permission.Decision{}))
		<-result
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestABrokenRuleFileAllowsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	for _, text := range []string{"rules: [", "rules:\n- id: r1\n  folder: relative\n  below: /\n", "rules:\n- id: r1\n  folder: /w\n", "rules:\n- id: r1\n  folder: /w\n  command: ls\n  allow: everything\n"} {
		write(t, file, text)
		if list, err := permission.NewRules(file).List(); err == nil || len(list) != 0 {
			t.Errorf("%q gives %+v, %v", text, list, err)
		}
	}
}
