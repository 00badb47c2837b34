package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"fairlead/i18n"
	"fairlead/ui"
)

// widths are the four the design is made for.
var widths = []int64{360, 768, 1280, 1920}

var themes = []string{"dark", "light"}

// files serves the built page without a server behind it, under its own policy.
func files(t testing.TB) string {
	t.Helper()
	static := http.FileServerFS(ui.Files)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", ui.Policy)
		if strings.HasPrefix(r.URL.Path, "/_/") || strings.HasPrefix(r.URL.Path, "/s/") {
			page, err := ui.Index(ui.Look{})
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(page)
			return
		}
		static.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// overflow lists what is wider than its box, outside the boxes that may scroll sideways.
const overflow = `[...document.querySelectorAll('body *')].filter((e) => {
  if (e.scrollWidth <= e.clientWidth + 1 || e.clientWidth === 0) return false
  const s = getComputedStyle(e)
  if (s.overflowX === 'auto' || s.overflowX === 'scroll') return !e.matches('pre, .diff, .widetable, .out')
  if (s.overflowX === 'hidden' || s.overflowX === 'clip') return s.textOverflow !== 'ellipsis' && !e.matches('.sr, .sr *, textarea, .tools')
  return s.display !== 'inline' && !e.closest('.sr') && !e.closest('pre, .diff, .widetable') && e.tagName !== 'svg' && e.tagName !== 'path'
}).map((e) => e.tagName + '.' + e.className + ' ' + e.scrollWidth + '>' + e.clientWidth).slice(0, 10)`

// outside lists controls that stick out of the window sideways.
const outside = `[...document.querySelectorAll('button, a, input, textarea, select')].filter((e) => {
  if (e.closest('.sr, .skip, .side:not(.open)') || e.matches('.skip') || getComputedStyle(e).visibility === 'hidden') return false
  const r = e.getBoundingClientRect()
  return r.width > 0 && (r.left < -1 || r.right > innerWidth + 1) && !e.closest('pre, .diff, .widetable')
}).map((e) => e.outerHTML.slice(0, 80))`

func TestNothingOverflows(t *testing.T) {
	base := files(t)
	for _, width := range widths {
		for _, theme := range themes {
			for _, at := range []string{"#main", ""} {
				t.Run(fmt.Sprintf("%d %s %s", width, theme, at), func(t *testing.T) {
					p := openTab(t, width, tall(width, at))
					p.theme(theme)
					p.open(base + "/_/gallery" + at)
					p.wait(`document.querySelector('.ask .btn.go')`)
					p.wait(`!document.querySelector('.chunk:empty')`)
					for _, js := range []string{overflow, outside} {
						for _, bad := range eval[[]string](p, js) {
							t.Error(bad)
						}
					}
					p.shot(fmt.Sprintf("gallery%s-%d-%s", at, width, theme))
				})
			}
		}
	}
}

func TestEveryLanguageFits(t *testing.T) {
	base := files(t)
	for _, language := range i18n.Languages() {
		t.Run(language, func(t *testing.T) {
			p := openTab(t, 360, 14000)
			p.open(base + "/_/gallery")
			eval[bool](p, fmt.Sprintf(`localStorage.setItem('fairlead.prefs', '{"language":%q}'); localStorage.setItem('fairlead.token', 'none'); true`, language))
			for _, at := range []string{"/_/gallery", "/_/settings"} {
				p.open(base + at)
				p.wait(fmt.Sprintf(`document.documentElement.lang === %q && document.querySelector('.part, .setting')`, language))
				for _, js := range []string{overflow, outside} {
					for _, bad := range eval[[]string](p, js) {
						t.Error(at + ": " + bad)
					}
				}
			}
			p.open(base + "/_/gallery")
			p.wait(`document.querySelector('.ask .btn.go')`)
			p.shot("language-" + language)
		})
	}
}

func TestAxeFindsNothingInTheGallery(t *testing.T) {
	axe, err := os.ReadFile("../vendor/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	base := files(t)
	for _, at := range []string{"#main", ""} {
		for _, theme := range themes {
			t.Run(theme+at, func(t *testing.T) {
				p := openTab(t, 1280, 1000)
				p.theme(theme)
				p.open(base + "/_/gallery" + at)
				p.wait(`document.querySelector('.ask .btn.go')`)
				eval[bool](p, string(axe)+"; true")
				for _, bad := range eval[[]string](p, axeRun) {
					t.Error(bad)
				}
			})
		}
	}
}

const axeRun = `axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => v.id + ': ' + n.html.slice(0, 140) + ' | ' + n.failureSummary.slice(0, 200))))`

// tall is the window's height: a screen's for the main screen, all of it for the gallery.
func tall(width int64, at string) int64 {
	switch {
	case at == "":
		return 14000
	case width < 600:
		return 780
	default:
		return 1120
	}
}
