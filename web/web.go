package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fairlead/graph"
)

// Key names the way to the web.
var Key = graph.NewKey[*Web]("web", "reaches public addresses of the web, and those the person allowed")

// Options are what the room needs of who composes the product.
type Options struct {
	Network Network
	// Secret gives a saved key by its name, "" where there is none.
	Secret func(name string) string
}

// Web reaches the web under the person's settings. It is safe for concurrent use.
type Web struct {
	network  Network
	settings func() Settings
	public   *http.Client // reaches no near host
	keyed    *http.Client // the same; follows no redirect, so that a key goes where it belongs
	log      *slog.Logger
}

func newWeb(n Network, settings func() Settings, log *slog.Logger) *Web {
	none := func(string) bool { return false }
	w := &Web{network: n, settings: settings, log: log, public: n.client(none), keyed: n.client(none)}
	w.keyed.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w
}

// allows reports whether the person's settings allow a near "host:port".
func (w *Web) allows(hostPort string) bool {
	return slices.ContainsFunc(w.settings().Allow, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), hostPort) })
}

// get reads what is at an address, near ones included where may allows them.
func (w *Web) get(ctx context.Context, u *url.URL, may func(hostPort string) bool, limit int64) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	browse(req)
	client := w.public
	if may(hostPort(u)) {
		client = w.network.client(may)
		defer client.CloseIdleConnections()
	}
	return exchange(client, req, limit)
}

// browse gives a request the shape of a browser's, which many sites want to see.
func browse(req *http.Request) {
	for name, value := range map[string]string{
		"User-Agent":                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"Accept":                    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"Accept-Language":           "en-US,en;q=0.5",
		"Upgrade-Insecure-Requests": "1",
		"Sec-Fetch-Dest":            "document",
		"Sec-Fetch-Mode":            "navigate",
		"Sec-Fetch-Site":            "none",
		"Sec-Fetch-User":            "?1",
	} {
		req.Header.Set(name, value)
	}
}
