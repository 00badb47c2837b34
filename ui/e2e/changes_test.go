package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATurnsChangesAreReviewedTakenBackAndBroughtBack(t *testing.T) {
	p := demo(t).signIn(1280, 900)
	p.say(ask)
	p.wait(`document.querySelector('.ask')`)
	p.answer(".btn.go")
	p.see("Waiting for you: run a command")
	p.answer(".btn.go")
	p.see("The report works")
	p.wait(`document.querySelector('.foldrow .btn')`)
	folder := eval[string](p, `fetch('/api/v1/sessions', {headers: {Authorization: 'Bearer ' + localStorage.getItem('fairlead.token')}}).then((r) => r.json()).then((a) => a.sessions[0].folder)`)
	script := filepath.Join(folder, "report.sh")
	after := read(t, script)
	p.click(".foldrow .btn")
	p.wait(`document.querySelector('.changes .diff')`)
	for _, words := range []string{"report.sh", "+1 −1", "$3 > best[$1]"} {
		if text := p.text(".changes"); !strings.Contains(text, words) {
			t.Errorf("the review does not show %q:\n%s", words, text)
		}
	}
	p.shot("changes")
	p.click(".changed-file .btn")
	p.wait(`document.querySelector('.changed-file').innerText.includes('taken back')`)
	if now := read(t, script); now == after || !strings.Contains(now, "$3 < best[$1]") {
		t.Errorf("the file is not as it was: %s", now)
	}
	p.click(".changed-file .btn")
	p.wait(`!document.querySelector('.changed-file').innerText.includes('taken back')`)
	if now := read(t, script); now != after {
		t.Errorf("the change is not there again: %s", now)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
