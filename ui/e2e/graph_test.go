package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// fiber gives the selector of a part's row in the list beside the drawing.
func fiber(path string) string { return fmt.Sprintf(`[data-fiber=%q]`, path) }

// restart opens a part's row, asks for its restart and says yes.
func (p *page) restart(path string) {
	p.t.Helper()
	if p.count(fiber(path)+` .line[aria-expanded=true]`) == 0 {
		p.click(fiber(path) + " .line")
	}
	p.click(fiber(path) + " .part-body > .btn")
	p.wait(`document.querySelector('dialog .btn.primary')`)
	p.click("dialog .btn.primary")
}

func TestAFailedPartShowsWhyAndIsRestartedOnThePage(t *testing.T) {
	h := demo(t)
	h.stop()
	h.start() // on the port it had, so that a restarted server is found again
	p := h.signIn(1280, 900)
	p.open(h.url("/_/graph"))
	p.wait(`document.querySelector('.part-box.active')`)
	if !eval[bool](p, `document.querySelector('.graph-sum').textContent.includes('active') && !document.querySelector('.part-row.failed')`) {
		t.Error("a graph that is well says otherwise")
	}

	// The settings cannot be read any more: a restart shows it, in place and in words.
	file := filepath.Join(h.home, "settings.yaml")
	if err := os.MkdirAll(file, 0o755); err != nil {
		t.Fatal(err)
	}
	p.restart("settings")
	p.wait(`document.querySelector('.part-row.failed[data-fiber=settings] .reason') && document.querySelector('.part-box.failed[data-part=settings]')`)
	if first := p.text(".part-row"); !strings.Contains(first, "settings") || !strings.Contains(first, "failed") {
		t.Errorf("the part that failed is not the first of the list, but\n%s", first)
	}
	p.shot("graph-failed")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p.restart("settings")
	p.wait(`document.querySelector('.part-box.active[data-part=settings]') && !document.querySelector('.part-row.failed')`)
}

func TestARestartSaysWhatGoesWithIt(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 900)
	p.open(h.url("/_/graph"))
	p.click(fiber("catalog") + " .line")
	p.see("Started")
	p.restart("catalog")
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.innerText.includes('2 times')`, fiber("catalog")))
	p.click(fiber("sessions") + " .line")
	p.shot("graph-chosen")
	p.click(fiber("sessions") + " .part-body > .btn")
	if text := p.text("dialog"); !strings.Contains(text, "agent") || !strings.Contains(text, "server") || strings.Contains(text, "settings") {
		t.Errorf("the question does not name what stands on the part:\n%s", text)
	}
	p.click("dialog .btn:not(.primary)")
	p.wait(`!document.querySelector('dialog')`)
}

func TestTheDrawingIsWalkedByKeys(t *testing.T) {
	p := openTab(t, 1280, 1000)
	p.open(files(t) + "/_/gallery")
	graph := scene("Graph, live")
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, graph+" .part-box"))
	if stops := p.count(graph + ` .part-box[tabindex="0"]`); stops != 1 {
		t.Errorf("the drawing has %d stops of Tab", stops)
	}
	eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).focus(); return true })()`, graph+` [data-part="store"]`))
	for _, to := range []string{"sessions", "agent"} {
		before := eval[string](p, `document.activeElement.dataset.part`)
		p.press(kb.ArrowRight)
		p.wait(fmt.Sprintf(`document.activeElement.dataset.part !== %q || %q === %q`, before, before, to))
	}
	p.press(kb.Enter)
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, graph+` .part-row .line[aria-expanded="true"]`))
	if pressed := p.count(graph + ` .part-box[aria-pressed="true"]`); pressed != 1 {
		t.Errorf("%d boxes are marked as open", pressed)
	}
}

func TestTheGraphFitsAtEveryWidth(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 1000)
	p.open(h.url("/_/graph"))
	p.wait(`document.querySelector('.part-box.active')`)
	for _, width := range widths {
		for _, theme := range themes {
			p.theme(theme)
			p.do(chromedp.EmulateViewport(width, 1000))
			p.wait(`(() => { const d = document.querySelector('.drawing'); return document.querySelector('.canvas svg').clientWidth === Math.floor(d.clientWidth) })()`)
			for _, js := range []string{overflow, outside} {
				for _, bad := range eval[[]string](p, js) {
					t.Errorf("%d %s: %s", width, theme, bad)
				}
			}
			p.shot(fmt.Sprintf("graph-%d-%s", width, theme))
		}
	}
}
