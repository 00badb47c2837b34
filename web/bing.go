package web

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

func bingRequest(ctx context.Context, query string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://www.bing.com/search?"+url.Values{"q": {query}}.Encode(), nil)
	if err != nil {
		return nil, err
	}
	browse(req)
	return req, nil
}

// readBing takes the results off the page.
func readBing(r *reply) (*found, bool) {
	doc, err := html.Parse(strings.NewReader(r.decoded()))
	if err != nil {
		return nil, false
	}
	f := &found{}
	for _, box := range all(doc, func(n *html.Node) bool { return n.Data == "li" && hasClass(n, "b_algo") }) {
		head := first(box, func(n *html.Node) bool { return n.Data == "h2" })
		if head == nil {
			continue
		}
		link := first(head, func(n *html.Node) bool { return n.Data == "a" })
		if link == nil {
			continue
		}
		snippet := ""
		if s := first(box, func(n *html.Node) bool { return n.Data == "p" }); s != nil {
			snippet = textOf(s)
		}
		f.add(textOf(link), unwrapBing(attr(link, "href")), snippet)
	}
	none := first(doc, func(n *html.Node) bool { return hasClass(n, "b_no") }) != nil
	return f, len(f.hits) > 0 || none
}

// unwrapBing gives the address behind Bing's counter of clicks: the parameter u is
// "a1" and the address in base64.
func unwrapBing(href string) string {
	u, err := url.Parse(href)
	if err != nil || !strings.HasSuffix(u.Hostname(), "bing.com") || !strings.HasPrefix(u.Path, "/ck/") {
		return href
	}
	coded, _ := strings.CutPrefix(u.Query().Get("u"), "a1")
	plain, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(coded, "="))
	if err != nil {
		return ""
	}
	return string(plain)
}
