package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATurnThatReachedItsBudgetGoesOnWithALargerOne(t *testing.T) {
	h := &host{t: t, home: t.TempDir(), addr: "127.0.0.1:0"}
	if err := os.WriteFile(filepath.Join(h.home, "settings.yaml"), []byte("budget:\n  session: {steps: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.start()
	t.Cleanup(h.stop)
	p := h.signIn(1280, 900)
	p.say(ask)
	p.wait(`document.querySelector('.errorcard .acts button')`)
	card := p.text(".errorcard")
	for _, words := range []string{"Steps made: 1. The budget is 1", "This is the budget of the whole session.", "Go on with a larger budget"} {
		if !strings.Contains(card, words) {
			t.Errorf("the card does not say %q:\n%s", words, card)
		}
	}
	p.shot("budget")
	p.click(".errorcard .acts button")
	p.see("Go on.")
	p.wait(`document.querySelectorAll('.errorcard').length === 0 || document.querySelector('.errorcard .acts button')`)
}
