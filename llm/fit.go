package llm

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// mostPixels bounds what is decoded: a small file can claim a picture that does not
// fit into memory.
const mostPixels = 64 << 20

var errTooManyPixels = errors.New("the picture has more than 64 million pixels")

// FitPicture makes a picture small enough to be sent: no side longer than side
// pixels and no more than size bytes. A picture that fits comes back as it is;
// otherwise it is scaled down, and becomes JPEG where PNG stays too large. Equal
// input gives equal output. GIF keeps its first frame. An error means that the
// picture cannot be read or not be made to fit.
func FitPicture(b []byte, mime string, side, size int) (fitted []byte, fittedMIME string, err error) {
	if mime == "image/webp" {
		width, height, ok := webpSize(b)
		switch {
		case !ok:
			return nil, "", errors.New("the picture is damaged")
		case width > side || height > side || len(b) > size:
			return nil, "", errors.New("a WebP picture cannot be scaled down here")
		}
		return b, mime, nil
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, "", err
	}
	if config.Width <= side && config.Height <= side && len(b) <= size {
		return b, mime, nil
	}
	if config.Width*config.Height > mostPixels {
		return nil, "", errTooManyPixels
	}
	picture, err := decode(b, mime)
	if err != nil {
		return nil, "", err
	}
	for most := min(side, max(config.Width, config.Height)); most >= 64; most = most * 3 / 4 {
		small := scaleDown(picture, most)
		for _, to := range formats(mime) {
			out, err := encode(small, to)
			if err != nil {
				return nil, "", err
			}
			if len(out) <= size {
				return out, to, nil
			}
		}
	}
	return nil, "", errors.New("the picture stays too large however small it is made")
}

func decode(b []byte, mime string) (image.Image, error) {
	switch mime {
	case "image/png":
		return png.Decode(bytes.NewReader(b))
	case "image/jpeg":
		return jpeg.Decode(bytes.NewReader(b))
	case "image/gif":
		return gif.Decode(bytes.NewReader(b))
	}
	return nil, errors.New("the type " + mime + " cannot be read")
}

// formats are the types a picture may be sent as, the best first.
func formats(mime string) []string {
	if mime == "image/jpeg" {
		return []string{"image/jpeg"}
	}
	return []string{"image/png", "image/jpeg"}
}

const jpegQuality = 85

func encode(p image.Image, mime string) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if mime == "image/jpeg" {
		err = jpeg.Encode(&b, p, &jpeg.Options{Quality: jpegQuality})
	} else {
		err = png.Encode(&b, p)
	}
	return b.Bytes(), err
}

// scaleDown makes the longer side most pixels long; each pixel is the mean of those
// it stands for.
func scaleDown(p image.Image, most int) image.Image {
	from := p.Bounds()
	width, height := from.Dx(), from.Dy()
	longer := max(width, height)
	if longer <= most {
		return p
	}
	w, h := max(1, width*most/longer), max(1, height*most/longer)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top, bottom := y*height/h, max((y+1)*height/h, y*height/h+1)
		for x := range w {
			left, right := x*width/w, max((x+1)*width/w, x*width/w+1)
			out.SetNRGBA(x, y, mean(p, image.Rect(left, top, right, bottom).Add(from.Min)))
		}
	}
	return out
}

// mean gives the mean colour of an area, in which transparent pixels have no weight.
func mean(p image.Image, area image.Rectangle) color.NRGBA {
	var r, g, b, a, n uint64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			pr, pg, pb, pa := p.At(x, y).RGBA()
			r, g, b, a, n = r+uint64(pr), g+uint64(pg), b+uint64(pb), a+uint64(pa), n+1
		}
	}
	if a == 0 {
		return color.NRGBA{}
	}
	part := func(c uint64) uint8 { return uint8(min(c*255/a, 255)) }
	return color.NRGBA{part(r), part(g), part(b), uint8(a / n >> 8)}
}

// webpSize reads the size out of the head of a WebP file (RFC 9649, section 2).
func webpSize(b []byte) (width, height int, ok bool) {
	if len(b) < 30 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return 0, 0, false
	}
	switch string(b[12:16]) {
	case "VP8 ":
		return int(b[26]) | int(b[27]&0x3f)<<8, int(b[28]) | int(b[29]&0x3f)<<8, true
	case "VP8L":
		bits := uint32(b[21]) | uint32(b[22])<<8 | uint32(b[23])<<16 | uint32(b[24])<<24
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
	case "VP8X":
		return 1 + int(b[24]) + int(b[25])<<8 + int(b[26])<<16, 1 + int(b[27]) + int(b[28])<<8 + int(b[29])<<16, true
	}
	return 0, 0, false
}
