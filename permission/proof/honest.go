package proof

import (
	"unicode"
	"unicode/utf8"
)

// honest refuses text that a person and a shell may read differently: control and
// format characters (bidirectional marks, zero-width, tags), blanks other than
// space, tab and newline, and bytes that are no UTF-8.
func honest(command string) error {
	for i := 0; i < len(command); {
		r, size := utf8.DecodeRuneInString(command[i:])
		i += size
		switch {
		case r == utf8.RuneError && size <= 1:
			return doubtf("it contains bytes that are not text")
		case r == '\n' || r == '\t' || r == ' ':
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r):
			return doubtf("it contains the hidden character U+%04X", r)
		case unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == 'ㅤ' || r == 'ᅟ' || r == 'ᅠ' || r == '⠀':
			return doubtf("it contains the unusual blank U+%04X", r)
		}
	}
	return nil
}

// plain reports whether s is ASCII without look-alikes: what a program's name, an
// option or a bare word that the shell might split must be.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// imitates reports whether s holds full-width forms of ASCII characters, which
// look like operators to a person and like letters to the shell.
func imitates(s string) bool {
	for _, r := range s {
		if r >= 0xFF01 && r <= 0xFF5E || r >= 0x2000 && r <= 0x206F && !unicode.IsLetter(r) && r != '–' && r != '—' && r != '…' && r != '’' && r != '‘' && r != '“' && r != '”' {
			return true
		}
	}
	return false
}
