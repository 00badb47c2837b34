package llm

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // reads the size of GIF
	_ "image/jpeg" // reads the size of JPEG
	_ "image/png"  // reads the size of PNG
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
	// Side bounds the longer side in pixels; 0 means 8000.
	Side int
}

func (l PictureLimits) count() int { return orElse(l.Count, 100) }
func (l PictureLimits) bytes() int { return orElse(l.Bytes, 15<<18) }
func (l PictureLimits) side() int  { return orElse(l.Side, 8000) }

func orElse(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}

// picture gives a picture that can be sent, or the mark that stands for it. The
// mark depends on nothing but the picture and the reason.
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
	if limit := c.opt.Pictures.bytes(); len(p.Bytes) > limit {
		c.note(" held a picture of %d bytes, more than the %d that can be sent; a mark was sent in its place", len(p.Bytes), limit)
		return mark(p, "it is too large to be sent")
	}
	if p.MIME == "image/webp" {
		return p
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(p.Bytes))
	if err != nil {
		c.note(" held a picture that cannot be read (%v); a mark was sent in its place", err)
		return mark(p, "it is damaged")
	}
	if limit := c.opt.Pictures.side(); size.Width > limit || size.Height > limit {
		c.note(" held a picture of %d×%d pixels, more than the %d that can be sent; a mark was sent in its place", size.Width, size.Height, limit)
		return mark(p, fmt.Sprintf("it has %d×%d pixels, too many to be sent", size.Width, size.Height))
	}
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
