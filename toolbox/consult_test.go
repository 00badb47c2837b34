package toolbox_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/toolbox"
)

// attended is a gate behind which somebody sits until they leave.
type attended struct {
	tool.Asker // nothing needs an approval here
	left       chan struct{}
	done       chan struct{}
}

func (attended) Record(context.Context, *tool.Call, tool.Verdict) error { return nil }

func (a attended) Consult(context.Context, *tool.Call) (<-chan struct{}, func(), string) {
	return a.left, func() { close(a.done) }, ""
}

// consulting mounts the tools, and somebody who answers.
func consulting(t *testing.T) (*house, attended, *graph.Fiber) {
	t.Helper()
	h, gate := newHouse(t), attended{left: make(chan struct{}), done: make(chan struct{})}
	_, err := h.graph.Root().Plug("person", graph.Plugin{Name: "person", Provides: []graph.AnyKey{tool.AskKey}, Apply: func(f *graph.Fiber, _ any) error {
		return graph.Provide[tool.Asker](f, tool.AskKey, gate)
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := h.graph.Root().Plug("consult", toolbox.ConsultPlugin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.graph.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h, gate, f
}

// use is a use of a command by a person.
func (h *house) use(name string, arguments args) error {
	cmd, ok := command.Find(h.t.Context(), h.graph.Root().Realm(), name)
	if !ok {
		return fault.New(fault.NotFound, "test", "there is no command %s", name)
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = cmd.Run(h.t.Context(), command.Call{Session: string(h.log.ID()), Args: raw})
	return err
}

// calling runs a call beside the test and waits until it has put its question.
func (h *house) calling(ctx context.Context, name string, arguments args, kind string) (call string, result <-chan *session.ToolResultData) {
	h.t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		h.t.Fatal(err)
	}
	out := make(chan *session.ToolResultData, 1)
	go func() {
		out <- h.tools.Execute(ctx, h.graph.Root().Realm(), &tool.Call{Tool: name, Raw: string(raw), Log: h.log, Folder: h.dir, Turn: 1, Step: 1})
	}()
	for f, err := range h.log.Watch(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		if f.Event != nil && f.Event.Type == kind {
			var d struct{ Call string }
			if err := json.Unmarshal(f.Event.Data, &d); err != nil {
				h.t.Fatal(err)
			}
			return d.Call, out
		}
	}
	h.t.Fatal("nothing was asked")
	return "", nil
}

var units = args{"questions": []args{{"text": "Which units?", "choices": []args{{"label": "Metres"}, {"label": "Feet"}}}, {"text": "Places?"}}}

func TestAnAnswerMustFitItsQuestion(t *testing.T) {
	h, gate, _ := consulting(t)
	call, result := h.calling(t.Context(), "ask_user", units, "question/asked")
	for name, answers := range map[string][]args{
		"too few":       {{"chosen": []string{"Metres"}}},
		"no such":       {{"chosen": []string{"Miles"}}, {}},
		"two of one":    {{"chosen": []string{"Metres", "Feet"}}, {}},
		"none expected": {{}, {"chosen": []string{"two"}}},
	} {
		if err := h.use("question.answer", args{"call": call, "answers": answers}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := h.use("question.answer", args{"call": call, "answers": []args{{"chosen": []string{"Feet"}, "text": "but round them"}, {}}}); err != nil {
		t.Fatal(err)
	}
	if got, want := (<-result).Content[0].Text, "Which units?\n→ Feet. In their own words: but round them\nPlaces?\n→ (skipped)"; got != want {
		t.Errorf("the model reads\n%s\nwant\n%s", got, want)
	}
	<-gate.done
	if err := h.use("question.answer", args{"call": call, "answers": []args{{}, {}}}); fault.CodeOf(err) != "answered-elsewhere" {
		t.Errorf("a second answer: %v", err)
	}
}

func TestAQuestionEndsWithTheLastPersonAndWithItsStep(t *testing.T) {
	t.Run("the last person leaves", func(t *testing.T) {
		h, gate, _ := consulting(t)
		_, result := h.calling(t.Context(), "ask_user", units, "question/asked")
		close(gate.left)
		if text := (<-result).Content[0].Text; !strings.HasPrefix(text, "Nobody is here") {
			t.Errorf("the model reads %q", text)
		}
	})
	t.Run("the step is stopped", func(t *testing.T) {
		h, _, _ := consulting(t)
		ctx, stop := context.WithCancel(t.Context())
		call, result := h.calling(ctx, "plan", args{"text": "# Rest"}, "plan/proposed")
		stop()
		if r := <-result; !r.Failed {
			t.Errorf("a stopped plan came to %+v", r)
		}
		if err := h.use("plan.decide", args{"call": call, "decision": "dropped"}); fault.CodeOf(err) != "answered-elsewhere" {
			t.Errorf("a decision afterwards: %v", err)
		}
	})
}

func TestAPlanIsApprovedInAModeOnly(t *testing.T) {
	h, _, _ := consulting(t)
	call, result := h.calling(t.Context(), "plan", args{"text": "# Rest"}, "plan/proposed")
	for _, refused := range []args{{"decision": "approved"}, {"decision": "approved", "mode": "plan"}, {"decision": "discuss", "note": " "}, {"decision": "maybe"}} {
		refused["call"] = call
		if err := h.use("plan.decide", refused); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", refused, err)
		}
	}
	if err := h.use("plan.decide", args{"call": call, "decision": "dropped", "note": "later"}); err != nil {
		t.Fatal(err)
	}
	if text := (<-result).Content[0].Text; text != "The person dropped the plan. Nothing of it is to be done. In their words: later" {
		t.Errorf("the model reads %q", text)
	}
}

func TestConsultingLeavesNothingBehind(t *testing.T) {
	h, _, f := consulting(t)
	if err := f.Dispose(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range h.tools.Schemas(h.graph.Root().Realm()) {
		if s.Name == "ask_user" || s.Name == "plan" {
			t.Errorf("the tool %s is still there", s.Name)
		}
	}
	if err := h.use("plan.decide", args{}); !fault.Is(err, fault.NotFound) {
		t.Errorf("the command is still there: %v", err)
	}
}
