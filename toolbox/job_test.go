package toolbox_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/llm"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/toolbox"
)

// jobsOf reads the projection that the page shows.
func (h *house) jobsOf() []toolbox.JobState {
	h.t.Helper()
	text, err := json.Marshal(h.log.Snapshot()["jobs"])
	if err != nil {
		h.t.Fatal(err)
	}
	var list []toolbox.JobState
	if err := json.Unmarshal(text, &list); err != nil {
		h.t.Fatal(err)
	}
	return list
}

// until waits for an event of the session that a test wants.
func (h *house) until(kind string) session.Event {
	h.t.Helper()
	for frame, err := range h.log.Watch(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if frame.Event != nil && frame.Event.Type == kind {
			return *frame.Event
		}
	}
	h.t.Fatalf("%s never came", kind)
	return session.Event{}
}

func TestAJobOutlivesItsCallAndIsReadAsItGrows(t *testing.T) {
	h := newHouse(t)
	h.policy = sandbox.Policy{Write: []string{h.dir}, Network: true}
	ctx, stop := context.WithCancel(t.Context())
	r := h.tools.Execute(ctx, h.graph.Root().Realm(), h.call("shell", args{"command": `echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 3`, "background": true}))
	if text := llm.Plain(r.Content); !strings.HasPrefix(text, "Started as job-1.\none\n[job-1: running]") || r.Failed {
		t.Errorf("%q", text)
	}
	stop() // the call's turn is stopped; the job goes on
	says(t, h.ok("job_output", args{"job": "job-1"}), "[job-1: running for")
	h.put("go", "")
	r = h.run("job_output", args{"job": "job-1", "wait_ms": 60000})
	text := llm.Plain(r.Content)
	if !strings.HasPrefix(text, "two\n[job-1: ended, exit code 3; all of its output: read with path spill:") || !r.Failed {
		t.Errorf("%q", text)
	}
	says(t, h.ok("read", args{"path": tool.Locator(*r.Spill)}), "1→one\n", "2→two")
	says(t, h.ok("job_output", args{}), "job-1: echo one;", "(ended, exit code 3)")
	list := h.jobsOf()
	if len(list) != 1 || list[0].State != "ended" || list[0].End.ExitCode != 3 || list[0].Started == 0 || list[0].Ended < list[0].Started {
		t.Errorf("%+v", list)
	}
}

func TestAJobThatCannotWorkFailsAtOnce(t *testing.T) {
	h := newHouse(t)
	r := h.run("shell", args{"command": "no-such-server", "background": true})
	text := llm.Plain(r.Content)
	says(t, text, "Started as job-1.", "command not found", "[job-1: ended, exit code 127")
	if !r.Failed {
		t.Error("it did not fail")
	}
}

func TestAJobIsEndedWithAllItStarted(t *testing.T) {
	h := newHouse(t)
	h.run("shell", args{"command": `(setsid sleep 4321 &); trap '' TERM; echo ready; while :; do sleep 4321; done`, "background": true})
	text := h.ok("job_stop", args{"job": "job-1"})
	says(t, text, "[job-1: stopped by the model")
	alive("sleep\x004321", func(name string) { t.Errorf("still alive: %q", name) })
	says(t, h.ok("job_stop", args{"job": "job-1"}), "stopped by the model")
	h.refused("NO_SUCH_JOB", "job_stop", args{"job": "job-9"})
}

// alive finds processes by a part of their command line.
func alive(line string, found func(string)) {
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return
	}
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), line) {
			found(string(text))
		}
	}
}

func TestTenJobsRunAndNoMore(t *testing.T) {
	h := newHouse(t)
	for range 10 {
		h.ok("shell", args{"command": "sleep 1000", "background": true})
	}
	h.refused("TOO_MANY_JOBS", "shell", args{"command": "sleep 1000", "background": true})
	h.ok("job_stop", args{"job": "job-3"})
	says(t, h.ok("shell", args{"command": "sleep 1000", "background": true}), "Started as job-11.")
}

func TestJobsEndWhenTheirSessionIsPutAway(t *testing.T) {
	h := newHouse(t)
	h.ok("shell", args{"command": "sleep 1000", "background": true})
	if _, err := h.log.Append(t.Context(), session.Archived.New(0, 0, session.ArchivedData{Archived: true})); err != nil {
		t.Fatal(err)
	}
	end, err := toolbox.JobEnded.Decode(h.until("job/ended"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(toolbox.JobEndedData{Job: "job-1", State: "stopped", By: "archive", ExitCode: 143, Signal: "SIGTERM"}, end); diff != "" {
		t.Error(diff)
	}
}

func TestJobsOfAnEarlierHostAreLostAndSaidSo(t *testing.T) {
	h := newHouse(t)
	if _, err := h.log.Append(t.Context(), toolbox.JobStarted.New(1, 1, toolbox.JobStartedData{Job: "job-1", Kind: "command", Command: "npm run dev", Dir: h.dir})); err != nil {
		t.Fatal(err)
	}
	says(t, h.ok("job_output", args{}), "job-1: npm run dev (lost: Fairlead was restarted")
	if list := h.jobsOf(); list[0].State != "lost" {
		t.Errorf("%+v", list)
	}
}

func TestMuchOutputOfAJobShowsItsEnd(t *testing.T) {
	h := newHouse(t)
	r := h.run("shell", args{"command": "seq 1 100000; sleep 1000", "background": true})
	text := llm.Plain(r.Content)
	for !strings.Contains(text, "100000\n") { // its first words may come before its last
		text = h.ok("job_output", args{"job": "job-1"})
	}
	if len(text) > 33000 {
		t.Errorf("%d bytes", len(text))
	}
	h.ok("job_stop", args{"job": "job-1"})
}
