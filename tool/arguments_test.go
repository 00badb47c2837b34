package tool

import (
	"strings"
	"testing"
)

// sample is a tool's schema with every kind of argument.
const sample = `{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":1},"all":{"type":"boolean"},
"items":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"state":{"enum":["open","done"]}},"required":["text"],"additionalProperties":false}}},
"required":["path"],"additionalProperties":false}`

func checkArguments(raw string) (string, error) {
	object, err := readArguments(raw)
	if err != nil {
		return "", err
	}
	s := &schema{tool: "sample", text: []byte(sample)}
	object, err = s.check(object)
	if err != nil {
		return "", err
	}
	return string(canonical(object)), nil
}

func TestArgumentsAreRepairedWhereNothingIsLost(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"plain":                   {`{"path":"a"}`, `{"path":"a"}`},
		"canonical order":         {` { "path" : "a<b" , "all":true}`, `{"all":true,"path":"a<b"}`},
		"a JSON string":           {`"{\"path\":\"a\"}"`, `{"path":"a"}`},
		"encoded twice more":      {`"\"{\\\"path\\\":\\\"a\\\"}\""`, `{"path":"a"}`},
		"closing tag after it":    {`{"path":"a"}</tool_call>`, `{"path":"a"}`},
		"special token after it":  {`{"path":"a"}<|im_end|>`, `{"path":"a"}`},
		"closing brackets":        {`{"path":"a"}}]`, `{"path":"a"}`},
		"code fence":              {"```json\n{\"path\":\"a\"}\n```", `{"path":"a"}`},
		"fence after it":          {"{\"path\":\"a\"}\n```", `{"path":"a"}`},
		"line break in a string":  {"{\"path\":\"a\nb\tc\"}", `{"path":"a\nb\tc"}`},
		"comma too many":          {`{"path":"a",}`, `{"path":"a"}`},
		"integer as string":       {`{"path":"a","offset":"3"}`, `{"offset":3,"path":"a"}`},
		"integer with a point":    {`{"path":"a","offset":3.0}`, `{"offset":3,"path":"a"}`},
		"boolean as string":       {`{"path":"a","all":"true"}`, `{"all":true,"path":"a"}`},
		"number as text":          {`{"path":7}`, `{"path":"7"}`},
		"array as string":         {`{"path":"a","items":"[{\"text\":\"x\"}]"}`, `{"items":[{"text":"x"}],"path":"a"}`},
		"null for nothing":        {`{"path":"a","offset":null}`, `{"path":"a"}`},
		"same value twice":        {`{"path":"a","path":"a"}`, `{"path":"a"}`},
		"surrogate pair":          {`{"path":"\ud83d\ude00"}`, `{"path":"😀"}`},
		"escaped backslash and u": {`{"path":"\\ud83d"}`, `{"path":"\\ud83d"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := checkArguments(c.raw)
			if err != nil || got != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

func TestWrongArgumentsAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		says []string
	}{
		"empty":              {``, []string{`"path" is missing, it must be a string`}},
		"null":               {`null`, []string{`"path" is missing`}},
		"null where needed":  {`{"path":null}`, []string{`"path" must be a string, but is null`}},
		"wrong type":         {`{"path":"a","offset":"x"}`, []string{`"offset" must be an integer, but is a string ("x")`}},
		"fraction":           {`{"path":"a","offset":1.5}`, []string{`"offset" must be an integer, but is a number (1.5)`}},
		"several at once":    {`{"offset":[],"all":1}`, []string{`"path" is missing`, `"offset" must be an integer, but is an array`, `"all" must be a boolean`}},
		"unknown, near":      {`{"pth":"a"}`, []string{`"pth" is not an argument of sample, did you mean "path"?`}},
		"unknown, far":       {`{"path":"a","zzz":1}`, []string{`"zzz" is not an argument of sample, which takes all, items, offset, path`}},
		"enum":               {`{"path":"a","items":[{"text":"x","state":"later"}]}`, []string{`"items[0].state" must be one of "open", "done", but is a string ("later")`}},
		"nested":             {`{"path":"a","items":[{}]}`, []string{`"items[0].text" is missing, it must be a string`}},
		"below the minimum":  {`{"path":"a","offset":0}`, []string{`"offset": minimum`}},
		"an array":           {`["a"]`, []string{`must be a JSON object, but are an array`}},
		"plain text":         {`read the file`, []string{`not valid JSON`}},
		"cut":                {`{"path":"a long text that was c`, []string{`end in the middle`, `send the whole call again`}},
		"two objects":        {`{"path":"a"}{"path":"b"}`, []string{`more text after the arguments`}},
		"prose after it":     {`{"path":"a"} and then read it`, []string{`more text after the arguments, beginning with "and then`}},
		"two values":         {`{"path":"a","path":"b"}`, []string{`"path" is given twice`}},
		"half a pair":        {`{"path":"\ud83d"}`, []string{`half a surrogate pair (\ud83d)`}},
		"not UTF-8":          {"{\"path\":\"\xff\"}", []string{`not UTF-8`}},
		"encoded for ever":   {`"\"\\\"\\\\\\\"\\\\\\\\\\\\\\\"{}\\\\\\\\\\\\\\\"\\\\\\\"\\\"\""`, []string{`too often`}},
		"string of no JSON":  {`"path"`, []string{`not valid JSON`}},
		"deep":               {strings.Repeat("[", 500), []string{`nested too deep`}},
		"a tag with content": {`{"path":"a"}</x y="z">`, []string{`more text after`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := checkArguments(c.raw)
			if err == nil {
				t.Fatalf("accepted as %s", got)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("answer %q does not say %q", err, says)
				}
			}
		})
	}
}

