package toolbox

import (
	"context"
	_ "embed" // the text is a file
	"fmt"
	"slices"
	"strings"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed ask_user.md
var askUserText string

// The kinds of questions that the model asks the person.
var (
	QuestionAsked    = session.Kind[QuestionAskedData]{Name: "question/asked", Doc: "the model asks the person something it needs to go on", Ignorable: true}
	QuestionAnswered = session.Kind[QuestionAnsweredData]{Name: "question/answered", Doc: "what the person answered, or why nobody did", Ignorable: true}
)

// QuestionAskedData is what one call asks.
type QuestionAskedData struct {
	Call      string     `json:"call"`
	Questions []Question `json:"questions"`
}

// Question is one of them. Many allows more than one of the choices.
type Question struct {
	Text    string           `json:"text"`
	Choices []QuestionChoice `json:"choices,omitempty"`
	Many    bool             `json:"many,omitempty"`
}

// QuestionChoice is one answer that the model thought of.
type QuestionChoice struct {
	Label string `json:"label"`
	About string `json:"about,omitempty"`
}

// QuestionAnsweredData has one answer a question where By is "person"; otherwise By
// is "nobody" or "stop" and there is none.
type QuestionAnsweredData struct {
	Call    string           `json:"call"`
	By      string           `json:"by"`
	Answers []QuestionAnswer `json:"answers,omitempty"`
}

// QuestionAnswer is what the person chose and wrote; neither where the question was
// skipped.
type QuestionAnswer struct {
	Chosen []string `json:"chosen,omitempty"`
	Text   string   `json:"text,omitempty"`
}

// asker is the tool "ask_user".
type asker struct{ desk *consults }

func (asker) Schema() llm.ToolSchema {
	return schema("ask_user", askUserText, `{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":4,"items":{"type":"object","properties":{"text":{"type":"string"},"choices":{"type":"array","maxItems":8,"items":{"type":"object","properties":{"label":{"type":"string"},"about":{"type":"string"}},"required":["label"],"additionalProperties":false}},"many":{"type":"boolean"}},"required":["text"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}`)
}

func (asker) args(call *tool.Call) QuestionAskedData {
	d := QuestionAskedData{Call: call.ID}
	_ = call.Decode(&d) // the arguments passed the schema
	return d
}

func (asker) ReadOnly(*tool.Call) bool { return true }

func (a asker) Present(call *tool.Call) session.Present {
	p := session.Present{Verb: "ask"}
	if q := a.args(call).Questions; len(q) > 0 {
		p.What = q[0].Text
	}
	return p
}

func (a asker) Run(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	return a.desk.consult(ctx, call, QuestionAsked.New(call.Turn, call.Step, a.args(call)), func(by string) (session.Draft, *tool.Result) {
		return QuestionAnswered.New(call.Turn, call.Step, QuestionAnsweredData{Call: call.ID, By: by}),
			tool.Text("Nobody is here to answer. Take the most careful reading, go on with what needs no answer, and say what you assumed.")
	})
}

// answering is the command with which a person answers.
func (d *consults) answering() command.Command {
	const params = `{"type":"object","properties":{"call":{"type":"string"},"answers":{"type":"array","items":{"type":"object","properties":{"chosen":{"type":"array","items":{"type":"string"}},"text":{"type":"string"}},"additionalProperties":false}}},"required":["call","answers"],"additionalProperties":false}`
	type args struct {
		Call    string           `json:"call"`
		Answers []QuestionAnswer `json:"answers"`
	}
	return verb("question.answer", "answers what the model asked; an empty answer skips its question", params, func(ctx context.Context, id session.ID, a args) error {
		c, err := d.find(id, a.Call)
		if err != nil {
			return err
		}
		questions := asker{}.args(c.call).Questions
		if err := fit(questions, a.Answers); err != nil {
			return err
		}
		return c.settle(ctx, QuestionAnswered.New(c.call.Turn, c.call.Step, QuestionAnsweredData{Call: a.Call, By: byPerson, Answers: a.Answers}), tool.Text(told(questions, a.Answers)), nil)
	})
}

// fit refuses answers that do not belong to the questions.
func fit(questions []Question, answers []QuestionAnswer) error {
	if len(questions) != len(answers) {
		return fault.New(fault.Invalid, "toolbox.question", "%d questions were asked and %d answers came. Nothing was answered.", len(questions), len(answers))
	}
	for i, a := range answers {
		if len(a.Chosen) > 1 && !questions[i].Many {
			return fault.New(fault.Invalid, "toolbox.question", "Only one choice fits question %d. Nothing was answered.", i+1)
		}
		for _, label := range a.Chosen {
			if !slices.ContainsFunc(questions[i].Choices, func(c QuestionChoice) bool { return c.Label == label }) {
				return fault.New(fault.Invalid, "toolbox.question", "%q is no choice of question %d. Nothing was answered.", label, i+1)
			}
		}
	}
	return nil
}

// told is what the model reads of the answers.
func told(questions []Question, answers []QuestionAnswer) string {
	var b strings.Builder
	for i, a := range answers {
		said := strings.Join(a.Chosen, ", ")
		if text := strings.TrimSpace(a.Text); text != "" {
			if said != "" {
				said += ". In their own words: "
			}
			said += text
		}
		if said == "" {
			said = "(skipped)"
		}
		fmt.Fprintf(&b, "%s\n→ %s\n", questions[i].Text, said)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
