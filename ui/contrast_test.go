package ui_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// colour is a token in one theme, as linear red, green and blue.
type colour [3]float64

var token = regexp.MustCompile(`--([\w-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);`)

// tokens reads tokens.css; index 0 is light, 1 is dark.
func tokens(t *testing.T) [2]map[string]colour {
	t.Helper()
	text, err := os.ReadFile("src/styles/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	read := [2]map[string]colour{{}, {}}
	for _, m := range token.FindAllStringSubmatch(string(text), -1) {
		for theme := range read {
			var c colour
			for i := range c {
				n, err := strconv.ParseUint(m[2+theme][2*i:2*i+2], 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				c[i] = linear(float64(n) / 255)
			}
			read[theme][m[1]] = c
		}
	}
	if len(read[0]) < 30 {
		t.Fatalf("only %d colours found in tokens.css", len(read[0]))
	}
	return read
}

// linear and luminance are those of WCAG 2.2.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func luminance(c colour) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

func contrast(a, b colour) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func TestColoursAreReadable(t *testing.T) {
	grounds := []string{"bg", "surface", "raised", "sunken"}
	const text, edge = 4.5, 3.0
	type pair struct {
		front string
		least float64
		on    []string
	}
	pairs := []pair{
		{"line-strong", edge, grounds}, {"warn-edge", edge, grounds},
		{"on-accent", text, []string{"accent-fill"}}, {"on-warn", text, []string{"warn-fill"}},
		{"text-3", text, []string{"diff-add", "diff-del", "approval-bg", "hover"}},
		{"text", text, []string{"approval-bg", "warn-soft", "bad-soft", "hover"}}, {"text-2", text, []string{"approval-bg", "hover"}},
		{"ok", text, []string{"diff-add", "approval-bg"}}, {"bad", text, []string{"diff-del", "approval-bg"}},
	}
	for _, front := range []string{"text", "text-2", "text-3", "accent", "ok", "warn", "bad", "info"} {
		pairs = append(pairs, pair{front, text, grounds})
	}
	for _, signal := range []string{"accent", "ok", "warn", "bad", "info"} {
		pairs = append(pairs, pair{signal, text, []string{signal + "-soft"}})
	}
	for theme, colours := range tokens(t) {
		for _, p := range pairs {
			for _, on := range p.on {
				front, ok := colours[p.front]
				ground, also := colours[on]
				if !ok || !also {
					t.Errorf("no colour %s or %s", p.front, on)
				} else if got := contrast(front, ground); got < p.least {
					t.Errorf("%s: --%s on --%s is %s, at least %.1f", [2]string{"light", "dark"}[theme], p.front, on, fmt.Sprintf("%.2f", got), p.least)
				}
			}
		}
	}
}
