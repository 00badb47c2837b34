package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestAQuestionIsAnsweredAndSurvivesAReload(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.say("Ask me what you need to know.")
	p.wait(`document.querySelector('.consult .answer:not(.settling)')`)
	for _, words := range []string{"Waiting for you: a question", "1 of 2", "Which units should the report use?", "as in the data"} {
		if text := p.text(".consult"); !strings.Contains(text, words) {
			t.Errorf("the card does not say %q:\n%s", words, text)
		}
	}
	p.wait(`document.title.startsWith('(1)') && document.querySelector('.sess[aria-current] .sub')`)
	if !eval[bool](p, `document.querySelector('.consult .btn.go').disabled`) {
		t.Error("an empty answer can be given")
	}
	p.click(".consult .option:nth-of-type(2)")
	p.answer(".btn.go")
	p.see("Who reads it?")
	p.click(".consult .note-field")
	p.press("the pilots")
	p.shot("question")
	p.open(eval[string](p, "location.href"))
	p.wait(`document.querySelector('.consult .note-field')?.value === 'the pilots'`)
	p.answer(".btn.go")
	p.see("I will keep to that")
	p.wait(`!document.querySelector('.consult')`)
	line := p.text(".decided")
	for _, words := range []string{"You answered", "Feet", "the pilots"} {
		if !strings.Contains(line, words) {
			t.Errorf("the line %q does not say %q", line, words)
		}
	}
}

func TestAPlanIsDiscussedAndGoesOnInThePickedMode(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.click(`.opt.mode-manual`)
	p.click(`.choice:nth-child(2)`)
	p.wait(`document.querySelector('.opt.mode-plan')`)
	p.say("Make a plan.")
	p.wait(`document.querySelector('.consult .plan-text strong') && document.querySelector('.consult .answer:not(.settling)')`)
	p.shot("plan")
	p.click(".consult .btn:not(.go):not(.text)")
	p.wait(`document.activeElement.matches('.consult .note-field')`)
	p.press("show both")
	p.answer(".btn:not(.text)")
	p.see("Print the heights, and show it")
	if line := p.text(".decided"); !strings.Contains(line, "You asked for another plan") || !strings.Contains(line, "show both") {
		t.Errorf("the line of the first plan is %q", line)
	}
	p.answer(".btn.go")
	p.see("Carry out the approved plan.")
	p.wait(`document.querySelector('.opt.mode-manual')`)
	p.see("Waiting for you: change a file")
	p.answer(".btn.go")
	p.see("as planned")
	p.shot("plan-done")
	if text := p.text(".scroll"); !strings.Contains(text, "You approved the plan, in Manual") {
		t.Errorf("the transcript does not say what was decided:\n%s", text)
	}
}

func TestASecondTabSeesThatAQuestionWasAnswered(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.say("Ask me what you need to know.")
	p.wait(`document.querySelector('.consult')`)
	second := h.another(p)
	second.open(eval[string](p, "location.href"))
	second.wait(`document.querySelector('.consult .answer:not(.settling)')`)
	p.answer(".answer .btn:nth-child(2)") // skips one after the other
	second.wait(`!document.querySelector('.consult') && document.querySelector('.decided')`)
	p.wait(`document.querySelector('.decided')`)
	if a, b := p.text(".decided"), second.text(".decided"); a != b || !strings.Contains(a, "skipped") {
		t.Errorf("the tabs say %q and %q", a, b)
	}
}

func TestQuestionsAndPlansFitOnAPhone(t *testing.T) {
	p := openTab(t, 360, 780)
	p.open(files(t) + "/_/gallery")
	for _, name := range []string{"Question", "Question, any of several", "Plan, waiting", "Plan, being written", "Questions and plans, decided"} {
		p.wait(fmt.Sprintf(`document.querySelector(%q)`, scene(name)+" .row"))
		eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).scrollIntoView(); return true })()`, scene(name)))
		p.shot("phone " + name)
	}
}
