package server

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"fairlead/fault"
	"fairlead/interchange"
	"fairlead/session"
)

// form is a format that a session can be taken away in.
type form struct {
	kind  string // media type
	write func(ctx context.Context, lib *session.Library, log *session.Log, w io.Writer) error
}

var forms = map[string]form{
	"zip": {"application/zip", func(ctx context.Context, lib *session.Library, log *session.Log, w io.Writer) error {
		return interchange.Archive(ctx, lib, log.ID(), w)
	}},
	"md":   {"text/markdown; charset=utf-8", reading(interchange.Markdown)},
	"html": {"application/octet-stream", reading(interchange.Page)}, // to be kept, never run under our own address
	"json": {"application/json", reading(interchange.JSON)},
}

func reading(write func(*session.Log, io.Writer) error) func(context.Context, *session.Library, *session.Log, io.Writer) error {
	return func(_ context.Context, _ *session.Library, log *session.Log, w io.Writer) error { return write(log, w) }
}

// exportSession sends a session as a file. It is written whole before the first byte
// goes out, so that what arrives with a good status is all of it.
func (s *Server) exportSession(w http.ResponseWriter, c *call) error {
	as := c.URL.Query().Get("as")
	if as == "" {
		as = "zip"
	}
	f, ok := forms[as]
	if !ok {
		return fault.New(fault.Invalid, "server.export", "There is no format %q. Nothing was exported; choose zip, md, html or json.", as)
	}
	log, err := s.options.Library.Read(c.Context(), session.ID(c.PathValue("id")))
	if err != nil {
		return err
	}
	defer log.Close(context.WithoutCancel(c.Context()))
	var b bytes.Buffer
	if err := f.write(c.Context(), s.options.Library, log, &b); err != nil {
		return err
	}
	w.Header().Set("Content-Type", f.kind)
	w.Header().Set("Content-Disposition", `attachment; filename="session-`+string(log.ID())+"."+as+`"`)
	write(w, b.Bytes())
	return nil
}

// importSession brings a session in: our own zip, or a file of another product.
func (s *Server) importSession(c *call) (any, error) {
	if err := s.underWay(); err != nil {
		return nil, err
	}
	content, err := c.bytes()
	if err != nil {
		return nil, err
	}
	return interchange.Bring(c.Context(), s.options.Library, bytes.NewReader(content))
}
