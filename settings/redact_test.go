package settings_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"fairlead/settings"
)

func TestRedactorTakesOutKnownValuesAndCommonShapes(t *testing.T) {
	r := &settings.Redactor{}
	r.Know("A", "short") // a word, not a secret
	r.Know("B", "abcdefgh")
	r.Know("C", "abcdefgh-and-more")
	long := strings.Repeat("A1b2", 10)
	for text, want := range map[string]string{
		"nothing here, short":                     "nothing here, short",
		"x=abcdefgh;":                             "x=[redacted B];",
		"abcdefgh-and-more":                       "[redacted C]",
		"Bearer sk-ant-" + long:                   "Bearer [redacted API key]",
		"ghp_" + long[:36]:                        "[redacted GitHub token]",
		"key AKIAABCDEFGHIJKLMNOP.":               "key [redacted AWS key id].",
		"sk-short and a task-list stay":           "sk-short and a task-list stay",
		"eyJ" + long + ".eyJ" + long + "." + long: "[redacted signed token]",
		"a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb": "a\n[redacted private key]\nb",
		"-----BEGIN PRIVATE KEY-----\ncut":                                          "[redacted private key]",
	} {
		if got := r.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if r.Secret(text) != (text != want) {
			t.Errorf("Secret(%q) disagrees", text)
		}
	}
}

func TestLogsCarryNoSecret(t *testing.T) {
	var out bytes.Buffer
	r := &settings.Redactor{}
	r.Know("K", canary)
	log := slog.New(r.Handler(slog.NewJSONHandler(&out, nil)))
	log.With("with", canary).WithGroup("g").Info("message "+canary,
		"text", canary, "error", fmt.Errorf("wrapped: %w", errors.New(canary)), "any", struct{ V string }{canary},
		slog.Group("inner", "v", canary), "number", 42)
	if text := out.String(); strings.Contains(text, canary) || !strings.Contains(text, `"number":42`) || strings.Count(text, "[redacted K]") != 6 {
		t.Error(text)
	}
}

func BenchmarkRedact(b *testing.B) {
	r := &settings.Redactor{}
	r.Know("K", canary)
	r.Know("L", canary+"-2")
	text := strings.Repeat("an ordinary line of a tool's output, with words and = signs\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
