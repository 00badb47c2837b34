package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const field = `document.querySelector('[data-composer]').value`

// begun is a demo with one finished turn, so that the session and its folder exist.
func begun(t *testing.T) *page {
	t.Helper()
	p := demo(t).signIn(1280, 900)
	p.say("What is in this folder?")
	p.see("I only read files for this")
	p.wait(`document.querySelector('.stop.send')`)
	p.click(`[data-composer]`)
	return p
}

func TestAFileIsMentionedByItsName(t *testing.T) {
	p := begun(t)
	p.press("Look at @rep")
	p.wait(`document.querySelector('.completion [aria-selected=true]')?.innerText.includes('report.sh')`)
	p.shot("mention")
	p.enter()
	p.wait(field + ` === 'Look at @report.sh '`)
	if p.count(".said") != 1 {
		t.Error("Enter sent the message instead of completing it")
	}
	p.press("and @ti")
	p.wait(`document.querySelector('.completion')`)
	p.press(kb.Escape)
	p.wait(`!document.querySelector('.completion')`)
	if got := eval[string](p, field); got != "Look at @report.sh and @ti" {
		t.Errorf("Escape changed the text to %q", got)
	}
}

func TestASlashOffersTheCommands(t *testing.T) {
	p := begun(t)
	p.press("/")
	p.wait(`document.querySelectorAll('.completion .choice').length > 1`)
	first := p.text(".completion [aria-selected=true] .nm")
	p.press(kb.ArrowDown)
	p.wait(fmt.Sprintf(`document.querySelector('.completion [aria-selected=true] .nm').innerText !== %q`, first))
	second := p.text(".completion [aria-selected=true] .nm")
	p.press(kb.Tab)
	p.wait(fmt.Sprintf(field+` === %q`, second+" "))
}

func TestWhatWasSaidComesBackByArrows(t *testing.T) {
	p := begun(t)
	p.press(kb.ArrowUp)
	p.wait(field + ` === 'What is in this folder?'`)
	p.press(kb.ArrowDown)
	p.wait(field + ` === ''`)
	p.press("mine")
	p.press(kb.ArrowUp)
	if got := eval[string](p, field); got != "mine" {
		t.Errorf("the arrow took what was written for %q", got)
	}
}

// paste dispatches a paste as the browser does.
func (p *page) paste(fill string) {
	p.t.Helper()
	eval[bool](p, `(() => {
	  const d = new DataTransfer(); `+fill+`
	  const f = document.querySelector('[data-composer]')
	  const e = new ClipboardEvent('paste', { clipboardData: d, bubbles: true, cancelable: true })
	  if (f.dispatchEvent(e)) { f.setRangeText(d.getData('text/plain'), f.selectionStart, f.selectionEnd, 'end'); f.dispatchEvent(new Event('input', { bubbles: true })) }
	  return true
	})()`)
}

func TestAPictureIsPastedAndStaysInTheSession(t *testing.T) {
	p := begun(t)
	p.paste(`const bytes = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (c) => c.charCodeAt(0)); d.items.add(new File([bytes], 'dot.png', { type: 'image/png' }))`)
	p.wait(`document.querySelector('.chips img') && document.querySelector('.chips').innerText.includes('dot.png')`)
	p.press("What is in this folder, and what is this?")
	p.enter()
	p.wait(`!document.querySelector('.chips') && [...document.querySelectorAll('.said')].length === 2`)
	p.wait(`document.querySelectorAll('.said')[1].querySelector('img')?.naturalWidth === 1`)
	p.open(eval[string](p, "location.href"))
	p.wait(`document.querySelectorAll('.said')[1]?.querySelector('img')?.naturalWidth === 1`)
}

func TestABigPasteBecomesAFile(t *testing.T) {
	p := begun(t)
	p.paste(`d.setData('text/plain', 'line of a log\n'.repeat(700))`)
	p.see("Attach as a file")
	p.click(".offer .btn")
	p.wait(`document.querySelector('.chips') && ` + field + ` === ''`)
	if chips := p.text(".chips"); !strings.Contains(chips, "9,800 chars") {
		t.Errorf("the chip says %q", chips)
	}
	p.open(eval[string](p, "location.href"))
	p.wait(`document.querySelector('.chips')`)
}
