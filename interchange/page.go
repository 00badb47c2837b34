package interchange

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	"sync"

	"fairlead/session"
)

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// Page writes a session as one HTML file that needs nothing else: no script, nothing
// from outside, pictures inside it. All text is escaped; a policy in the file forbids
// the rest.
func Page(log *session.Log, w io.Writer) error {
	t, err := transcriptOf(log)
	if err != nil {
		return err
	}
	type shown struct {
		Address template.URL
		Alt     string
	}
	type drawn struct {
		row
		Pictures []shown
	}
	rows := make([]drawn, len(t.Rows))
	for i, r := range t.Rows {
		rows[i].row = r
		for _, p := range r.Images {
			if !strings.HasPrefix(p.MIME, "image/") || strings.Contains(p.MIME, "svg") {
				continue // only pictures that cannot hold anything else
			}
			rows[i].Pictures = append(rows[i].Pictures, shown{template.URL(p.address()), first(p.Name, "Picture without description")})
		}
	}
	return page().Execute(w, struct {
		Title  string
		Header session.Header
		Events int64
		Rows   []drawn
	}{titleOf(t), t.Header, t.Events, rows})
}
