package session_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"fairlead/session"
)

func TestATitleIsOneShortLineThatCannotDressUp(t *testing.T) {
	long := strings.Repeat("长", 200)
	for text, want := range map[string]string{
		"":                                     "",
		" \n\t\n":                              "",
		"\u202e\u2066\u200b\n\x00\x1b":         "",
		"Fix the build\nand the tests":         "Fix the build",
		"\n\n# Fix the build":                  "Fix the build",
		"a\tb\u00a0c\u3000d":                   "a b c d",
		"safe\u202egpj.exe":                    "safegpj.exe",
		"red\x1b[31m alert\x07":                "red [31m alert",
		"修复构建,然后运行测试":                          "修复构建,然后运行测试",
		"می\u200cخواهم":                        "می\u200cخواهم",
		"👩\u200d💻 at work":                     "👩\u200d💻 at work",
		"half \xff\xfe bytes":                  "half \ufffd\ufffd bytes",
		long:                                   long[:79*3] + "…",
		strings.Repeat("word ", 40):            strings.TrimSpace(strings.Repeat("word ", 15)) + "…",
		"one\u2028two\u2029three":              "one two three",
		"\U000e0041\U000e0042tagged\U000e007f": "tagged",
	} {
		got := session.CleanTitle(text)
		if got != want {
			t.Errorf("the title of %q is %q, want %q", text, got, want)
		}
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 80 {
			t.Errorf("%q is no title", got)
		}
	}
}
