package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// scene gives the selector of a card of the gallery.
func scene(name string) string { return fmt.Sprintf(`[aria-label=%q]`, name) }

func TestTheWholeCommandCanBeReadBeforeItIsApproved(t *testing.T) {
	for _, size := range [][2]int64{{1280, 900}, {768, 700}, {360, 640}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			p := openTab(t, size[0], size[1])
			p.open(files(t) + "/_/gallery")
			card := scene("Approval, long command") + " .ask"
			p.wait(fmt.Sprintf(`document.querySelector(%q)`, card))
			shown := eval[string](p, fmt.Sprintf(`document.querySelector(%q).textContent`, card+" .path"))
			if want := "echo " + strings.Repeat("all is well ", 1750) + "; rm -rf ~/work"; shown != want {
				t.Errorf("the card shows %d characters that are not the command of %d", len(shown), len(want))
			}
			if eval[bool](p, fmt.Sprintf(`(() => { const e = document.querySelector(%q); return e.scrollWidth > e.clientWidth })()`, card+" .path")) {
				t.Error("part of the command is behind a sideways scroll")
			}
			approve := fmt.Sprintf(`document.querySelector(%q).disabled`, card+" .btn.go")
			eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).scrollIntoView({ block: 'start' }); return true })()`, card))
			if !eval[bool](p, approve) {
				t.Error("Approve can be pressed before the end of the command was in view")
			}
			eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).scrollIntoView({ block: 'center' }); return true })()`, card+" .end-mark"))
			p.wait("!" + approve)
		})
	}
}

func TestFiveThousandLinesAreShownBeforeTheyAreApproved(t *testing.T) {
	p := openTab(t, 1280, 900)
	p.open(files(t) + "/_/gallery")
	card := scene("Approval, 5,000 lines") + " .ask"
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, card))
	text := fmt.Sprintf(`document.querySelector(%q).textContent`, card+" .whole")
	if shown := eval[string](p, text); strings.Contains(shown, "line 2001") || !strings.Contains(shown, "line 2000") {
		t.Error("not the first 2,000 lines are drawn")
	}
	end := fmt.Sprintf(`(() => { document.querySelector(%q).scrollIntoView({ block: 'center' }); return true })()`, card+" .end-mark")
	eval[bool](p, end)
	p.wait(fmt.Sprintf(`document.querySelector(%q).innerText.includes('Show the other lines first.')`, card))
	if !eval[bool](p, fmt.Sprintf(`document.querySelector(%q).disabled`, card+" .btn.go")) {
		t.Error("Approve can be pressed while 3,000 lines are not shown")
	}
	p.click(card + " .more")
	p.wait(text + `.includes('line 5000')`)
	eval[bool](p, end)
	p.wait(fmt.Sprintf(`!document.querySelector(%q).disabled`, card+" .btn.go"))
}

func TestHiddenCharactersAreSpelledOut(t *testing.T) {
	p := openTab(t, 1280, 900)
	p.open(files(t) + "/_/gallery")
	card := scene("Approval, hidden characters") + " .ask"
	p.wait(fmt.Sprintf(`document.querySelector(%q)`, card))
	text := p.text(card)
	for _, words := range []string{"U+202E", "U+2066", "80 blanks", "Contains 2 hidden characters", "Contains 1 word in mixed scripts", "not confined on this system"} {
		if !strings.Contains(text, words) {
			t.Errorf("the card does not say %q:\n%s", words, text)
		}
	}
	if strings.ContainsAny(text, "\u202e\u2066") {
		t.Error("the card draws characters that reorder text")
	}
}
