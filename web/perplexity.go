package web

import "context"

// askPerplexity searches with Perplexity's Search API (https://docs.perplexity.ai/api-reference/search-post).
func askPerplexity(ctx context.Context, w *Web, key, query string) (*found, error) {
	var out struct {
		Results []struct{ Title, URL, Snippet string }
	}
	in := map[string]any{"query": query, "max_results": mostHits, "max_tokens_per_page": 256}
	if err := w.postJSON(ctx, searchLimit, "Perplexity", "https://api.perplexity.ai/search", map[string]string{"Authorization": "Bearer " + key}, in, &out); err != nil {
		return nil, err
	}
	f := &found{}
	for _, r := range out.Results {
		f.add(r.Title, r.URL, r.Snippet)
	}
	return f, nil
}
