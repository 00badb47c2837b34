package web

import (
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"fairlead/fault"
	"fairlead/tool"
)

// leastMain is how much text, in bytes, a part of a page must have to be taken for
// all that matters.
const leastMain = 200

// markdown turns a page into readable Markdown: its main part where it marks one,
// without what is not read (scripts, menus, forms, pictures), links made whole
// against the page's address.
func markdown(page, address string) (title, text string, err error) {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", "", fault.Wrap(fault.Invalid, "web.read", err, "The page cannot be read as HTML.")
	}
	if t := first(doc, func(n *html.Node) bool { return n.DataAtom == atom.Title }); t != nil {
		title = tool.OutsideLine(textOf(t), 200)
	}
	prune(doc, unread)
	main := mainPart(doc)
	if main == doc {
		prune(doc, around)
	}
	out, err := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true)))).
		ConvertNode(main, converter.WithDomain(address))
	if err != nil {
		return title, "", fault.Wrap(fault.Invalid, "web.read", err, "The page cannot be made readable.")
	}
	return title, strings.TrimSpace(tool.Outside(string(out))), nil
}

// mainPart is the one element in which a page says its content is; the whole page
// where it marks none, several, or one with little in it.
func mainPart(doc *html.Node) *html.Node {
	for _, is := range []func(*html.Node) bool{
		func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" },
		func(n *html.Node) bool { return n.DataAtom == atom.Article },
	} {
		if found := all(doc, is); len(found) == 1 && len(strings.TrimSpace(textOf(found[0]))) >= leastMain {
			return found[0]
		}
	}
	return doc
}

// unread is what nobody reads on a page. Hidden text is where instructions to a
// model are planted.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Svg, atom.Canvas, atom.Form, atom.Button, atom.Select, atom.Img, atom.Picture,
		atom.Video, atom.Audio, atom.Object, atom.Embed, atom.Dialog:
		return true
	}
	style := strings.ReplaceAll(strings.ToLower(attr(n, "style")), " ", "")
	_, hidden := lookup(n, "hidden")
	return hidden || attr(n, "aria-hidden") == "true" || strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// around is what frames the content of a page.
func around(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Aside, atom.Footer:
		return true
	}
	return attr(n, "role") == "navigation"
}

// prune takes the elements out for which is holds.
func prune(n *html.Node, is func(*html.Node) bool) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.CommentNode || c.Type == html.ElementNode && is(c) {
			n.RemoveChild(c)
		} else {
			prune(c, is)
		}
		c = next
	}
}

// all gives the outermost elements for which is holds, in their order.
func all(n *html.Node, is func(*html.Node) bool) []*html.Node {
	if n.Type == html.ElementNode && is(n) {
		return []*html.Node{n}
	}
	var found []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		found = append(found, all(c, is)...)
	}
	return found
}

func first(n *html.Node, is func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && is(d) {
			return d
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func lookup(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func attr(n *html.Node, name string) string { v, _ := lookup(n, name); return v }

func hasClass(n *html.Node, class string) bool {
	for c := range strings.FieldsSeq(attr(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}
