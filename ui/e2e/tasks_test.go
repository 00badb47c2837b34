package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestATaskIsMadeRunSwitchedOffAndRemoved(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 1000)
	p.open(h.url("/_/tasks"))
	p.click(`.tasks .btn.primary`)
	p.click(`.task-form [name=name]`)
	p.press("morning")
	p.click(`.task-form [name=prompt]`)
	p.press("What changed since yesterday?")
	p.click(`.task-form [name=time]`)
	p.press("0 7 * * *")
	p.do(chromedp.SetValue(`.task-form [name=mode]`, "bypass"))
	eval[bool](p, `document.querySelector('.task-form [name=mode]').dispatchEvent(new Event('change', { bubbles: true }))`)
	p.axe()
	p.click(`.task-form [type=submit]`)
	p.see("Save morning in Bypass?")
	if p.count(`[data-task=morning]`) != 0 {
		t.Error("a task in Bypass was saved before the person's yes")
	}
	p.click(`dialog .btn.bad`)
	p.click(`[data-task=morning] .line`)
	p.see("at 07:00")
	p.see("without asking, while nobody watches")
	p.click(`[data-task=morning] .task-body .btn`)
	p.wait(`document.querySelector('[data-task=morning] .task-body a[href^="/s/"]')`)
	p.click(`[data-task=morning] .switch`)
	p.see("Switched off")
	p.axe()
	for _, width := range widths {
		for _, theme := range themes {
			p.theme(theme)
			p.do(chromedp.EmulateViewport(width, 1000))
			for _, js := range []string{overflow, outside} {
				for _, bad := range eval[[]string](p, js) {
					t.Errorf("%d %s: %s", width, theme, bad)
				}
			}
			p.shot(fmt.Sprintf("tasks-%d-%s", width, theme))
		}
	}
	p.click(`[data-task=morning] .btn.text`)
	p.click(`dialog .btn.bad`)
	p.see("There is no task yet.")
}
