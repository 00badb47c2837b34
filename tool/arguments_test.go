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
		"below the minimum":  {`{"path":"a","offset":0}`, []string{`"offset" must be at least 1, but is 0`}},
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
	for _, text := range []string{`{"$ref":"file:///etc/passwd"}`, `{"properties":{"a":{"$ref":"http://127.0.0.1/x"}}}`, `{"$ref":"#/nowhere"}`, `[]`, `{"properties":{"a":7}}`} {
		s := &schema{tool: "odd", text: []byte(text)}
		if s.read() != nil || s.err == nil {
			t.Errorf("%s is read as a schema", text)
		}
		if got, err := s.check(map[string]any{"a": "b"}); err != nil || got["a"] != "b" {
			t.Errorf("a tool whose schema cannot be read cannot be called: %v", err)
		}
	}
}

// TestSchemasMeanWhatTheySay judges values by the keywords of JSON Schema.
func TestSchemasMeanWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		schema, good, bad string
		says              string
	}{
		{`{"type":["string","null"]}`, `null`, `1.5`, "must be a string or null, but is a number (1.5)"},
		{`{"type":"number"}`, `3`, `"x"`, "must be a number"},
		{`{"const":"a"}`, `"a"`, `"b"`, `must be one of "a"`},
		{`{"enum":[1,{"b":2,"a":1}]}`, `{"a":1,"b":2}`, `{"a":1}`, "must be one of"},
		{`{"minimum":1,"maximum":3}`, `3`, `4`, "at most 3"},
		{`{"exclusiveMinimum":1}`, `2`, `1`, "more than 1"},
		{`{"exclusiveMaximum":1}`, `0`, `1`, "less than 1"},
		{`{"minimum":1,"exclusiveMinimum":true}`, `2`, `0`, "at least 1"},
		{`{"multipleOf":0.1}`, `0.3`, `0.35`, "multiple of 0.1"},
		{`{"minLength":2,"maxLength":3}`, `"éé"`, `"éééé"`, "at most 3 characters, but has 4"},
		{`{"pattern":"^a+$"}`, `"aa"`, `"b"`, "must match ^a+$"},
		{`{"pattern":"(?=x)"}`, `"any"`, ``, ""},
		{`{"minItems":1}`, `[0]`, `[]`, "at least 1 items, but has 0"},
		{`{"uniqueItems":true}`, `[1,2]`, `[1,1]`, `"[1]" is in the list twice`},
		{`{"items":{"type":"string"}}`, `["a"]`, `["a",1]`, `"[1]" must be a string`},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `["a",1]`, `["a","b"]`, `"[1]" must be an integer`},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a"]`, `["a",1]`, `"[1]" must not be there`},
		{`{"required":["a"]}`, `{"a":1}`, `{}`, `"a" is missing`},
		{`{"additionalProperties":{"type":"integer"}}`, `{"x":1}`, `{"x":"y"}`, `"x" must be an integer`},
		{`{"additionalProperties":false}`, `{}`, `{"x":1}`, "which takes none"},
		{`{"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}`, `{"x-a":1}`, `{"x-a":"b"}`, `"x-a" must be an integer`},
		{`{"propertyNames":{"maxLength":2}}`, `{"ab":1}`, `{"abc":1}`, "no name that can stand there"},
		{`{"minProperties":1}`, `{"a":1}`, `{}`, "at least 1 fields"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1,"b":2}`, `{"a":1}`, `"b" is missing, it belongs to "a"`},
		{`{"allOf":[{"minimum":1},{"maximum":3}]}`, `2`, `5`, "at most 3"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `null`, `[]`, "must be a string or null, but is an array"},
		{`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, `"x"`, "must be an integer or a number"},
		{`{"anyOf":[{"type":"object","required":["a"]},{"type":"string"}]}`, `{"a":1}`, `{}`, `"a" is missing`},
		{`{"not":{"type":"null"}}`, `1`, `null`, "must not be null"},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}},"additionalProperties":false}}}`, `{"next":{"next":{}}}`, `{"next":{"next":1}}`, `"next.next" must be an object`},
		{`{"$ref":"#/definitions/a~1b","definitions":{"a/b":{"type":"string"}}}`, `"x"`, `1`, "must be a string"},
		{`{"type":"string","nullable":true}`, `null`, `1`, "must be a string or null"},
		{`{"properties":{"a":false}}`, `{}`, `{"a":1}`, `"a" must not be there`},
		{`true`, `{"a":1}`, ``, ""},
		{`{"$ref":"#"}`, ``, `1`, "nested too deep"},
		{`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, ``, `1`, "has no end"},
		{`{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, ``, `{}`, "has no end"},
	} {
		s, err := readShape([]byte(c.schema))
		if err != nil {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		judge := func(text string) []string {
			value, _, err := readValue(text)
			if err != nil {
				t.Fatal(err)
			}
			j := newJudged("sample")
			j.judge(s, value, nil)
			return j.complaints
		}
		if c.good != "" {
			if got := judge(c.good); got != nil {
				t.Errorf("%s refuses %s: %q", c.schema, c.good, got)
			}
		}
		if c.bad != "" {
			if got := strings.Join(judge(c.bad), "; "); got == "" || !strings.Contains(got, c.says) {
				t.Errorf("%s says of %s: %q, want %q", c.schema, c.bad, got, c.says)
			}
		}
	}
}

func TestASchemaWithoutEndIsAnsweredInTime(t *testing.T) {
	s := &schema{tool: "endless", text: []byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"integer"},{"$ref":"#/$defs/a"}]}}}`)}
	if _, err := s.check(map[string]any{"a": "x"}); err == nil {
		t.Error("accepted")
	}
}

