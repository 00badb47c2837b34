package e2e_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestTheLookIsKeptByTheHost(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.open(h.url("/_/settings"))
	p.click(`.radios label:nth-child(3)`)
	p.wait(`document.documentElement.dataset.theme === 'dark'`)
	p.do(chromedp.SetValue(`select`, "de"))
	eval[bool](p, `document.querySelector('select').dispatchEvent(new Event('change', { bubbles: true }))`)
	p.see("Einstellungen")
	// Another browser, with nothing of its own stored, starts in the same look.
	second := openTab(t, 1280, 900)
	second.wait(`true`)
	p.wait(`fetch('/').then((r) => r.text()).then((html) => html.includes('data-theme="dark"') && html.includes('data-language="de"'))`)
	second.open(h.url("/"))
	second.see("Den Link öffnen")
	if theme := eval[string](second, `document.documentElement.dataset.theme`); theme != "dark" {
		t.Errorf("the other browser starts %q", theme)
	}
}

func TestAKeyIsSavedAndNeverShown(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 1200)
	p.open(h.url("/_/settings"))
	p.click(`form input[type=text], form input:not([type])`)
	p.press("my-server")
	p.click(`form input[type=password]`)
	p.press("sk-very-secret-0123456789")
	p.click(`form .btn`)
	p.see("Set, kept in file")
	if text := eval[string](p, `document.documentElement.outerHTML`); strings.Contains(text, "sk-very-secret") {
		t.Error("the page still holds the key")
	}
	p.click(`#keys ~ .setting .btn.text`)
	p.wait(`!document.body.innerText.includes('my-server')`)
}

func TestModesAreChosenAndBypassAsksOnce(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.click(`.opt.mode-manual`)
	p.see("Nothing can change. You get a plan first.")
	p.click(`.choice:nth-child(3)`)
	p.see("Switch to Bypass?")
	p.click(`dialog .btn:not(.bad)`)
	p.wait(`!document.querySelector('dialog') && document.querySelector('.opt.mode-manual')`)
	p.click(`.opt.mode-manual`)
	p.click(`.choice:nth-child(3)`)
	p.click(`dialog .btn.bad`)
	p.see("Bypass: nothing is asked in this session")
	p.say(ask)
	p.see("The report works")
	if p.count(".decided, .ask") != 0 {
		t.Error("something was asked in Bypass")
	}
	p.click(`.strip .mini`)
	p.wait(`document.querySelector('.opt.mode-manual') && !document.querySelector('.strip')`)
}
