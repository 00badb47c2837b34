package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Errors of files that hold text which cannot be had.
var (
	ErrNotPDF    = errors.New("it is not a PDF file")
	ErrEncrypted = errors.New("it is encrypted")
	ErrNoPages   = errors.New("no page was found in it")
)

// mostPages bounds a file.
const mostPages = 20_000

// Is reports whether bytes begin as a PDF file does.
func Is(data []byte) bool { return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) }

// Text gives the text of a file, page by page in their order. Pages without text say
// so. It fails with ErrNotPDF, ErrEncrypted or ErrNoPages, or when ctx ends.
func Text(ctx context.Context, data []byte) (pages []string, err error) {
	if !Is(data) {
		return nil, ErrNotPDF
	}
	f := parse(data)
	if f.encrypted {
		return nil, ErrEncrypted
	}
	fonts, left := map[ref]*font{}, mostOperators
	for _, p := range f.pages() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w := &writer{file: f, fonts: fonts, left: left, page: matrix{1, 0, 0, 1, 0, 0}}
		w.content(f.contents(p.dict["Contents"]), f.dict(p.resources), 0)
		left = max(w.left, 10_000)
		text := strings.TrimSpace(w.out.String())
		if text == "" {
			text = "[no text on this page]"
			if w.pictures > 0 {
				text = fmt.Sprintf("[no text on this page; %d pictures]", w.pictures)
			}
		}
		pages = append(pages, text)
	}
	if pages == nil {
		return nil, ErrNoPages
	}
	return pages, nil
}

// page is a page with the resources it has or inherits.
type page struct {
	dict      dict
	resources any
}

// pages walks the tree of pages.
func (f *file) pages() []page {
	var found []page
	seen := map[ref]bool{}
	var walk func(v, resources any, depth int)
	walk = func(v, resources any, depth int) {
		if r, ok := v.(ref); ok {
			if seen[r] {
				return
			}
			seen[r] = true
		}
		d := f.dict(v)
		if d == nil || depth > mostNested || len(found) >= mostPages {
			return
		}
		if own, ok := d["Resources"]; ok {
			resources = own
		}
		if kids := f.list(d["Kids"]); kids != nil {
			for _, k := range kids {
				walk(k, resources, depth+1)
			}
			return
		}
		found = append(found, page{d, resources})
	}
	walk(f.dict(f.root)["Pages"], nil, 0)
	if found == nil { // the trailer is lost: any catalog will do
		for _, r := range slices.Sorted(maps.Keys(f.objects)) {
			if d, ok := f.objects[r].(dict); ok && f.get(d["Type"]) == name("Catalog") && found == nil {
				walk(d["Pages"], nil, 0)
			}
		}
	}
	return found
}

// contents joins the streams of a page.
func (f *file) contents(v any) []byte {
	switch v := f.get(v).(type) {
	case stream:
		return f.decode(v)
	case list:
		var all []byte
		for _, part := range v {
			if s, ok := f.get(part).(stream); ok {
				all = append(append(all, f.decode(s)...), '\n')
			}
		}
		return all
	}
	return nil
}
