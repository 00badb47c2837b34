package i18n_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairlead/i18n"
)

// forms are the plural categories a language needs for whole numbers (Unicode CLDR);
// the rare "many" of French, Spanish and Portuguese (millions) falls back to other.
var forms = map[string][]string{
	"en": {"one", "other"}, "de": {"one", "other"}, "fr": {"one", "other"}, "es": {"one", "other"}, "pt-BR": {"one", "other"},
	"zh-Hans": {"other"}, "ja": {"other"}, "ko": {"other"},
}

func read(t *testing.T, language string) i18n.Catalog {
	t.Helper()
	c, err := i18n.Read(language)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryLanguageSaysEverything(t *testing.T) {
	source := read(t, i18n.Source)
	for _, language := range i18n.Languages() {
		t.Run(language, func(t *testing.T) {
			c := read(t, language)
			for key := range c {
				if _, known := source[key]; !known {
					t.Errorf("%s is not in %s.yaml", key, i18n.Source)
				}
			}
			for key, want := range source {
				got, ok := c[key]
				if !ok {
					t.Errorf("%s is missing", key)
					continue
				}
				if diff := cmp.Diff(want.Values(), got.Values()); diff != "" {
					t.Errorf("%s: values differ from %s.yaml (-want +got):\n%s", key, i18n.Source, diff)
				}
				if (want.Forms == nil) != (got.Forms == nil) {
					t.Errorf("%s: has plural forms in one language and none in the other", key)
				}
				if got.Forms != nil {
					if diff := cmp.Diff(slices.Sorted(slices.Values(forms[language])), slices.Sorted(maps.Keys(got.Forms))); diff != "" {
						t.Errorf("%s: plural forms (-want +got):\n%s", key, diff)
					}
				}
				for _, text := range append(slices.Collect(maps.Values(got.Forms)), got.Text) {
					if strings.TrimSpace(text) != text || (text == "" && got.Forms == nil) {
						t.Errorf("%s: %q is empty or has blanks at its ends", key, text)
					}
				}
			}
		})
	}
}

func TestWordsKeepTheRules(t *testing.T) {
	for key, m := range read(t, i18n.Source) {
		for _, text := range append(slices.Collect(maps.Values(m.Forms)), m.Text) {
			for _, banned := range []string{"!", "trajectory", "invocation", "escalate", "artifact", "Oops", "Sorry", "please", "Please"} {
				if strings.Contains(text, banned) {
					t.Errorf("%s says %q: %s", key, banned, text)
				}
			}
		}
	}
}

var (
	literal = regexp.MustCompile(`\b(?:t|tx)\(\s*'([a-z][\w.-]*)'`)
	quoted  = regexp.MustCompile(`'([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+)'`)
	prefix  = regexp.MustCompile(`\bword\(\s*'([a-z][\w.-]*)'`)
)

// A key that nothing says is dead; a key that is said and not there is caught by
// the compiler, and here as well, because the bundler does not check types.
func TestKeysAreUsedAndKnown(t *testing.T) {
	source := read(t, i18n.Source)
	used, prefixes := map[string]bool{}, []string{"card.", "note.", "code.", "refused."} // said by other rooms
	root := os.DirFS(filepath.Join("..", "ui", "src"))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !(strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".tsx")) || strings.HasSuffix(name, ".gen.ts") || strings.HasSuffix(name, ".test.ts") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
			if _, ok := source[m[1]]; !ok {
				t.Errorf("ui/src/%s says %q, which is not in %s.yaml", name, m[1], i18n.Source)
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = true
		}
		for _, m := range prefix.FindAllStringSubmatch(string(text), -1) {
			prefixes = append(prefixes, m[1]+".")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range source {
		if !used[key] && !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) }) {
			t.Errorf("nothing says %s", key)
		}
	}
}
