package web

import "context"

// askExa searches with Exa (https://docs.exa.ai/reference/search).
func askExa(ctx context.Context, w *Web, key, query string) (*found, error) {
	var out struct {
		Results []struct {
			Title, URL, Text string
			Highlights       []string
		}
	}
	in := map[string]any{"query": query, "numResults": mostHits, "contents": map[string]any{"highlights": map[string]any{"numSentences": 2, "highlightsPerUrl": 1}}}
	if err := w.postJSON(ctx, searchLimit, "Exa", "https://api.exa.ai/search", map[string]string{"x-api-key": key}, in, &out); err != nil {
		return nil, err
	}
	f := &found{}
	for _, r := range out.Results {
		snippet := r.Text
		if len(r.Highlights) > 0 {
			snippet = r.Highlights[0]
		}
		f.add(r.Title, r.URL, snippet)
	}
	return f, nil
}
