package session_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"fairlead/session"
)

// rechain computes the hashes of changed lines anew, from nothing but what the
// format promises, so that it also checks the format.
func rechain(t testing.TB, id session.ID, log []byte) []byte {
	t.Helper()
	prev := string(id)
	var out []byte
	for line := range bytes.Lines(log) {
		i := bytes.LastIndex(line, []byte(`,"h":`))
		if i < 0 {
			t.Fatalf("a line without a hash: %s", line)
		}
		sum := sha256.Sum256(append([]byte(prev), line[:i]...))
		prev = hex.EncodeToString(sum[:])[:32]
		out = append(out, line[:i]...)
		out = append(out, `,"h":"`+prev+"\"}\n"...)
	}
	return out
}

func TestTheHashChainIsWhatTheFormatSays(t *testing.T) {
	dir := t.TempDir()
	id := recorded(t, dir, 60)
	log := bytesOf(t, logFile(dir, id))
	if got := rechain(t, id, log); !bytes.Equal(got, log) {
		t.Error("hashes computed from the format differ from those written")
	}
}
