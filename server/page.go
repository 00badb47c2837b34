package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"fairlead/fault"
	"fairlead/ui"
)

// page serves the built page: its shell with the person's look written in, and its
// files, each compressed once. Nothing of it holds content, so it needs no token.
type page struct {
	look  func() ui.Look
	files map[string]func() (asset, error)
}

// asset is a file as it goes out.
type asset struct {
	kind   string
	plain  []byte
	zipped []byte // nil where compressing gains nothing
	tag    string
	fixed  bool // its name carries a hash: it never changes
}

// shells are the addresses of the page itself.
func isShell(name string) bool {
	return name == "/" || strings.HasPrefix(name, "/s/") || strings.HasPrefix(name, "/_/")
}

// newPage lists the files of the build. Each is read and compressed when it is
// first asked for, so that starting costs nothing.
func newPage(files fs.FS, look func() ui.Look) (*page, error) {
	p := &page{look: look, files: map[string]func() (asset, error){}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && name != "index.html" {
			p.files["/"+name] = sync.OnceValues(func() (asset, error) {
				text, err := fs.ReadFile(files, name)
				if err != nil {
					return asset{}, err
				}
				return newAsset(name, text)
			})
		}
		return err
	})
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "server.page", err, "The page's files are damaged. Install Fairlead again.")
	}
	return p, nil
}

func newAsset(name string, text []byte) (asset, error) {
	sum := sha256.Sum256(text)
	a := asset{kind: kindOf(name), plain: text, tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, fixed: strings.HasPrefix(name, "chunks/")}
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = zip.Write(text)
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		return asset{}, fmt.Errorf("server.page: %w", err)
	}
	if out.Len() < len(text)*9/10 {
		a.zipped = out.Bytes()
	}
	return a, nil
}

// kindOf gives the media type of the few that a build holds; the system's tables
// may say otherwise, so they are not asked.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	case ".woff2":
		return "font/woff2"
	case ".png":
		return "image/png"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeProblem(w, refuse(http.StatusMethodNotAllowed, fault.Invalid, "", "There is nothing here that can be changed."))
		return
	}
	a, err := p.find(r.URL.Path)
	if err != nil {
		writeProblem(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if a.fixed {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if a.zipped != nil && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = a.zipped
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method == http.MethodGet {
		write(w, body)
	}
}

func (p *page) find(name string) (asset, error) {
	if isShell(name) {
		text, err := ui.Index(p.look())
		if err != nil {
			return asset{}, fault.Wrap(fault.Internal, "server.page", err, "The page's files are damaged. Install Fairlead again.")
		}
		return newAsset("index.html", text)
	}
	if read, ok := p.files[name]; ok {
		return read()
	}
	return asset{}, fault.New(fault.NotFound, "server.page", "There is nothing at this address.")
}

func acceptsGzip(r *http.Request) bool {
	for item := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, options, _ := strings.Cut(strings.TrimSpace(item), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") && strings.ReplaceAll(options, " ", "") != "q=0" {
			return true
		}
	}
	return false
}