func TestValuesAreConvertedInsideAlternatives(t *testing.T) {
	s := &schema{tool: "sample", text: []byte(`{"type":"object","properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]},"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"object","properties":{"x":{"type":"boolean"}}}}}`)}
	got, err := s.check(map[string]any{"n": "7", "p": `{"x":"true"}`})
	if err != nil || string(canonical(got)) != `{"n":7,"p":{"x":true}}` {
		t.Errorf("%s, %v", canonical(got), err)
	}
}

func TestNearNamesAreOffered(t *testing.T) {
	names := []string{"edit", "glob", "grep", "list", "read_file", "shell", "todo", "write"}
	for asked, want := range map[string]string{
		"read_files": "read_file", "ReadFile": "read_file", "read": "read_file", "gerp": "grep", "Write": "write", "globb": "glob",
	} {
		if got := Near(asked, names); len(got) == 0 || got[0] != want {
			t.Errorf("Near(%q) = %q, want %q first", asked, got, want)
		}
	}
	if got := Near("browser_open", names); len(got) != 0 {
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
	s.read()
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

// FuzzSchema shows that no schema and no arguments make checking panic or go on for
// ever, and that what was converted to fit is then found to fit.
func FuzzSchema(f *testing.F) {
	f.Add(sample, `{"path":"a","offset":"3"}`)
	f.Add(`{"anyOf":[{"$ref":"#"},{"type":"integer"}]}`, `{"a":"1"}`)
	f.Add(`{"properties":{"a":{"oneOf":[{"type":"null"},{"items":{"type":"boolean"}}]}}}`, `{"a":"[\"true\"]"}`)
	f.Fuzz(func(t *testing.T, text, raw string) {
		object, err := readArguments(raw)
		if err != nil {
			return
		}
		s := &schema{tool: "fuzz", text: []byte(text)}
		fitted, err := s.check(object)
		if err != nil || s.err != nil {
			return
		}
		if _, err := s.check(fitted); err != nil {
			t.Fatalf("%s by %s becomes %s, which is refused: %v", raw, text, canonical(fitted), err)
		}
	})
}
