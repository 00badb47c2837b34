package e2e_test

import (
	"fmt"
	"testing"
)

// The demo at a desk and on a phone, in both themes: the pictures of the documentation
// (-shots writes them), and a check that nothing sticks out on the way.
func TestTheDemoFitsAtADeskAndOnAPhone(t *testing.T) {
	for _, width := range []int64{1280, 360} {
		for _, theme := range themes {
			t.Run(fmt.Sprintf("%d %s", width, theme), func(t *testing.T) {
				name := func(what string) string { return fmt.Sprintf("%s-%d-%s", what, width, theme) }
				look := func(p *page, what string) {
					for _, js := range []string{overflow, outside} {
						for _, bad := range eval[[]string](p, js) {
							t.Errorf("%s: %s", what, bad)
						}
					}
					p.shot(name(what))
				}
				h := demo(t)
				p := openTab(t, width, map[bool]int64{true: 800, false: 780}[width > 600])
				p.theme(theme)
				p.open(h.link)
				p.wait(`document.querySelector('[data-composer]')`)
				p.see("What should be done")
				look(p, "welcome")
				p.send(ask)
				p.wait(`document.querySelector('.ask .answer:not(.settling)')`)
				look(p, "ask")
				p.answer(".btn.go")
				p.see("Waiting for you: run a command")
				p.wait(`document.querySelector('.ask .answer:not(.settling)')`)
				look(p, "command")
				p.answer(".btn.go")
				p.see("The report works")
				p.wait(`document.querySelector('.foldline') && !document.querySelector('.spin, [aria-busy=true]')`)
				look(p, "done")
				p.click(".foldline")
				p.wait(`document.querySelector('.looked, .thought')`)
				look(p, "steps")
			})
		}
	}
}
