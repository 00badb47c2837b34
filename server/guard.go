package server

import (
	"crypto/subtle"
	"mime"
	"net"
	"net/http"
	"strings"

	"fairlead/fault"
	"fairlead/ui"
)

// guard decides who may speak to the server at all. It holds no state of a request.
type guard struct {
	hosts   map[string]bool // exact Host values, lower case; true for one that the person added
	devices *devices
	rate    *limits
}

// hostsOf lists the names under which a server bound to addr may be called. On
// loopback these are its three spellings; otherwise only the address itself and
// what the person added.
func hostsOf(addr string, more []string) map[string]bool {
	set := map[string]bool{strings.ToLower(addr): false}
	defer func() {
		for _, h := range more {
			set[strings.ToLower(h)] = true
		}
	}()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return set
	}
	if IsLoopback(addr) {
		for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
			set[net.JoinHostPort(name, port)] = false
		}
	}
	if port == "80" {
		set[host] = false
	}
	return set
}

// IsLoopback reports whether an address "host:port" can be reached from this
// machine only. A name other than localhost is not taken at its word.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// headers go on every answer. The page is built for [ui.Policy].
func headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", ui.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
}

// host refuses a request that came under another name: a page whose own name was
// made to point at this machine sends that name.
func (g *guard) host(r *http.Request) *refusal {
	if _, ours := g.hosts[strings.ToLower(r.Host)]; !ours {
		return refuse(http.StatusMisdirectedRequest, fault.Denied, "foreign-host", "This address is not served here. Open the address that the start line shows.")
	}
	return nil
}

// origin refuses a request that a page of another origin made. A browser marks its
// requests with Sec-Fetch headers, which no script can forge; it sends Origin with
// everything that may change something.
func (g *guard) origin(r *http.Request) *refusal {
	foreign := refuse(http.StatusForbidden, fault.Denied, "foreign-origin", "Another page may not do this. Nothing was changed.")
	origins := r.Header.Values("Origin")
	if len(origins) > 1 || (len(origins) == 1 && !g.ours(r.Host, origins[0])) {
		return foreign
	}
	browser := false
	for name, values := range r.Header {
		if strings.HasPrefix(name, "Sec-Fetch-") {
			browser = true
			if name == "Sec-Fetch-Site" && (len(values) != 1 || values[0] != "same-origin") {
				return foreign
			}
		}
	}
	if browser && len(origins) == 0 && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return foreign
	}
	return nil
}

// ours reports whether an origin is that of the page under a host. A name that the
// person added may stand before a proxy that speaks TLS.
func (g *guard) ours(host, origin string) bool {
	return strings.EqualFold(origin, "http://"+host) || g.hosts[strings.ToLower(host)] && strings.EqualFold(origin, "https://"+host)
}

// shell judges a request for the page's own files, which hold no content: another
// site may link here, but may not load parts of it.
func (g *guard) shell(r *http.Request) *refusal {
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	if site == "" || site == "same-origin" || site == "none" || (mode == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document") {
		return nil
	}
	return refuse(http.StatusForbidden, fault.Denied, "foreign-origin", "Another site may not load this.")
}

// token finds the device that speaks.
func (g *guard) token(r *http.Request) (*Device, *refusal) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		if d := g.devices.find(strings.TrimSpace(token)); d != nil {
			return d, nil
		}
	}
	return nil, refuse(http.StatusUnauthorized, fault.Denied, "login", "This browser is not signed in to Fairlead. Open the link that the start line shows, or make a new one in a signed-in window.")
}

// json demands that a body says it is JSON: no form and no plain text, which a
// page of another origin could send without asking.
func isJSON(r *http.Request) *refusal {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, fault.Invalid, "", "The body must be JSON with Content-Type application/json. Nothing was changed.")
	}
	return nil
}

// same compares two secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
