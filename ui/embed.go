package ui

import (
	"bytes"
	"embed"
	"html"
	"io/fs"
)

//go:generate go test -run Fresh . -update

//go:embed all:dist
var built embed.FS

// Files is the built page: index.html, app.js, app.css, chunks/, icon.svg,
// manifest.webmanifest and LICENSES.txt. Files in chunks/ carry a hash in their
// names and never change; the others are to be revalidated.
var Files = within(built, "dist")

// Policy is the Content-Security-Policy the page is built for and tested under.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"img-src 'self' data: blob:; font-src 'self'; frame-src 'self'; manifest-src 'self'; frame-ancestors 'none'; " +
	"base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'"

// Look is what the server knows of the person's choices before the page runs, so
// that nothing flashes. Empty fields mean: as the system has it.
type Look struct {
	Theme    string // "light" or "dark"
	Language string // a language of package i18n, such as "pt-BR"
	Version  string // of the product; the page compares it after a reconnect
}

// Index is index.html with look written into its root element.
func Index(look Look) ([]byte, error) {
	page, err := fs.ReadFile(Files, "index.html")
	if err != nil {
		return nil, err
	}
	var attrs bytes.Buffer
	for _, a := range []struct{ name, value string }{
		{"data-theme", look.Theme}, {"data-language", look.Language}, {"data-version", look.Version},
	} {
		if a.value != "" {
			attrs.WriteString(" " + a.name + `="` + html.EscapeString(a.value) + `"`)
		}
	}
	return bytes.Replace(page, []byte(`<html lang="en"`), []byte(`<html lang="en"`+attrs.String()), 1), nil
}

// within narrows a file system to a folder that is known to be there.
func within(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // only a malformed constant gets here
	}
	return sub
}
