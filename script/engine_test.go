package script_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"testing"

	"fairlead/script/fuel"
	"fairlead/testkit"
)

//go:generate go test . -run EngineIsFresh -count=1 -update

// What is vendored, from npm quickjs-wasi 3.7.0; see docs/dependencies.md.
const (
	vendoredSHA256 = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"
	fueledSHA256   = "e7966e1f6ed6137b004e34b3cb7c1ed94dad6fed9870a9f4eb6ec38d2d804f08"
)

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// The embedded engine is the vendored one with the counter written into it, and
// nothing else.
func TestTheEngineIsFresh(t *testing.T) {
	vendored, err := os.ReadFile("quickjs/quickjs.wasm")
	if err != nil {
		t.Fatal(err)
	}
	if got := sum(vendored); got != vendoredSHA256 {
		t.Fatalf("the vendored engine is %s, not %s", got, vendoredSHA256)
	}
	fueled, counts, err := fuel.Rewrite(vendored, "env", "host_interrupt")
	if err != nil {
		t.Fatal(err)
	}
	if want := (fuel.Counts{Functions: 1704, Loops: 1278}); counts != want {
		t.Errorf("the counter stands in %+v, want %+v", counts, want)
	}
	if got := sum(fueled); got != fueledSHA256 {
		t.Errorf("the engine with its counter is %s, not %s (%d bytes)", got, fueledSHA256, len(fueled))
	}
	if testkit.Updating() {
		testkit.Golden(t, "quickjs/fuel.wasm.gz", pack(t, fueled))
	}
	if got := sum(unpack(t, "quickjs/fuel.wasm.gz")); got != fueledSHA256 {
		t.Errorf("the embedded engine is %s, not %s; run go generate", got, fueledSHA256)
	}
}

func pack(t *testing.T, b []byte) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func unpack(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A decoder that has lost its place stops.
func TestTheCounterIsNotWrittenIntoWhatIsNotUnderstood(t *testing.T) {
	vendored, err := os.ReadFile("quickjs/quickjs.wasm")
	if err != nil {
		t.Fatal(err)
	}
	cut := vendored[:len(vendored)-200_000]
	simd := []byte("\x00asm\x01\x00\x00\x00" +
		"\x01\x04\x01\x60\x00\x00" + // a type
		"\x02\x0a\x01\x03env\x03ask\x00\x00" + // an import
		"\x03\x02\x01\x00" + // a function
		"\x06\x01\x00" + // no global
		"\x0a\x06\x01\x04\x00\xfd\x0c\x0b") // a body with an instruction of another proposal
	for name, module := range map[string][]byte{"nothing": nil, "text": []byte("hello, world"), "cut off": cut, "other instructions": simd} {
		if _, _, err := fuel.Rewrite(module, "env", "ask"); err == nil {
			t.Errorf("%s was rewritten", name)
		}
	}
}
