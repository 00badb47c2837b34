package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	namePrefix  = "mcp__"
	longestName = 64 // what every provider takes
	hashChars   = 8
)

// wireName is the name under which a model sees a tool of a server. It depends on
// both names alone, so it is the same after a restart, and where it had to be changed
// to fit, a hash of them keeps it apart from any other.
func wireName(server, tool string) string {
	fits := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, tool)
	name := namePrefix + server + "__" + fits
	if fits == tool && len(name) <= longestName && !strings.Contains(server, "__") {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return name[:min(len(name), longestName-1-hashChars)] + "_" + hex.EncodeToString(sum[:])[:hashChars]
}
