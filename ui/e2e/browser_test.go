package e2e_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var (
	chromium = flag.String("chromium", "/usr/bin/chromium", "the browser")
	shots    = flag.String("shots", "", "write screenshots into this folder")
)

// patience bounds a wait for something that must happen; it is never asserted.
const patience = time.Minute

// browser is one Chromium for all tests of the package; each test has its own tab
// in its own browser context, so that nothing stored is shared.
var browser context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	profile, err := os.MkdirTemp("", "fairlead-e2e")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(profile)
	options := chromedp.WithAllocatorOptions(
		chromedp.ExecPath(*chromium), chromedp.UserDataDir(profile), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		// A mouse, as on a desk; narrow tabs are touched instead.
		chromedp.Flag("blink-settings", "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true),
	)
	ctx, cancel := chromedp.NewContext(context.Background(), options)
	defer cancel()
	if err := chromedp.Do(ctx); err != nil {
		log.Print(err)
		return 1
	}
	browser = ctx
	return m.Run()
}

// page is one tab. Its methods fail the test instead of returning errors.
type page struct {
	t   testing.TB
	ctx context.Context
}

// openTab opens an empty tab with the given width. Scripts that throw and policies that are
// broken fail the test at its end.
func openTab(t testing.TB, width, height int64) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx}
	// The first use makes the tab, which lives as long as its context: no limit on that one.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	var kind []chromedp.EmulateViewportOption
	if width < 600 {
		kind = append(kind, chromedp.EmulateTouch)
	}
	p.do(chromedp.EmulateViewport(width, height, kind...))
	return p
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) open(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// watch fails the test at its end where a script threw or the policy was broken.
func (p *page) watch() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: listen})
		return err
	}))
	eval[bool](p, listen+"; true")
	p.t.Cleanup(func() {
		for _, bad := range eval[[]string](p, "window.broken ?? []") {
			p.t.Error("in the page: " + bad)
		}
	})
}

// listen collects what must never happen on a page.
const listen = `window.broken = []
addEventListener('securitypolicyviolation', (e) => broken.push('policy ' + e.violatedDirective + ' ' + e.blockedURI))
addEventListener('error', (e) => broken.push(e.message))
addEventListener('unhandledrejection', (e) => broken.push(String(e.reason)))`

// theme makes the system prefer a theme.
func (p *page) theme(name string) {
	p.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	}))
}

// eval gives the value of an expression, awaited.
func eval[T any](p *page, js string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// wait returns once an expression is true, looked at in every frame.
func (p *page) wait(js string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	loop := fmt.Sprintf(`(async () => { for (;;) { if (%s) return true; await new Promise((r) => setTimeout(r, 20)) } })()`, js)
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](loop, chromedp.EvalAwaitPromise)); err != nil {
		p.shot("failed")
		p.t.Fatalf("never true: %s (%v)\nthe page says:\n%s", js, err, p.text("body"))
	}
}

// see waits for words in the page.
func (p *page) see(words string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.body.innerText.includes(%s)`, quote(words)))
}

// text is what an element says, as drawn.
func (p *page) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ''`, quote(selector)))
}

func (p *page) count(selector string) int {
	p.t.Helper()
	return eval[int](p, fmt.Sprintf(`document.querySelectorAll(%s).length`, quote(selector)))
}

// click presses the middle of an element with the mouse, as a person would.
func (p *page) click(selector string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`(() => { const e = document.querySelector(%s); return e && !e.disabled && e.getClientRects().length })()`, quote(selector)))
	p.do(chromedp.Click(selector))
}

// press sends keys to whatever has the focus.
func (p *page) press(keys string, options ...chromedp.KeyOption) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, options...))
}

// enter presses Enter. The page decides whether it makes a line break: the character
// that the driver's own key sends beside it would come in any case.
func (p *page) enter() {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13})
			return err
		}))
	}
}

// shot writes a picture where -shots says so.
func (p *page) shot(name string) {
	p.t.Helper()
	if *shots == "" {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Log(err)
		return
	}
	if err := os.MkdirAll(*shots, 0o755); err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(*shots, strings.NewReplacer("/", "-", " ", "-").Replace(name)+".png")
	if err := os.WriteFile(file, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return string(b)
}
