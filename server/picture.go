package server

import (
	"net/http"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
)

// readPicture gives a remote picture that the person asked to see. The page itself
// loads nothing from outside.
func (s *Server) readPicture(w http.ResponseWriter, c *call) error {
	pictures, ok := graph.Lookup(s.options.Realm, command.PictureKey)
	if !ok {
		return fault.New(fault.Unavailable, "server.picture", "Nothing here fetches pictures, so none is shown. Open its address in a browser, or enable the row web.")
	}
	mime, content, err := pictures.Picture(c.Context(), c.URL.Query().Get("url"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mime)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "private, max-age=3600")
	write(w, content)
	return nil
}
