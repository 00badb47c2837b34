package i18n

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed *.yaml
var files embed.FS

// Source is the language the others are translated from.
const Source = "en"

// Languages lists what there is, in the order a menu shows it, by BCP 47 tag.
func Languages() []string {
	return []string{"en", "zh-Hans", "ja", "ko", "de", "fr", "es", "pt-BR"}
}

// Catalog holds the messages of one language by key.
type Catalog map[string]Message

// Message is one sentence. Exactly one of Text and Forms is set; Forms is keyed by
// plural category ("one", "other") and chosen by the value n.
type Message struct {
	Text  string
	Forms map[string]string
}

//go:generate go test -run Fresh . -update

// UnmarshalYAML reads a text or a map of forms.
func (m *Message) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&m.Text) == nil {
		return nil
	}
	return unmarshal(&m.Forms)
}

var value = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{([a-z]\w*)\}`)
})

// Values lists the names that stand in braces, sorted, each once.
func (m Message) Values() []string {
	found := map[string]bool{}
	if m.Forms != nil {
		found["n"] = true
	}
	for _, text := range append(slices.Collect(maps.Values(m.Forms)), m.Text) {
		for _, match := range value().FindAllStringSubmatch(text, -1) {
			found[match[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Read gives the catalog of a language of [Languages].
func Read(language string) (Catalog, error) {
	text, err := files.ReadFile(language + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("i18n: there is no message catalog for %q: %w", language, err)
	}
	var c Catalog
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("i18n: the message catalog of %q cannot be read: %w", language, err)
	}
	return c, nil
}
