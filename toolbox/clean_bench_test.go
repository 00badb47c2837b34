package toolbox

import (
	"bytes"
	"testing"
)

// BenchmarkCleaning is what an output costs on its way: per byte of plain lines, of
// colours and of a progress bar.
func BenchmarkCleaning(b *testing.B) {
	for name, line := range map[string]string{
		"plain":    "2026-01-01 12:00:00 INFO the quick brown fox jumps over the lazy dog\n",
		"colours":  "\x1b[32mok\x1b[0m \x1b[1mpackage\x1b[0m/name \x1b[38;5;244m0.01s\x1b[0m\n",
		"progress": "downloading  42%\rdownloading  43%\r",
	} {
		b.Run(name, func(b *testing.B) {
			chunk := bytes.Repeat([]byte(line), 32<<10/len(line))
			b.SetBytes(int64(len(chunk)))
			o := newOutput(nil)
			defer o.close()
			for b.Loop() {
				o.Write(chunk)
			}
		})
	}
}
