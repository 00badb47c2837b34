package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"fairlead/session"
	"fairlead/tool"
)

// A server may ask the person something while it works on a call. The question goes
// through the tool for questions, as a call inside the call it is about, and the
// answer is read off the log: so it is shown, logged and answered like any other.

// askTool is the tool for questions, and answeredKind the event that holds an answer.
const (
	askTool      = "ask_user"
	answeredKind = "question/answered"
	callerServer = "mcp"
	// mostAsked is how many fields one form may have, as the tool takes them.
	mostAsked   = 4
	mostChoices = 8
)

// asking is a call that a server works on.
type asking struct {
	ctx  context.Context
	call *tool.Call
	// hold keeps the call from being given up as silent until the person answered.
	hold func() (release func())
}

// begin notes that the server works on a call, until done.
func (l *link) begin(a *asking) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, a)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked = slices.DeleteFunc(l.asked, func(o *asking) bool { return o == a })
	}
}

// only gives the one call that the server works on. With several nobody can tell
// whose person is meant.
func (l *link) only() (*asking, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.asked) != 1 {
		return nil, false
	}
	return l.asked[0], true
}

// field is one value that a server asks for.
type field struct {
	name     string
	kind     string // string, number, integer, boolean, array
	required bool
	labels   []string // of the choices
	values   []string // that stand for them
	question question
}

// question is what the tool for questions takes.
type question struct {
	Text    string   `json:"text"`
	Choices []choice `json:"choices,omitempty"`
	Many    bool     `json:"many,omitempty"`
}

type choice struct {
	Label string `json:"label"`
}

// elicit asks the person of the call what the server wants to know. Whatever keeps
// that from being answered is told to the server as a dismissal; what the person
// skips although it is required, as a no.
func (s *server) elicit(ctx context.Context, l *link, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	dismissed := &sdk.ElicitResult{Action: "cancel"}
	one, ok := l.only()
	if !ok || p.Mode == "url" || s.deps.registry == nil {
		return dismissed, nil
	}
	fields, ok := readForm(s.name, p)
	if !ok {
		s.deps.log.Info("an MCP server asks for a form that cannot be shown", "server", s.name)
		return dismissed, nil
	}
	questions := make([]question, len(fields))
	for i, f := range fields {
		questions[i] = f.question
	}
	raw, err := json.Marshal(map[string]any{"questions": questions})
	if err != nil {
		return nil, err
	}
	defer one.hold()()
	inner := &tool.Call{Parent: one.call.ID, Caller: callerServer, Tool: askTool, Raw: string(raw), Log: one.call.Log, Turn: one.call.Turn, Step: one.call.Step, Folder: one.call.Folder}
	asked, stop := context.WithCancel(one.ctx)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	from := one.call.Log.Seq()
	if r := s.deps.registry.Execute(asked, one.call.Realm(), inner); r.Failed {
		return dismissed, nil
	}
	answers, ok, err := answered(one.call.Log, from, inner.ID)
	if err != nil || !ok || len(answers) != len(fields) {
		return dismissed, err
	}
	content := map[string]any{}
	for i, f := range fields {
		value, given, fits := f.value(answers[i])
		switch {
		case !fits || !given && f.required:
			return &sdk.ElicitResult{Action: "decline"}, nil
		case given && f.name != "":
			content[f.name] = value
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// answer is what a person said to one question.
type answer struct {
	Chosen []string `json:"chosen"`
	Text   string   `json:"text"`
}

// answered reads the person's answers to a call of the tool for questions.
func answered(log *session.Log, from int64, call string) (answers []answer, ok bool, err error) {
	for e, err := range log.Events(from + 1) {
		if err != nil {
			return nil, false, err
		}
		var d struct {
			Call, By string
			Answers  []answer
		}
		if e.Type == answeredKind && json.Unmarshal(e.Data, &d) == nil && d.Call == call {
			return d.Answers, d.By == "person", nil
		}
	}
	return nil, false, nil
}

// readForm takes the fields off a form. ok is false for one that cannot be shown.
func readForm(server string, p *sdk.ElicitParams) (fields []field, ok bool) {
	raw, err := json.Marshal(p.RequestedSchema)
	var form struct {
		Properties map[string]struct {
			Type, Title, Description string
			Enum, EnumNames          []string
			OneOf                    []constant
			Items                    struct {
				Enum  []string
				AnyOf []constant
			}
		}
		Required []string
	}
	if err != nil || json.Unmarshal(raw, &form) != nil || len(form.Properties) > mostAsked {
		return nil, false
	}
	message := fmt.Sprintf("The MCP server %s asks: %s", server, tool.OutsideLine(p.Message, 500))
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		q := form.Properties[name]
		f := field{name: name, kind: q.Type, required: slices.Contains(form.Required, name)}
		f.question = question{Text: message + "\n" + tool.OutsideLine(first(q.Title, name)+" "+q.Description, 200), Many: q.Type == "array"}
		switch {
		case q.Type == "boolean":
			f.labels, f.values = []string{"yes", "no"}, []string{"true", "false"}
		case len(q.Enum) > 0:
			f.values, f.labels = q.Enum, q.Enum
			if len(q.EnumNames) == len(q.Enum) {
				f.labels = q.EnumNames
			}
		case q.Type == "array" && len(q.Items.Enum) > 0:
			f.values, f.labels = q.Items.Enum, q.Items.Enum
		default:
			for _, c := range slices.Concat(q.OneOf, q.Items.AnyOf) {
				f.values, f.labels = append(f.values, c.Const), append(f.labels, first(c.Title, c.Const))
			}
		}
		if len(f.labels) > mostChoices {
			return nil, false
		}
		for i := range f.labels {
			f.labels[i] = tool.OutsideLine(f.labels[i], 80)
			f.question.Choices = append(f.question.Choices, choice{f.labels[i]})
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 { // a form without fields asks for a yes
		fields = append(fields, field{kind: "confirm", required: true, labels: []string{"yes"}, values: []string{"true"}, question: question{Text: message, Choices: []choice{{"yes"}}}})
	}
	return fields, true
}

// constant is one choice with a name of its own.
type constant struct{ Const, Title string }

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// value makes of an answer what the form wants. given is false where it was skipped;
// fits is false where it is not of the kind.
func (f field) value(a answer) (value any, given, fits bool) {
	var said []string
	for _, label := range a.Chosen {
		if i := slices.Index(f.labels, label); i >= 0 {
			said = append(said, f.values[i])
		}
	}
	if text := strings.TrimSpace(a.Text); text != "" && len(said) == 0 {
		if len(f.labels) > 0 {
			return nil, true, false // words where one of the choices was wanted
		}
		said = []string{text}
	}
	if len(said) == 0 {
		return nil, false, true
	}
	var err error
	switch f.kind {
	case "array":
		value = said
	case "boolean", "confirm":
		value = said[0] == "true"
	case "integer":
		value, err = strconv.ParseInt(said[0], 10, 64)
	case "number":
		value, err = strconv.ParseFloat(said[0], 64)
	default:
		value = said[0]
	}
	return value, true, err == nil
}
