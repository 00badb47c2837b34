package pdf

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// build writes a file of numbered objects, the first of which is the catalog.
func build(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer\n<</Root 1 0 R>>\n%%EOF\n")
	return b.Bytes()
}

func plain(content string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
}

func packed(extra, content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(content))
	w.Close()
	return fmt.Sprintf("<</Length %d/Filter/FlateDecode%s>>\nstream\n%s\nendstream", b.Len(), extra, b.String())
}

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

func onePage(content string, more ...string) []byte {
	return build(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F1 5 0 R/F2 6 0 R>>/XObject<</X1 7 0 R>>>>>>", "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", content, helvetica}, more...)...)
}

func TestTextIsReadAsItStandsOnThePage(t *testing.T) {
	cmap := packed("", "begincmap\n1 begincodespacerange <0000><ffff> endcodespacerange\n2 beginbfchar <0001> <6F22> <0002> <5B57> endbfchar\n1 beginbfrange <0010> <0012> <0061> endbfrange\n1 beginbfrange <0020> <0021> [<00660069> <D83DDE00>] endbfrange\nendcmap")
	wide := "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 8 0 R/DescendantFonts[<</DW 1000/W[16[500 500 500]]>>]>>"
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"plain":        {onePage(plain("BT /F1 12 Tf 72 700 Td (Hello \\(PDF\\)) Tj 0 -14 Td (caf\\351 \\200) Tj ET")), []string{"Hello (PDF)\ncafé €"}},
		"packed":       {onePage(packed("", "BT /F1 12 Tf 72 700 Td [(Hel) 20 (lo) -300 (there)] TJ T* ET")), []string{"Hello there"}},
		"hex":          {onePage(plain("BT /F1 12 Tf <48 65 6c6C 6F> Tj ET")), []string{"Hello"}},
		"paragraphs":   {onePage(plain("BT /F1 12 Tf 14 TL 72 700 Td (one) Tj T* (two) Tj 0 -40 Td (three) Tj (next) ' ET")), []string{"one\ntwo\n\nthree\nnext"}},
		"columns":      {onePage(plain("BT /F1 12 Tf 72 700 Td (left) Tj 200 0 Td (right) Tj ET")), []string{"left right"}},
		"two bytes":    {onePage(plain("BT /F2 12 Tf <00010002> Tj <001000110012> Tj <00200021> Tj ET"), wide, plain(""), cmap), []string{"漢字abcfi😀"}},
		"named glyphs": {onePage(plain("BT /F2 12 Tf (\\001\\002\\003\\004) Tj ET"), "<</Type/Font/Subtype/Type1/Encoding<</Differences[1/A/fi/uni20AC/quoteright]>>>>"), []string{"Afi€’"}},
		"a form":       {onePage(plain("/X1 Do"), helvetica, "<</Subtype/Form/Length 30>>\nstream\nBT /F1 9 Tf (in a form) Tj ET   \nendstream"), []string{"in a form"}},
		"a picture":    {onePage(plain("/X1 Do"), helvetica, "<</Subtype/Image/Length 2>>\nstream\nxx\nendstream"), []string{"[no text on this page; 1 pictures]"}},
		"wrong length": {onePage("<</Length 3>>\nstream\nBT /F1 12 Tf (whole) Tj ET\nendstream"), []string{"whole"}},
		"pages in order": {build("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 4 0 R]/Resources<</Font<</F1 9 0 R>>>>>>", "<</Type/Pages/Kids[6 0 R 5 0 R]>>", "<</Type/Page/Contents[7 0 R 8 0 R]>>",
			"<</Type/Page/Contents 7 0 R>>", "<</Type/Page/Contents 8 0 R>>", plain("BT /F1 12 Tf (seven) Tj ET"), plain("BT /F1 12 Tf (eight) Tj ET"), helvetica), []string{"eight", "seven", "seven eight"}},
		"objects in a stream": {build("<</Type/Catalog/Pages 11 0 R>>", packed("/Type/ObjStm/N 2/First 10", "11 0 12 29<</Type/Pages/Kids[12 0 R] >><</Type/Page/Contents 3 0 R/Resources<</Font<</F1 4 0 R>>>>>>"), plain("BT /F1 12 Tf (deep) Tj ET"), helvetica), []string{"deep"}},
		"a circle":            {build("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 3 0 R]>>", "<</Type/Page/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>", plain("/X Do BT (end) Tj ET"), "<</Subtype/Form/Length 5>>\nstream\n/X Do\nendstream"), []string{"end"}},
	} {
		got, err := Text(t.Context(), c.file)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestFilesWithoutReadableTextSayWhy(t *testing.T) {
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"no PDF":    {[]byte("hello"), ErrNotPDF},
		"encrypted": {bytes.Replace(onePage(plain("x")), []byte("/Root 1 0 R"), []byte("/Root 1 0 R/Encrypt 9 0 R"), 1), ErrEncrypted},
		"no pages":  {build("<</Type/Catalog>>"), ErrNoPages},
		"cut":       {[]byte("%PDF-1.4\n1 0 obj\n<</Type/Cat"), ErrNoPages},
	} {
		if _, err := Text(t.Context(), c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Text(stopped, onePage(plain("x"))); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestHostileFilesCostBoundedWork(t *testing.T) {
	for name, data := range map[string][]byte{
		"open dictionaries": []byte("%PDF-1.4\n" + strings.Repeat("1 0 obj <<", 20_000)),
		"deep":              []byte("%PDF-1.4\n1 0 obj " + strings.Repeat("[", 200_000)),
		"open streams":      []byte("%PDF-1.4\n" + strings.Repeat("1 0 obj <<>> stream ", 20_000)),
		"zeros, packed":     onePage(packed("", strings.Repeat("\x00", 8<<20))),
	} {
		if pages, err := Text(t.Context(), data); err == nil && len(pages) > 1 {
			t.Errorf("%s: %d pages", name, len(pages))
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(onePage(plain("BT /F1 12 Tf 72 700 Td (Hello) Tj [(a) -300 <62>] TJ ET")))
	f.Add(onePage(packed("", "q 1 0 0 1 0 0 cm BT /F1 1 Tf (x) ' ET Q BI ID x EI")))
	f.Add(build("<</Type/Catalog/Pages 2 0 R>>", "<</Kids[2 0 R]>>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		// Whatever the bytes are, reading ends without a panic.
		_, _ = Text(t.Context(), data)
	})
}
