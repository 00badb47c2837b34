package toolbox_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"fairlead/i18n"
)

// Every fact that a card may state has its sentence in the catalog: a person must
// never have to read a key.
func TestEveryFactOfACardHasASentence(t *testing.T) {
	text, err := i18n.Read(i18n.Source)
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`"(card\.[a-z-]+)"`)
	found := 0
	for _, room := range []string{".", "../permission", "../tool"} {
		files, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range key.FindAllStringSubmatch(string(source), -1) {
				found++
				if _, ok := text[m[1]]; !ok {
					t.Errorf("%s states %s, which has no sentence in i18n/%s.yaml", file, m[1], i18n.Source)
				}
			}
		}
	}
	if found < 5 {
		t.Fatalf("only %d facts were found; the test looks in the wrong place", found)
	}
}
