package e2e_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fairlead/llm/scripted"
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
	p.wait(`!document.querySelector('dialog')`) // it gives the focus back as it goes
	p.say(ask)
	p.see("The report works")
	if p.count(".decided, .ask") != 0 {
		t.Error("something was asked in Bypass")
	}
	p.click(`.strip .mini`)
	p.wait(`document.querySelector('.opt.mode-manual') && !document.querySelector('.strip')`)
}

func TestAConnectionIsTestedSavedAndRemoved(t *testing.T) {
	script, err := scripted.Parse("model harbour\nreply\n  say Hello.\n")
	if err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(scripted.Handler(script))
	t.Cleanup(model.Close)
	h := demo(t)
	p := h.signIn(1280, 1200)
	p.open(h.url("/_/settings"))
	p.wait(`document.querySelector('#connections')`)
	if p.count(".connect") == 0 {
		p.click(`#connections ~ div .btn`)
	}
	fill := func(at int, text string) {
		eval[bool](p, fmt.Sprintf(`(() => { const f = document.querySelectorAll('.connect input')[%d]; f.value = %q; f.dispatchEvent(new Event('input', { bubbles: true })); return true })()`, at, text))
	}
	fill(0, "harbour")
	fill(1, "http://127.0.0.1:1/v1")
	p.click(".connect .buttons .btn:nth-child(2)")
	p.wait(`document.querySelector('.connect .outcome.bad')`)
	fill(1, model.URL+"/v1")
	p.wait(`!document.querySelector('.connect .outcome')`)
	p.click(".connect .buttons .btn:nth-child(2)")
	p.see("It works: 1 model")
	p.shot("connections")
	p.click(".connect .buttons .btn.primary")
	p.wait(`[...document.querySelectorAll('.setting .nm')].some((n) => n.innerText === 'harbour')`)
	p.see(model.URL)
	p.wait(`document.querySelector('#models').parentElement.innerText.includes('harbour')`) // it can be chosen at once
	for _, js := range []string{overflow, outside} {
		for _, bad := range eval[[]string](p, js) {
			t.Error(bad)
		}
	}
	h.stop()
	h.start() // and after a restart
	p.open(h.link)
	p.open(h.url("/_/settings"))
	p.see(model.URL)
	p.click(`#connections ~ .setting .btn.text:nth-child(2)`)
	p.click("dialog .btn.bad")
	p.wait(`!document.body.innerText.includes('harbour')`)
}
