package e2e_test

import (
	"strings"
	"testing"
)

func TestTheMeterSaysWhatFillsTheWindow(t *testing.T) {
	p := begun(t)
	p.click(".meter")
	p.wait(`document.querySelector('.context dl')`)
	for _, words := range []string{"Instructions", "Tools", "Messages", "Free", "Summarise now"} {
		if text := p.text(".context"); !strings.Contains(text, words) {
			t.Errorf("the meter does not say %q:\n%s", words, text)
		}
	}
	p.shot("context")
}
