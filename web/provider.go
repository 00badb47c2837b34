package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/tool"
)

// provider answers a search.
type provider interface {
	search(ctx context.Context, query string) (*found, error)
}

// found is the answer to one query.
type found struct {
	by   string // who answered, for people
	hits []hit
}

// hit is one page that was found; all of it is what others wrote.
type hit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitempty"`
}

const (
	searchLimit  = 15 * time.Second
	mostHits     = 10
	snippetChars = 300
	answerBytes  = 2 << 20
)

// Codes of searches that gave nothing.
const (
	CodeRefused  = "SEARCH_REFUSED"
	CodeProvider = "SEARCH_PROVIDER"
)

// add takes a hit in where it is one: an address of the open web that was not there.
func (f *found) add(title, address, snippet string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || checkAddress(u) != nil || nearHost(u.Hostname()) || len(f.hits) >= mostHits {
		return
	}
	u.Fragment, u.RawFragment = "", ""
	h := hit{Title: tool.OutsideLine(title, 150), URL: u.String(), Snippet: tool.OutsideLine(snippet, snippetChars)}
	for _, o := range f.hits {
		if sameAddress(o.URL, h.URL) {
			return
		}
	}
	if h.Title == "" {
		h.Title = u.Hostname()
	}
	f.hits = append(f.hits, h)
}

func sameAddress(a, b string) bool {
	return strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/")
}

// paid are the providers that need the person's key: their id, what they are called,
// and the name the key is saved under.
type paid struct {
	id, name, key string
	ask           func(ctx context.Context, w *Web, key, query string) (*found, error)
}

func paidProviders() []paid {
	return []paid{
		{"exa", "Exa", "EXA_API_KEY", askExa},
		{"perplexity", "Perplexity", "PERPLEXITY_API_KEY", askPerplexity},
		{"deepseek", "DeepSeek", "DEEPSEEK_API_KEY", askDeepSeek},
	}
}

// keyed is a provider with the key it is asked with.
type keyed struct {
	paid
	web *Web
	key string
}

func (k keyed) search(ctx context.Context, query string) (*found, error) {
	f, err := k.ask(ctx, k.web, k.key, query)
	if err != nil {
		return nil, err
	}
	f.by = k.name
	return f, nil
}

// postJSON asks a provider and decodes its answer into out.
func (w *Web) postJSON(ctx context.Context, limit time.Duration, name, address string, header map[string]string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "fairlead")
	for k, v := range header {
		req.Header.Set(k, v)
	}
	r, err := exchange(w.keyed, req, answerBytes)
	if err != nil {
		return err
	}
	switch {
	case r.status == http.StatusUnauthorized || r.status == http.StatusForbidden:
		return fault.New(fault.Denied, "web.search", "%s does not accept the key (%s). Save another key, or choose the free search in Settings → Web.", name, r.refusedStatus()).
			WithCode(CodeProvider).ForTheModel("%s does not accept the person's key. Do not search again; tell the person.", name)
	case r.status == http.StatusPaymentRequired || r.status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, "web.search", "%s takes no more searches now (%s). Wait, or choose another search in Settings → Web.", name, r.refusedStatus()).
			WithCode(CodeProvider).ForTheModel("%s takes no more searches now. Do not search again in this turn; tell the person.", name)
	case r.status != http.StatusOK:
		return fault.New(fault.Unavailable, "web.search", "%s answered %s.", name, r.refusedStatus()).WithCode(CodeProvider)
	}
	if err := json.Unmarshal(r.body, out); err != nil {
		return fault.Wrap(fault.Unavailable, "web.search", err, "The answer of %s cannot be read.", name).WithCode(CodeProvider)
	}
	return nil
}
