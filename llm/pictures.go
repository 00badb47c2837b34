package llm

import (
	"fmt"
	"slices"
)

// PictureLimits bound the pictures of a request. A zero field is the limit that
// every large provider keeps.
type PictureLimits struct {
	// Count is how many pictures a request may have; 0 means 100. The oldest make
	// way, a fifth of the limit at a time, so that the request keeps its beginning
	// for as long as possible.
	Count int
	// Bytes bounds one picture; 0 means 3.75 MiB, which base64 makes 5 MiB.
	Bytes int
	// Side bounds the longer side in pixels; 0 means 2000. Larger pictures are scaled
	// down.
	Side int
}

func (l PictureLimits) count() int { return orElse(l.Count, 100) }
func (l PictureLimits) bytes() int { return orElse(l.Bytes, 15<<18) }
func (l PictureLimits) side() int  { return orElse(l.Side, 2000) }

func orElse(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

// picture gives a picture that can be sent, or the mark that stands for it. Both
// depend on nothing but the picture.
func (c *cleaner) picture(p Part) Part {
	if c.opt.TextOnly {
		c.note(" held a picture, which this model cannot read; a mark was sent in its place")
		return mark(p, "this model reads text only")
	}
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, p.MIME) {
		c.note(" held a picture of the type %s, which models do not read; a mark was sent in its place", p.MIME)
		return mark(p, "models do not read its type, "+p.MIME)
	}
	if len(p.Bytes) == 0 && c.opt.Load != nil {
		b, err := c.opt.Load(p.Blob)
		if err != nil {
			c.note(" held a picture that could not be loaded (%v); a mark was sent in its place", err)
		}
		p.Bytes = b
	}
	if len(p.Bytes) == 0 {
		return mark(p, "it could not be loaded")
	}
	fitted, mime, err := FitPicture(p.Bytes, p.MIME, c.opt.Pictures.side(), c.opt.Pictures.bytes())
	if err != nil {
		c.note(" held a picture that cannot be sent (%v); a mark was sent in its place", err)
		return mark(p, err.Error())
	}
	if len(fitted) != len(p.Bytes) {
		c.note(" held a picture that is larger than models take; it was scaled down")
	}
	p.Bytes, p.MIME = fitted, mime
	return p
}

func mark(p Part, reason string) Part {
	name := p.Name
	if name == "" {
		name = "unnamed"
	}
	return Part{Text: fmt.Sprintf("[picture %q is not shown: %s]", name, reason)}
}

// limitPictures puts marks in the place of the oldest pictures where there are
// more than a request may have.
func limitPictures(list []Message, opt NormaliseOptions) ([]Message, []string) {
	limit := opt.Pictures.count()
	have := 0
	for i := range list {
		for _, p := range list[i].Content {
			if p.MIME != "" {
				have++
			}
		}
	}
	if have <= limit {
		return list, nil
	}
	step := max(limit/5, 1)
	surplus := (have - limit + step - 1) / step * step
	for i := 0; i < len(list) && surplus > 0; i++ {
		m := &list[i]
		if !slices.ContainsFunc(m.Content, func(p Part) bool { return p.MIME != "" }) {
			continue
		}
		m.Content = slices.Clone(m.Content)
		for k, p := range m.Content {
			if p.MIME != "" && surplus > 0 {
				m.Content[k] = mark(p, "older pictures made way for newer ones")
				surplus--
			}
		}
	}
	return list, []string{fmt.Sprintf("the history holds more than %d pictures; marks were sent in the place of the oldest", limit)}
}
