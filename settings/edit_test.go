package settings

import (
	"strings"
	"testing"

	"fairlead/config"
)

func FuzzAnEditIsExactlyThatChange(f *testing.F) {
	f.Add("a:\n  b: 1\n  c: 2\n", "a.b", "x")
	f.Add("a: {b: 1}\n", "a.d", "x: y")
	f.Add("a:\n    b: |\n      text\n      # more\n    c: [1,\n      2]\nd: 'e\n  f'\n", "a.c", "")
	f.Add("# c\n\na:\n- 1\n- b: 2\n\n# d\n", "a", "z")
	f.Fuzz(func(t *testing.T, text, path, value string) {
		if len(text) > 500 {
			return
		}
		before, problems := config.Parse([]byte(text), &config.Layer{})
		if problems != nil || path == "" {
			return
		}
		v, err := config.ValueOf(value)
		if err != nil {
			t.Fatal(err)
		}
		if value == "" {
			v = &config.Value{}
		}
		keys := strings.Split(path, ".")
		made, err := edit([]byte(text), keys, v)
		if err != nil {
			return // said so, and nothing was written
		}
		after, problems := config.Parse(made, &config.Layer{})
		if problems != nil {
			t.Fatalf("%q became %q: %v", text, made, problems)
		}
		want := before.With(keys, v)
		if !after.Equal(want) && !(isEmpty(after) && isEmpty(want)) {
			t.Errorf("%q became %q", text, made)
		}
	})
}
