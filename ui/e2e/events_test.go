package e2e_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe reports what the accessibility checker finds on the page as it is.
func (p *page) axe() {
	p.t.Helper()
	script, err := os.ReadFile("../vendor/axe-core/axe.min.js")
	if err != nil {
		p.t.Fatal(err)
	}
	eval[bool](p, string(script)+"; true")
	for _, bad := range eval[[]string](p, axeRun) {
		p.t.Error(bad)
	}
}

func TestEveryEventCanBeLookedAt(t *testing.T) {
	p := begun(t)
	p.click(`.top [aria-label="Every event"]`)
	p.wait(`document.querySelectorAll('.event-line').length > 20 && document.querySelector('.band rect')`)
	p.click(".events-bar .field")
	p.press("tool/call")
	p.wait(`document.querySelectorAll('.event-line').length < 5`)
	p.click(".event-line")
	p.wait(`document.querySelector('.inspector pre')`)
	shown := p.text(".inspector")
	if !strings.Contains(shown, `"type": "tool/call"`) || !strings.Contains(shown, "turn 1") {
		t.Errorf("the inspector shows\n%s", shown)
	}
	p.axe()
	p.shot("events")
	// The address names the event: another visit shows it.
	p.open(eval[string](p, "location.href"))
	p.wait(`document.querySelector('.inspector pre')`)
	if again := p.text(".inspector"); again != shown {
		t.Errorf("after a reload the inspector shows\n%s", again)
	}
	p.do(chromedp.EmulateViewport(360, 780))
	p.wait(`innerWidth === 360`)
	for _, js := range []string{overflow, outside} {
		for _, bad := range eval[[]string](p, js) {
			t.Error(bad)
		}
	}
	p.shot("events-360")
}

func TestAxeFindsNothingOnThePages(t *testing.T) {
	h := demo(t)
	p := h.signIn(1280, 1000)
	for path, there := range map[string]string{"/_/graph": ".part-box.active", "/_/settings": "#connections"} {
		for _, theme := range themes {
			p.theme(theme)
			p.open(h.url(path))
			p.wait(`document.querySelector('` + there + `')`)
			eval[bool](p, `new Promise((r) => setTimeout(() => r(true), 300))`) // colours have settled
			p.axe()
		}
	}
}

func TestASessionIsPrintedWithoutTheToolsOfTheScreen(t *testing.T) {
	p := begun(t)
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	}))
	p.wait(`matchMedia('print').matches`)
	if shown := eval[[]string](p, `['.side', '.dock'].filter((s) => getComputedStyle(document.querySelector(s)).display !== 'none')`); len(shown) > 0 {
		t.Errorf("%v would be printed", shown)
	}
	if !eval[bool](p, `(() => { const s = document.querySelector('.scroll'); return s.scrollHeight <= s.clientHeight + 1 && document.querySelector('.said').getClientRects().length > 0 })()`) {
		t.Error("what was said is cut off on paper")
	}
}
