package web

import (
	"context"
	"encoding/json"
	"time"
)

// modelLimit is what a search may take in which a model does the searching.
const modelLimit = 60 * time.Second

// askDeepSeek has DeepSeek's model search with the search tool of its own server, in
// one request of the Messages format, and takes the pages it found. Its words about
// them are left out.
func askDeepSeek(ctx context.Context, w *Web, key, query string) (*found, error) {
	var out struct {
		Content []struct {
			Type    string
			Content json.RawMessage
		}
	}
	in := map[string]any{
		"model": "deepseek-chat", "max_tokens": 1024,
		"messages": []any{map[string]any{"role": "user", "content": "Search the web for: " + query}},
		"tools":    []any{map[string]any{"type": "web_search_20250305", "name": "web_search", "max_uses": 1}},
	}
	header := map[string]string{"x-api-key": key, "anthropic-version": "2023-06-01"}
	if err := w.postJSON(ctx, modelLimit, "DeepSeek", "https://api.deepseek.com/anthropic/v1/messages", header, in, &out); err != nil {
		return nil, err
	}
	f := &found{}
	for _, block := range out.Content {
		if block.Type != "web_search_tool_result" {
			continue
		}
		var results []struct{ Title, URL, Snippet string }
		if json.Unmarshal(block.Content, &results) != nil {
			continue // an error object stands in the place of results
		}
		for _, r := range results {
			f.add(r.Title, r.URL, r.Snippet)
		}
	}
	return f, nil
}
