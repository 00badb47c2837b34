// Package web lets a model search the web and read pages of it.
//
// It promises that a request reaches public addresses only, judged where they are
// dialled, on every hop and after the name was resolved, unless the person allowed
// a host and port; that nothing of the person goes along: no cookies, no keys of
// other services, no referrer; that time, size and redirects are bounded, also
// after unpacking; that search engines are asked at a person's pace and left alone
// once they refuse; and that everything that comes back is handed on as data with
// its source, never as a word of ours.
//
// It owns the tools web_search and web_fetch, the providers of search and the
// pictures that the page shows on request. It refuses to know who may use them:
// that is the gate's, which reads what a call sends out ([fairlead/tool.Leaver]).
//
// Read address.go and network.go (which addresses, and how they are dialled),
// body.go and markdown.go (what comes back), fetch.go; then search.go with pace.go,
// free.go (engines that need no account) and one file a provider; picture.go,
// settings.go, plugin.go.
package web
