package permission_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/permission"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"

	"github.com/google/go-cmp/cmp"
)

// insisting was refused a path and asks for more runs than it may.
type insisting struct {
	running
	path    string
	answers chan tool.Answer
	after   chan sandbox.Policy
}

func (insisting) Schema() llm.ToolSchema { return schema("insist") }
func (i insisting) Run(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	for range 2 {
		answer, err := c.AskRerun(ctx, []string{i.path})
		if err != nil {
			return nil, err
		}
		i.answers <- answer
	}
	i.after <- c.Policy
	return tool.Text("ran"), nil
}

func insist(h *house, path string) insisting {
	i := insisting{running: running{&h.ran}, path: path, answers: make(chan tool.Answer, 2), after: make(chan sandbox.Policy, 1)}
	h.plug("insisting", graph.Plugin{Name: "insisting", Inject: []graph.Dependency{graph.Needs(tool.RegistryKey)}, Apply: func(f *graph.Fiber, _ any) error {
		tools, err := graph.Get(f, tool.RegistryKey)
		if err != nil {
			return err
		}
		return tools.Register(f, i)
	}})
	return i
}

func TestOneRerunIsAskedForACallAndWidensThatPathOnly(t *testing.T) {
	where := newHomes(t)
	h := newHouse(t, where, nil).attended()
	h.begin("bypass", "person")
	path := filepath.Join(where.work, ".mcp.json")
	tried := insist(h, path)
	w, result := h.asking(t.Context(), "insist", `{"command":"make setup"}`)
	if !slices.ContainsFunc(w.Card.Facts, func(f tool.Fact) bool { return f.Key == "card.rerun" && f.Warn }) || w.Card.Grave != path || len(w.Card.Wider) > 0 {
		t.Errorf("the card: %+v", w.Card)
	}
	if diff := cmp.Diff(map[string]string{path: tool.Absent}, w.Card.Binds); diff != "" {
		t.Errorf("binds (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.decide(w, permission.Decision{Approve: true}); fault.CodeOf(err) != permission.CodePayloadChanged {
		t.Errorf("a yes to a path that changed: %v", err)
	}
	anew := h.gate.Waiting(h.log.ID())
	if len(anew) != 1 || anew[0].Card.Grave != path || anew[0].Card.Binds[path] == tool.Absent {
		t.Fatalf("asked anew: %+v", anew)
	}
	if err := h.decide(anew[0], permission.Decision{Approve: true}); err != nil {
		t.Fatal(err)
	}
	if r := <-result; r.Failed {
		t.Errorf("the result: %+v", r)
	}
	first, second := <-tried.answers, <-tried.answers
	if !first.Approved || first.Confirm == nil || second.Approved {
		t.Errorf("the answers: %+v, then %+v", first, second)
	}
	policy := <-tried.after
	if slices.Contains(policy.Deny, path) || !slices.Contains(policy.Deny, filepath.Join(where.work, "AGENTS.md")) {
		t.Errorf("what is held back: %q", policy.Deny)
	}
	want := tool.DecidedData{Call: w.Call, Decision: "approved", By: "person", Mode: "bypass", Hash: anew[0].Hash}
	if diff := cmp.Diff(want, h.last()); diff != "" {
		t.Errorf("the row (-want +got):\n%s", diff)
	}
}

func TestARerunIsRefusedWithoutAskingWherePolicyHoldsNothingBack(t *testing.T) {
	for _, mode := range []string{"plan", "bypass"} {
		h := newHouse(t, newHomes(t), nil).attended()
		h.begin(mode, "person")
		call := &tool.Call{ID: "c1", Tool: "shell", Args: []byte(`{"command":"x"}`), Uses: running{&h.ran}, Log: h.log, Turn: h.turn, Step: 1, Folder: h.folder}
		if mode == "plan" {
			call.Policy.Deny = []string{"/p"}
		}
		h.append(session.ToolCall.New(h.turn, 1, session.ToolCallData{Call: "c1", Tool: "shell"}))
		answer, err := h.gate.Rerun(t.Context(), call, []string{"/p"})
		if err != nil || answer.Approved || answer.DeniedBy != "mode" {
			t.Errorf("%s: %+v, %v", mode, answer, err)
		}
		if got := h.last(); got.Decision != "denied" || got.By != "mode" {
			t.Errorf("%s: the row %+v", mode, got)
		}
	}
}
