package i18n_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairlead/i18n"
)

var update = flag.Bool("update", false, "write the generated files anew")

const generated = "// Code generated from i18n/*.yaml by `make gen`; DO NOT EDIT.\n\n"

func TestCatalogsOfThePageAreFresh(t *testing.T) {
	want := map[string][]byte{"keys.gen.ts": keys(read(t, i18n.Source))}
	for _, language := range i18n.Languages() {
		want[language+".gen.ts"] = catalog(t, read(t, language))
	}
	dir := filepath.Join("..", "ui", "src", "i18n")
	for name, text := range want {
		path := filepath.Join(dir, name)
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is stale (%v); run `make gen`", path, err)
		}
	}
}

// keys writes the names of the values of each message, by key.
func keys(c i18n.Catalog) []byte {
	var out bytes.Buffer
	out.WriteString(generated + "/** The names of the values a message takes; never for none. */\nexport interface Values {\n")
	for _, key := range slices.Sorted(maps.Keys(c)) {
		names := "never"
		if values := c[key].Values(); len(values) > 0 {
			names = "'" + strings.Join(values, "' | '") + "'"
		}
		fmt.Fprintf(&out, "  '%s': %s\n", key, names)
	}
	out.WriteString("}\n\nexport type Key = keyof Values\n\n/** A text, or plural forms chosen by n. */\nexport type Catalog = Record<Key, string | Record<string, string>>\n")
	out.WriteString("\nexport const languages = {\n")
	for _, language := range i18n.Languages() {
		if language == i18n.Source {
			continue
		}
		fmt.Fprintf(&out, "  '%s': () => import('./%s.gen'),\n", language, language)
	}
	out.WriteString("}\n")
	return out.Bytes()
}

func catalog(t *testing.T, c i18n.Catalog) []byte {
	t.Helper()
	var out bytes.Buffer
	out.WriteString(generated + "import type { Catalog } from './keys.gen'\n\nconst catalog: Catalog = {\n")
	for _, key := range slices.Sorted(maps.Keys(c)) {
		var value any = c[key].Text
		if c[key].Forms != nil {
			value = c[key].Forms
		}
		text := &bytes.Buffer{}
		e := json.NewEncoder(text)
		e.SetEscapeHTML(false)
		if err := e.Encode(value); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "  %q: %s,\n", key, bytes.TrimSpace(text.Bytes()))
	}
	out.WriteString("}\n\nexport default catalog\n")
	return out.Bytes()
}
