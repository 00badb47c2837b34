package wire

import "encoding/json"

// bounds are the words of a JSON Schema that the grammars of local servers cannot
// express, or only at a size they refuse. What they say is still checked when a call
// comes.
var bounds = []string{
	"minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	"patternProperties", "propertyNames", "contains", "minContains", "maxContains", "dependentRequired", "not", "if", "then", "else",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default", "examples", "$schema", "$comment",
}

// PlainSchema takes bounds and patterns out of a schema, at every depth. Equal
// schemas give equal bytes.
func PlainSchema(schema json.RawMessage) (json.RawMessage, error) {
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		return nil, err
	}
	plain(v)
	return json.Marshal(v)
}

// plain changes a schema in place.
func plain(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			plain(x)
		}
	case map[string]any:
		for _, word := range bounds {
			delete(v, word)
		}
		for word, x := range v {
			switch named, ok := x.(map[string]any); {
			case ok && (word == "properties" || word == "$defs" || word == "definitions" || word == "dependentSchemas"):
				for _, schema := range named { // these keys are names, not words of the schema
					plain(schema)
				}
			case word != "enum" && word != "const" && word != "required":
				plain(x)
			}
		}
	}
}
