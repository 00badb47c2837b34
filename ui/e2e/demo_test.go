package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// say writes into the composer as a person would and sends it.
func (p *page) say(text string) {
	p.t.Helper()
	p.click(`[data-composer]`)
	p.press(text)
	p.enter()
}

// send presses the button instead of Enter, which makes a new line on touch keyboards.
func (p *page) send(text string) {
	p.t.Helper()
	p.click(`[data-composer]`)
	p.press(text)
	p.click(".stop.send")
}

// answer presses a button of the waiting card until the press was taken: for half a
// second after the card moved, and bringing the button into view moves it, none is.
func (p *page) answer(button string) {
	p.t.Helper()
	const settled = `document.querySelector('.ask .answer:not(.settling)')`
	p.wait(settled)
	asked := eval[string](p, `document.querySelector('.ask').dataset.ask`)
	selector := fmt.Sprintf(`[data-ask=%q] %s`, asked, button)
	taken := fmt.Sprintf(`(() => { const b = document.querySelector(%q); return !b || b.disabled })()`, selector)
	for {
		p.click(selector)
		p.wait(fmt.Sprintf(`%s || %s`, taken, settled))
		if eval[bool](p, `new Promise((r) => setTimeout(() => r(`+taken+`), 150))`) {
			return
		}
	}
}

const ask = "Why does report.sh print no heights? Fix it."

func TestAChangeIsProposedApprovedAndTried(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.say(ask)

	p.wait(`document.querySelector('.ask')`)
	card := p.text(".ask")
	for _, words := range []string{"Waiting for you: change a file", "report.sh", "NR > 1 && $3 < best[$1]", "NR > 1 && $3 > best[$1]", "Nothing has been changed yet"} {
		if !strings.Contains(card, words) {
			t.Errorf("the card does not show %q:\n%s", words, card)
		}
	}
	p.shot("demo-ask")
	p.wait(`document.title.startsWith('(1)')`)
	p.wait(`document.querySelector('.sess[aria-current] .sub')`)
	p.answer(".btn.go")

	p.see("Waiting for you: run a command")
	if hero := p.text(".ask .path"); hero != "sh report.sh" {
		t.Errorf("the hero line is %q", hero)
	}
	p.answer(".btn.go")

	p.see("The report works")
	p.wait(`!document.querySelector('.ask') && document.querySelector('.foldline')`)
	p.shot("demo-done")
	if !strings.Contains(p.text(".scroll"), "1 file changed") {
		t.Errorf("the folded turn does not say what changed:\n%s", p.text(".scroll"))
	}
	if strings.HasPrefix(eval[string](p, "document.title"), "(") {
		t.Error("the title still says that something waits")
	}
}

func TestNoStopsTheChangeAndSaysWhy(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.say(ask)
	p.wait(`document.querySelector('.ask .answer:not(.settling)')`)
	p.click(".ask .why-not")
	p.wait(`document.querySelector('.note-field') === document.activeElement`)
	p.press("not before review")
	p.answer(".btn:not(.text)")

	p.see("I have left report.sh as it is.")
	p.wait(`!document.querySelector('.ask')`)
	line := p.text(".decided")
	for _, words := range []string{"You said no to", "report.sh", "not before review"} {
		if !strings.Contains(line, words) {
			t.Errorf("the decided line %q does not say %q", line, words)
		}
	}
	p.click(".decided .mini")
	if past := p.text(".past-card"); !strings.Contains(past, "$3 > best[$1]") {
		t.Errorf("Details does not show what was asked:\n%s", past)
	}
}

func TestAQuestionOutlivesReloadAndRestartOfTheView(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.say(ask)
	const whole = `document.querySelector('.ask .btn.go:not([aria-disabled=true]):not(:disabled)') && !document.querySelector('.ask').textContent.includes('Read to the end first')`
	p.wait(whole)
	before := p.text(".ask")
	p.press("a draft that is not sent")
	p.wait(`localStorage.length && Object.entries(localStorage).some(([k, v]) => k.startsWith('fairlead.draft.') && v.includes('not sent'))`)
	p.open(eval[string](p, "location.href"))
	p.wait(whole)
	if after := p.text(".ask"); after != before {
		t.Errorf("the card changed over a reload:\n%s\nwas\n%s", after, before)
	}
	if draft := eval[string](p, `document.querySelector('[data-composer]').value`); draft != "a draft that is not sent" {
		t.Errorf("the draft is %q", draft)
	}
}

func TestTwoTabsFirstAnswerWins(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.say(ask)
	p.wait(`document.querySelector('.ask')`)
	second := h.another(p)
	second.open(eval[string](p, "location.href"))
	second.wait(`document.querySelector('.ask .answer:not(.settling)')`)
	p.answer(".deny")
	second.wait(`!document.querySelector('.ask') && document.querySelector('.decided')`)
	p.wait(`document.querySelector('.decided')`)
	if a, b := p.text(".decided"), second.text(".decided"); a != b {
		t.Errorf("the tabs differ: %q and %q", a, b)
	}
}

