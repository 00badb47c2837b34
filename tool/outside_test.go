package tool_test

import (
	"testing"

	"fairlead/tool"
)

func TestTextFromOutsideCannotSteerOrHide(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext": "plain\n\ttext", "\x1b[2Jx\x07\r": "[2Jx", "a\u202eb\u200bc\ufeff": "abc", "\U000e0041hidden": "hidden", "\xffx": "\uFFFDx", "می\u200cخواهم": "می\u200cخواهم",
	} {
		if got := tool.Outside(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := tool.OutsideLine("  one\n two\x00 three ", 9); got != "one two …" {
		t.Errorf("a line of nine characters: %q", got)
	}
}
