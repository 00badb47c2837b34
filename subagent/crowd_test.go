package subagent_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"fairlead/agent"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/subagent"
)

// crowd is how many helpers wait for the slots of one server.
const (
	crowd    = 100
	crowdRun = 37 // of them are through when the host ends
	room     = 8  // requests at once
)

func crowdScript(names []string, call string) string {
	var b strings.Builder
	b.WriteString("counting off\non /^go/\nreply\n")
	for _, name := range names {
		fmt.Fprintf(&b, "  call "+call+"\n", name, name)
	}
	b.WriteString("reply\n  say All are told.\non /^You are a helper|more of part/\nreply\n  say Done with mine.\notherwise\nreply\n  say Noted.\n")
	return b.String()
}

// TestEachOfManyHelpersIsToldOfOnceAcrossARestart has a hundred helpers wait for eight
// slots, ends the host in the middle, and starts it again: every one of them is done or
// was reported as interrupted, and goes on when it is told to; none twice, none forgotten.
func TestEachOfManyHelpersIsToldOfOnceAcrossARestart(t *testing.T) {
	var all []string
	for i := range crowd {
		all = append(all, fmt.Sprintf("p%d", i+1))
	}
	dir := t.TempDir()
	first := build(t, blueprint{dir: dir, slots: room, gated: true, config: subagent.Config{AtOnce: crowd},
		script: crowdScript(all, `helper_start {"name":%q,"task":"Do part %s."}`)})
	a := first.create()
	id := a.ID()
	first.send(a, "go")
	for range crowdRun {
		first.model.let <- struct{}{}
	}
	first.until(a, subagent.Ended.Name, crowdRun)
	first.until(a, subagent.Started.Name, crowd)
	first.close()
	if got := first.model.most; got != room {
		t.Errorf("%d requests of helpers at once, of a server with %d slots", got, room)
	}

	log, err := first.library.Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var cut []string
	for _, m := range first.family(log) {
		if m.Status != subagent.Done {
			cut = append(cut, m.Name)
		}
	}
	if err := log.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := build(t, blueprint{dir: dir, slots: room, config: subagent.Config{AtOnce: crowd},
		script: crowdScript(cut, `helper_send {"helper":%q,"message":"Do more of part %s."}`)})
	if a, err = second.host.Open(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got, want := count(second.family(a.Log())), map[string]int{subagent.Done: crowdRun, subagent.Interrupted: crowd - crowdRun}; !equal(got, want) {
		t.Errorf("after the restart: %v, want %v", got, want)
	}
	second.once(a, crowd)

	second.send(a, "go on")
	second.quiet(a)
	if got, want := count(second.family(a.Log())), map[string]int{subagent.Done: crowd}; !equal(got, want) {
		t.Errorf("in the end: %v, want %v", got, want)
	}
	second.once(a, crowd+len(cut))
}

// once checks that so many ends are in the log, each with the one report of it.
func (h *house) once(a *agent.Agent, want int) {
	h.t.Helper()
	ends := map[string]int{}
	for _, d := range decoded(h, a.Log(), subagent.Ended) {
		ends[fmt.Sprint(d.Helper, d.Round)]++
	}
	reports := 0
	for _, d := range decoded(h, a.Log(), session.InboxChanged) {
		if d.Op == "queued" {
			reports += len(report.FindAllString(llm.Plain(d.Message.Content), -1))
		}
	}
	for end, n := range ends {
		if n != 1 {
			h.t.Errorf("%s ended %d times", end, n)
		}
	}
	if len(ends) != want || reports != want {
		h.t.Errorf("%d ends and %d reports, want %d of each", len(ends), reports, want)
	}
}

var report = regexp.MustCompile(`\[The helper p\d+ (?:is done|was interrupted);`)

func count(family []subagent.Member) map[string]int {
	n := map[string]int{}
	for _, m := range family {
		n[m.Status]++
	}
	return n
}

func equal(a, b map[string]int) bool {
	return fmt.Sprint(a) == fmt.Sprint(b)
}
