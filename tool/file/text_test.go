package file

import (
	"bytes"
	"strings"
	"testing"
)

func mustEncode(t *testing.T, c Charset, s string) []byte {
	t.Helper()
	b, err := Text{Code: c}.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCharacterSetsAreRecognised(t *testing.T) {
	utf8Set, le, be, latin1, win, gb, sjis := Charsets()
	for name, c := range map[string]struct {
		raw  []byte
		want string
		body string
	}{
		"ascii":                    {[]byte("plain\n"), utf8Set.Name, "plain\n"},
		"utf-8":                    {[]byte("grün 漢字\n"), utf8Set.Name, "grün 漢字\n"},
		"utf-8 with mark":          {[]byte("\xEF\xBB\xBFfirst\n"), utf8Set.Name, "first\n"},
		"empty":                    {nil, utf8Set.Name, ""},
		"utf-16 le with mark":      {append([]byte{0xFF, 0xFE}, mustEncode(t, le, "word 漢字\r\n")...), le.Name, "word 漢字\r\n"},
		"utf-16 be with mark":      {append([]byte{0xFE, 0xFF}, mustEncode(t, be, "word 漢字\r\n")...), be.Name, "word 漢字\r\n"},
		"utf-16 le bare":           {mustEncode(t, le, "plain words\n"), le.Name, "plain words\n"},
		"utf-16 be bare":           {mustEncode(t, be, "plain words\n"), be.Name, "plain words\n"},
		"latin-1, one letter":      {[]byte("const x = 1;\n// caf\xe9 note\n"), win.Name, "const x = 1;\n// café note\n"},
		"latin-1, german":          {mustEncode(t, latin1, "für die Größe über Straße, schön\n"), win.Name, "für die Größe über Straße, schön\n"},
		"latin-1, french":          {mustEncode(t, latin1, "l'été dernier, à la forêt près de là où ça s'arrête\n"), win.Name, "l'été dernier, à la forêt près de là où ça s'arrête\n"},
		"latin-1, swedish":         {mustEncode(t, latin1, "Smörgåsbord på ön är för små\n"), win.Name, "Smörgåsbord på ön är för små\n"},
		"latin-1, spanish":         {mustEncode(t, latin1, "¿Qué año? El niño está aquí\n"), win.Name, "¿Qué año? El niño está aquí\n"},
		"windows-1252":             {mustEncode(t, win, "it’s “quoted” – €5\n"), win.Name, "it’s “quoted” – €5\n"},
		"gb18030":                  {mustEncode(t, gb, "// 计算总和\nint 总和 = 0; // 中文注释\n"), gb.Name, "// 计算总和\nint 总和 = 0; // 中文注释\n"},
		"gb18030, one word":        {mustEncode(t, gb, "name = \"中国\"\n"), gb.Name, "name = \"中国\"\n"},
		"gb18030, four bytes":      {mustEncode(t, gb, "中文文本和表情 😀\n"), gb.Name, "中文文本和表情 😀\n"},
		"shift-jis":                {mustEncode(t, sjis, "// 合計を計算する\nint x; // ソフト\n"), sjis.Name, "// 合計を計算する\nint x; // ソフト\n"},
		"shift-jis, backslash":     {[]byte("x = \"\x83\x5c\"; // word\n"), sjis.Name, "x = \"ソ\"; // word\n"},
		"shift-jis, kanji mostly":  {mustEncode(t, sjis, "日本語の文字列を表示\n"), sjis.Name, "日本語の文字列を表示\n"},
		"utf-8 with a broken byte": {[]byte("漢字と漢字と漢字 \xe9 漢字と漢字\n"), utf8Set.Name, "漢字と漢字と漢字 \xe9 漢字と漢字\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Decode(c.raw)
			if !ok || got.Code.Name != c.want || got.Body != c.body {
				t.Fatalf("read as %s %q, text %t; want %s %q", got.Code.Name, got.Body, ok, c.want, c.body)
			}
			back, err := got.Encode(got.Body)
			if err != nil || !bytes.Equal(back, c.raw) {
				t.Errorf("written back as %q, %v", back, err)
			}
		})
	}
}

func TestWhatIsNoTextIsNotTakenForOne(t *testing.T) {
	for name, raw := range map[string][]byte{
		"png":           []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
		"elf":           []byte("\x7fELF\x02\x01\x01\x00\x00\x00"),
		"zeros":         make([]byte, 64),
		"gzip":          []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"),
		"utf-32 le":     []byte("\xff\xfe\x00\x00a\x00\x00\x00"),
		"control bytes": []byte(strings.Repeat("\x01\x02\x03", 30)),
	} {
		if got, ok := Decode(raw); ok {
			t.Errorf("%s is taken for %s text", name, got.Code.Name)
		}
	}
}

func TestACharacterThatTheSetLacksIsNamed(t *testing.T) {
	got, ok := Decode([]byte("caf\xe9 and more\n"))
	if !ok {
		t.Fatal("not read")
	}
	_, err := got.Encode("a → b")
	if err == nil || !strings.Contains(err.Error(), "'→' (U+2192)") || !strings.Contains(err.Error(), "Windows-1252") {
		t.Errorf("err = %v", err)
	}
}

// FuzzDecode shows that whatever is taken for text gives the same bytes back.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("caf\xe9 note"))
	f.Add([]byte("\xff\xfea\x00"))
	f.Add([]byte("\x83\x5c\x82\xa0"))
	f.Add([]byte("\xc4\xe3\xba\xc3"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := Decode(raw)
		if !ok {
			return
		}
		back, err := got.Encode(got.Body)
		if err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("%q is read as %s and written back as %q, %v", raw, got.Code.Name, back, err)
		}
	})
}
