package openai

import (
	"encoding/json"
	"sync"
)

// offered reads the tools of a body, when a call in text form first asks for one:
// each with the JSON types of its parameters.
func offered(body []byte) func(name string) (map[string]string, bool) {
	tools := sync.OnceValue(func() map[string]map[string]string {
		var v struct {
			Tools []struct {
				Function struct {
					Name       string `json:"name"`
					Parameters struct {
						Properties map[string]struct {
							Type word `json:"type"`
						} `json:"properties"`
					} `json:"parameters"`
				} `json:"function"`
			} `json:"tools"`
		}
		_ = json.Unmarshal(body, &v) // our own encoding; what is odd in a schema has no type
		byName := map[string]map[string]string{}
		for _, t := range v.Tools {
			types := map[string]string{}
			for name, p := range t.Function.Parameters.Properties {
				types[name] = string(p.Type)
			}
			byName[t.Function.Name] = types
		}
		return byName
	})
	return func(name string) (map[string]string, bool) {
		types, ok := tools()[name]
		return types, ok
	}
}
