package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"fairlead/fault"
)

// searxng asks an instance of SearXNG, the person's own or one they trust, for JSON
// (https://docs.searxng.org/dev/search_api.html).
type searxng struct {
	web *Web
	at  *url.URL
}

func (s searxng) search(ctx context.Context, query string) (*found, error) {
	ctx, cancel := context.WithTimeout(ctx, searchLimit)
	defer cancel()
	u := s.at.JoinPath("search")
	u.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
	// The person wrote this address into the configuration: that is their word for it.
	own := hostPort(s.at)
	r, err := s.web.get(ctx, u, func(hostPort string) bool { return hostPort == own }, answerBytes)
	if err != nil {
		return nil, err
	}
	if r.status != http.StatusOK {
		return nil, fault.New(fault.Unavailable, "web.search", "%s answered %s. It must allow answers as JSON.", s.at.Host, r.refusedStatus()).WithCode(CodeProvider)
	}
	var out struct {
		Results []struct{ Title, URL, Content string }
	}
	if err := json.Unmarshal(r.body, &out); err != nil {
		return nil, fault.Wrap(fault.Unavailable, "web.search", err, "The answer of %s cannot be read. It must allow answers as JSON.", s.at.Host).WithCode(CodeProvider)
	}
	f := &found{by: s.at.Host}
	for _, hit := range out.Results {
		f.add(hit.Title, hit.URL, hit.Content)
	}
	return f, nil
}

// SearXNG is the row of a search that one instance answers.
type SearXNG struct {
	// URL is where the instance is, without "/search".
	URL string `yaml:"url"`
}

// Check says what is wrong with the row.
func (c *SearXNG) Check() error {
	u, err := url.Parse(c.URL)
	if err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == "" {
		return fault.New(fault.Invalid, "web.searxng", "url wants the address of a SearXNG instance, such as https://search.example, not %q.", c.URL)
	}
	return nil
}