func TestReloadInTheMiddleOfAStreamDoublesNothing(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.say("What is in this folder?")
	p.wait(`document.querySelector('.reply[aria-busy=true]')`)
	p.open(eval[string](p, "location.href"))
	p.see("Ask me to fix the report to see how a change is proposed.")
	p.wait(`!document.querySelector('.reply[aria-busy=true]')`)
	text := p.text(".scroll")
	for _, once := range []string{"Harbour notes", "I only read files for this", "There is a bug in the report"} {
		if n := strings.Count(text, once); n != 1 {
			t.Errorf("%q stands there %d times:\n%s", once, n, text)
		}
	}
	streamed := p.text(".reply .prose")
	p.open(eval[string](p, "location.href"))
	p.see("Harbour notes")
	if loaded := p.text(".reply .prose"); loaded != streamed {
		t.Errorf("streamed and loaded replies differ:\n%q\n%q", streamed, loaded)
	}
}

func TestStopEndsTheTurn(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.say("What is in this folder?")
	p.wait(`document.querySelector('.reply[aria-busy=true]')`)
	p.click(`.stop:not(.send)`)
	p.see("Stopped by you after")
	p.wait(`!document.querySelector('.spin, [aria-busy=true]') && document.querySelector('.stop.send')`)
	p.say("What is in this folder?")
	p.see("I only read files for this")
}

func TestEnterWhileComposingDoesNotSend(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.click(`[data-composer]`)
	p.press("nihongo")
	eval[bool](p, `(() => {
	  const f = document.querySelector('[data-composer]')
	  f.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
	  f.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))
	  f.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))
	  f.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))
	  return true
	})()`)
	if n := p.count(".said"); n != 0 || eval[string](p, `document.querySelector('[data-composer]').value`) != "nihongo" {
		t.Error("a key of the input method sent the message")
	}
	p.enter()
	p.wait(`document.querySelector('.said')`)
}

func TestAnEarlyPressDoesNotApprove(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	// Presses Approve, Enter and Y in the very frame in which the card appears.
	eval[bool](p, `(() => { window.early = 0; new MutationObserver(() => {
	  const b = document.querySelector('.ask .btn.go'); if (!b || window.early) return
	  window.early = 1
	  b.click(); b.focus()
	  b.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
	  b.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true, cancelable: true }))
	}).observe(document.body, { childList: true, subtree: true }); return true })()`)
	p.say(ask)
	p.wait(`window.early && document.querySelector('.ask .answer:not(.settling)')`)
	if p.count(".ask") != 1 || p.count(".decided") != 0 {
		t.Error("a press in the first moment was taken")
	}
	// Y is for the card that has the focus.
	p.press("j", chromedp.KeyModifiers(chromedp.ModifierAlt))
	p.wait(`document.activeElement.matches('.ask .deny')`)
	p.press("n")
	p.wait(`document.querySelector('.decided')`)
}

func TestOpeningAFoldKeepsItUnderTheHand(t *testing.T) {
	p := demo(t).signIn(1280, 700)
	p.say("What is in this folder?")
	p.wait(`document.querySelector('.foldline')`)
	eval[bool](p, `(() => { document.querySelector('.foldline').scrollIntoView({ block: 'center' }); return true })()`)
	at := `Math.round(document.querySelector('.foldline').getBoundingClientRect().top)`
	before := eval[int](p, at)
	p.click(".foldline")
	p.wait(`document.querySelector('.foldline[aria-expanded=true]') && document.querySelector('.looked')`)
	eval[bool](p, `new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
	if after := eval[int](p, at); after < before-2 || after > before+2 {
		t.Errorf("the line moved from %d to %d", before, after)
	}
}

func TestMessagesWaitTheirTurnAndCanBeTakenBack(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.say(ask)
	p.wait(`document.querySelector('.ask')`)
	p.say("What is in this folder?")
	p.say("A second thought.")
	p.wait(`document.querySelectorAll('.queue li').length === 2`)
	p.press(kb.ArrowUp)
	p.wait(`document.querySelectorAll('.queue li').length === 1 && document.querySelector('[data-composer]').value === 'A second thought.'`)
	p.click(".queue li .mini:last-child")
	p.wait(`!document.querySelector('.queue')`)
	p.answer(".deny")
	p.see("I have left report.sh as it is.")
	p.wait(`document.querySelector('.stop.send')`)
	if said := p.count(".said"); said != 1 {
		t.Errorf("%d messages were said, the ones taken back too", said)
	}
}

func TestTheServerRestartsInTheMiddle(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.say(ask)
	p.wait(`document.querySelector('.ask')`)
	p.press("a draft")
	h.kill()
	p.see("Not connected. You can answer as soon as the connection is back.")
	p.see("Connection lost.")
	if !eval[bool](p, `document.querySelector('.ask .btn.go').disabled`) {
		t.Error("Approve can be pressed while nobody is connected")
	}
	h.start()
	p.wait(`!document.querySelector('.linkbar') && !document.querySelector('.ask')`)
	p.wait(`document.querySelector('.stop.send')`)
	if draft := eval[string](p, `document.querySelector('[data-composer]').value`); draft != "a draft" {
		t.Errorf("the draft is %q", draft)
	}
	p.click(".foldline")
	p.see("I propose this change")
	text := p.text(".scroll")
	if strings.Count(text, "I propose this change") != 1 || strings.Count(text, "Fairlead was restarted") != 1 || strings.Contains(text, "Waiting for you") {
		t.Errorf("after the restart the page says:\n%s", text)
	}
	p.shot("restarted")
}
