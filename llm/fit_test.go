package llm_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"fairlead/llm"
)

// noise is a picture that hardly compresses.
func noise(width, height int) image.Image {
	r := rand.New(rand.NewPCG(1, 1))
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range p.Pix {
		p.Pix[i] = uint8(r.Uint32())
	}
	return p
}

func asPNG(t *testing.T, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPicturesAreMadeToFit(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, noise(900, 500), nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		in         []byte
		mime       string
		side, size int
		width      int // of what comes out
		height     int
		format     string
	}{
		{"fits", drawing(t, 300, 200), "image/png", 300, 1 << 20, 300, 200, "png"},
		{"too wide", drawing(t, 9000, 100), "image/png", 2000, 1 << 20, 2000, 22, "png"},
		{"a thin one keeps a pixel", drawing(t, 9000, 1), "image/png", 2000, 1 << 20, 2000, 1, "png"},
		{"too many bytes as PNG", asPNG(t, noise(400, 400)), "image/png", 2000, 200_000, 400, 400, "jpeg"},
		{"too many bytes as JPEG", photo.Bytes(), "image/jpeg", 2000, photo.Len() / 2, 506, 281, "jpeg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, mime, err := llm.FitPicture(c.in, c.mime, c.side, c.size)
			if err != nil {
				t.Fatal(err)
			}
			config, format, err := image.DecodeConfig(bytes.NewReader(out))
			if err != nil || config.Width != c.width || config.Height != c.height || format != c.format || mime != "image/"+format || len(out) > c.size {
				t.Errorf("%d×%d %s %s of %d bytes, %v", config.Width, config.Height, format, mime, len(out), err)
			}
			again, _, err := llm.FitPicture(c.in, c.mime, c.side, c.size)
			if err != nil || !bytes.Equal(out, again) {
				t.Error("the same picture came out otherwise")
			}
		})
	}
}

func TestScalingKeepsColours(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 400, 400))
	for y := range 400 {
		for x := range 400 {
			c := color.NRGBA{R: 200, G: 100, B: 50, A: 255}
			if x >= 200 {
				c = color.NRGBA{}
			}
			p.SetNRGBA(x, y, c)
		}
	}
	out, _, err := llm.FitPicture(asPNG(t, p), "image/png", 100, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	small, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[int]color.NRGBA{10: {200, 100, 50, 255}, 90: {}} {
		if got := color.NRGBAModel.Convert(small.At(x, 50)); got != want {
			t.Errorf("at %d: %v, want %v", x, got, want)
		}
	}
}

func TestPicturesThatCannotFitAreErrors(t *testing.T) {
	webp := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x00\x00\x00\x00\x00\x00\x00\x00"), 0xff, 0xff, 0, 10, 0, 0)
	for name, c := range map[string]struct {
		in   []byte
		mime string
		size int
	}{
		"no picture":      {[]byte("hello"), "image/png", 1 << 20},
		"hardly any room": {asPNG(t, noise(100, 100)), "image/png", 10},
		"a large WebP":    {webp, "image/webp", 1 << 20},
		"a damaged WebP":  {[]byte("RIFF"), "image/webp", 1 << 20},
	} {
		if out, _, err := llm.FitPicture(c.in, c.mime, 2000, c.size); err == nil {
			t.Errorf("%s: %d bytes came out", name, len(out))
		}
	}
	small := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x00\x00\x00\x00\x00\x00\x00\x00"), 99, 0, 0, 49, 0, 0)
	if out, mime, err := llm.FitPicture(small, "image/webp", 100, 100); err != nil || !bytes.Equal(out, small) || mime != "image/webp" {
		t.Errorf("a small WebP: %v", err)
	}
}

func FuzzFitPicture(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff\x08\x06\x00\x00\x00"), uint8(0))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8L"), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, kind uint8) {
		mime := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}[kind%4]
		if out, _, err := llm.FitPicture(b, mime, 100, 10_000); err == nil && len(out) > 10_000 {
			t.Errorf("%d bytes came out", len(out))
		}
	})
}
