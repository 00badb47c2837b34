package e2e_test

import (
	"fmt"
	"testing"
)

// The cards that carry the most: the pictures of the documentation (-shots writes them).
func TestTheCardsOfTheDocumentation(t *testing.T) {
	for name, at := range map[string]struct{ scene, part, block string }{
		"card-long":   {"Approval, long command", " .end-mark", "center"},
		"card-hidden": {"Approval, hidden characters", "", "start"},
		"card-grave":  {"Approval, one more run", "", "start"},
		"card-two":    {"Approval, two at once", "", "start"},
	} {
		t.Run(name, func(t *testing.T) {
			p := openTab(t, 900, 760)
			p.theme("light")
			p.open(files(t) + "/_/gallery")
			part := scene(at.scene) + at.part
			p.wait(fmt.Sprintf(`document.querySelector(%q)`, scene(at.scene)+" .ask"))
			eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%q).scrollIntoView({ block: %q }); return true })()`, part, at.block))
			p.wait(fmt.Sprintf(`document.querySelector(%q)`, scene(at.scene)+" .answer:not(.settling)"))
			p.shot(name + "-900-light")
		})
	}
}
