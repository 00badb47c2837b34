package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestTheMonitorShowsWhatAgentsDo(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 1000)
	p.say(ask)
	p.wait(`document.querySelector('.ask .btn.go')`)
	p.open(h.url("/_/monitor"))
	p.wait(`document.querySelectorAll('.gauge').length >= 4 && document.querySelector('.board-line a[href^="/s/"]')`)
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
			p.shot(fmt.Sprintf("monitor-%d-%s", width, theme))
		}
	}
}
