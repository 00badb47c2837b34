package settings

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Redactor takes secrets out of text: the exact values of every credential this
// process has read or stored, and whatever has the shape of a common kind of token.
// The zero value is ready; it may be used from anywhere.
type Redactor struct {
	mu       sync.Mutex
	known    map[string]string // value to name
	replacer atomic.Pointer[strings.Replacer]
}

// shortest is the length below which a value is no secret but a word: replacing it
// everywhere would garble text and hide nothing.
const shortest = 8

// Know adds a value to take out; the name is what stands in its place.
func (r *Redactor) Know(name, value string) {
	if len(value) < shortest {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.known[value]; ok {
		return
	}
	if r.known == nil {
		r.known = map[string]string{}
	}
	r.known[value] = name
	// Longer values first, so that one that contains another goes whole.
	values := slices.SortedFunc(maps.Keys(r.known), func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, mark(r.known[v]))
	}
	r.replacer.Store(strings.NewReplacer(pairs...))
}

func mark(name string) string { return "[redacted " + name + "]" }

// shapes are common kinds of tokens. The prefix is looked for first: most text has
// none, and is done after a few fast searches.
var shapes = []struct {
	prefix, name string
	pattern      func() *regexp.Regexp
}{
	{"sk-", "API key", expression(`\bsk-[A-Za-z0-9_-]{20,}`)},
	{"ghp_", "GitHub token", expression(`\bghp_[A-Za-z0-9]{36,}`)},
	{"gho_", "GitHub token", expression(`\bgho_[A-Za-z0-9]{36,}`)},
	{"ghs_", "GitHub token", expression(`\bghs_[A-Za-z0-9]{36,}`)},
	{"ghu_", "GitHub token", expression(`\bghu_[A-Za-z0-9]{36,}`)},
	{"ghr_", "GitHub token", expression(`\bghr_[A-Za-z0-9]{36,}`)},
	{"github_pat_", "GitHub token", expression(`\bgithub_pat_[A-Za-z0-9_]{22,}`)},
	{"glpat-", "GitLab token", expression(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"AKIA", "AWS key id", expression(`\bAKIA[0-9A-Z]{16}\b`)},
	{"ASIA", "AWS key id", expression(`\bASIA[0-9A-Z]{16}\b`)},
	{"AIza", "Google API key", expression(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"xox", "Slack token", expression(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"hf_", "Hugging Face token", expression(`\bhf_[A-Za-z0-9]{30,}`)},
	{"npm_", "npm token", expression(`\bnpm_[A-Za-z0-9]{36}`)},
	{"eyJ", "signed token", expression(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"PRIVATE KEY-----", "private key", expression(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)},
}

// expression compiles a pattern when it is first needed: most processes never do.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Text gives s without secrets. A text without any is returned as it is.
func (r *Redactor) Text(s string) string {
	if known := r.replacer.Load(); known != nil {
		s = known.Replace(s)
	}
	for _, shape := range shapes {
		if strings.Contains(s, shape.prefix) {
			s = shape.pattern().ReplaceAllLiteralString(s, mark(shape.name))
		}
	}
	return s
}

// Secret reports whether s contains a secret.
func (r *Redactor) Secret(s string) bool { return r.Text(s) != s }

// Handler gives a log handler that passes records on to next without secrets, in
// their messages, their attributes and the errors among those.
func (r *Redactor) Handler(next slog.Handler) slog.Handler { return redacting{r, next} }

type redacting struct {
	r    *Redactor
	next slog.Handler
}

func (h redacting) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h redacting) Handle(ctx context.Context, rec slog.Record) error {
	clean := slog.NewRecord(rec.Time, rec.Level, h.r.Text(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h redacting) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return redacting{h.r, h.next.WithAttrs(clean)}
}

func (h redacting) WithGroup(name string) slog.Handler {
	return redacting{h.r, h.next.WithGroup(name)}
}

func (h redacting) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(h.r.Text(v.String()))
	case slog.KindGroup:
		var group []slog.Attr
		for _, inner := range v.Group() {
			group = append(group, h.attr(inner))
		}
		a.Value = slog.GroupValue(group...)
	case slog.KindAny:
		if text := fmt.Sprint(v.Any()); h.r.Secret(text) {
			a.Value = slog.StringValue(h.r.Text(text))
		}
	}
	return a
}
