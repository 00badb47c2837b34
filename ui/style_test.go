package ui_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	literalColour = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(`)
	setsHTML      = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc|\beval\(|new Function|createContextualFragment|DOMParser`)
	foreign       = regexp.MustCompile(`https?://[\w.-]+`)
)

// eachSource calls f with every hand-written source of the page.
func eachSource(t *testing.T, f func(name, text string)) {
	t.Helper()
	src := os.DirFS("src")
	err := fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(name, ".gen.") || strings.Contains(name, ".test.") {
			return err
		}
		text, err := fs.ReadFile(src, name)
		if err == nil {
			f(name, string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestColoursStandInTokensOnly(t *testing.T) {
	eachSource(t, func(name, text string) {
		if name == "styles/tokens.css" || !(strings.HasSuffix(name, ".css") || strings.HasSuffix(name, ".tsx")) {
			return
		}
		for _, found := range literalColour.FindAllString(strings.ReplaceAll(text, "transparent 62%, #000 66%", ""), -1) {
			t.Errorf("src/%s has the literal colour %s; use a token", name, found)
		}
	})
}

func TestNothingButTheSanitiserMakesHTML(t *testing.T) {
	eachSource(t, func(name, text string) {
		for _, found := range setsHTML.FindAllString(text, -1) {
			t.Errorf("src/%s uses %s; only md/sanitise.ts makes nodes of text", name, found)
		}
	})
}

func TestThePageNamesNoForeignHost(t *testing.T) {
	eachSource(t, func(name, text string) {
		if strings.HasPrefix(name, "pages/") || strings.HasSuffix(name, ".svg") {
			return // examples of the gallery, the namespace of SVG
		}
		for _, found := range foreign.FindAllString(text, -1) {
			t.Errorf("src/%s names %s; the page talks to its own host only", name, found)
		}
	})
}
