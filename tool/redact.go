package tool

import (
	"context"
	"encoding/json"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/settings"
)

// redactor takes secrets out of what calls give back. Where the process knows no
// secrets there is none, and texts stay as they are.
func redactor(realm *graph.Realm) *settings.Redactor {
	r, _ := graph.Lookup(realm, settings.RedactorKey)
	return r
}

// Redacted gives a text without secrets. Whatever a tool puts into the log by
// itself, beside its result, passes through it.
func (c *Call) Redacted(text string) string {
	if c.realm == nil {
		return text
	}
	if r := redactor(c.realm); r != nil {
		return r.Text(text)
	}
	return text
}

// Keep puts a text that is too long for a result beside the log, without secrets.
// The tool names it to the model with [Locator] and sets [Result.Spill].
func (c *Call) Keep(ctx context.Context, text string) (session.BlobRef, error) {
	return c.Log.PutBlob(ctx, []byte(c.Redacted(text)))
}

// redactParts takes secrets out of content.
func redactParts(r *settings.Redactor, content []llm.Part) []llm.Part {
	if r == nil {
		return content
	}
	for i := range content {
		content[i].Text = r.Text(content[i].Text)
	}
	return content
}

// redactView takes secrets out of the strings of a view. The JSON text itself is
// not touched: what looks like a secret may reach over its quotes.
func redactView(r *settings.Redactor, view json.RawMessage) json.RawMessage {
	if r == nil || len(view) == 0 || !r.Secret(string(view)) {
		return view
	}
	var value any
	if err := json.Unmarshal(view, &value); err != nil {
		return nil
	}
	return canonical(redactStrings(r, value))
}

func redactStrings(r *settings.Redactor, value any) any {
	switch v := value.(type) {
	case string:
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = redactStrings(r, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = redactStrings(r, v[k])
		}
	}
	return value
}