func TestASchemaCannotReachOutside(t *testing.T) {
	s := &schema{tool: "evil", text: []byte(`{"$ref":"file:///etc/passwd"}`)}
	if s.compile() != nil || s.err == nil || !strings.Contains(s.err.Error(), "may not refer") {
		t.Errorf("compiled %v, %v", s.compiled, s.err)
	}
}

func TestNearNamesAreOffered(t *testing.T) {
	names := []string{"edit", "glob", "grep", "list", "read_file", "shell", "todo", "write"}
	for asked, want := range map[string]string{
		"read_files": "read_file", "ReadFile": "read_file", "read": "read_file", "gerp": "grep", "Write": "write", "globb": "glob",
	} {
		if got := near(asked, names); len(got) == 0 || got[0] != want {
			t.Errorf("near(%q) = %q, want %q first", asked, got, want)
		}
	}
	if got := near("browser_open", names); len(got) != 0 {
		t.Errorf("far names are offered: %q", got)
	}
}

// FuzzArguments shows that no text makes reading panic, and that what is accepted
// is accepted again, unchanged, in its canonical form.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"path":"a"}`, `"{\"path\":\"a\"}"`, "```json\n{}\n```", `{"a":1.0,}`, "{\"a\":\"\n\"}</x>", `{"a":"\ud83d"}`, `[1]`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		object, err := readArguments(raw)
		if err != nil {
			return
		}
		once := string(canonical(object))
		again, err := readArguments(once)
		if err != nil {
			t.Fatalf("%q was read as %s, which is then refused: %v", raw, once, err)
		}
		if twice := string(canonical(again)); twice != once {
			t.Fatalf("%q reads as %s, then as %s", raw, once, twice)
		}
	})
}

func BenchmarkArguments(b *testing.B) {
	s := &schema{tool: "sample", text: []byte(sample)}
	s.compile()
	b.ReportAllocs()
	for b.Loop() {
		object, err := readArguments(`{"path":"internal/store/writer.go","offset":10}`)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.check(object); err != nil {
			b.Fatal(err)
		}
		canonical(object)
	}
}
