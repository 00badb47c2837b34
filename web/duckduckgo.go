package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// duckRequest is the form of DuckDuckGo's page without scripts, as a browser sends it.
func duckRequest(ctx context.Context, query string) (*http.Request, error) {
	form := url.Values{"q": {query}, "b": {""}, "kl": {""}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://html.duckduckgo.com/html/", strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	browse(req)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", "https://html.duckduckgo.com")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return req, nil
}

// readDuck takes the results off the page; advertisements are left out.
func readDuck(r *reply) (*found, bool) {
	doc, err := html.Parse(strings.NewReader(r.decoded()))
	if err != nil {
		return nil, false
	}
	f := &found{}
	for _, box := range all(doc, func(n *html.Node) bool { return hasClass(n, "result") }) {
		link := first(box, func(n *html.Node) bool { return n.Data == "a" && hasClass(n, "result__a") })
		if hasClass(box, "result--ad") || link == nil {
			continue
		}
		snippet := ""
		if s := first(box, func(n *html.Node) bool { return hasClass(n, "result__snippet") }); s != nil {
			snippet = textOf(s)
		}
		f.add(textOf(link), unwrapDuck(attr(link, "href")), snippet)
	}
	none := first(doc, func(n *html.Node) bool { return hasClass(n, "no-results") || hasClass(n, "result--no-result") }) != nil
	return f, len(f.hits) > 0 || none && !bytes.Contains(r.body, []byte("anomaly"))
}

// unwrapDuck gives the address behind DuckDuckGo's counter of clicks.
func unwrapDuck(href string) string {
	if strings.HasPrefix(href, "//") {
		href = "https:" + href
	}
	u, err := url.Parse(href)
	if err == nil && strings.HasSuffix(u.Hostname(), "duckduckgo.com") && u.Path == "/l/" {
		return u.Query().Get("uddg")
	}
	return href
}
