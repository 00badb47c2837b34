package settings_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairlead/fault"
	"fairlead/settings"

	"github.com/google/go-cmp/cmp"
)

// ring is a keyring in memory; broken is what every call answers, if not nil.
type ring struct {
	values map[string]string
	broken error
}

func (r *ring) Get(_, name string) (string, error) {
	v, ok := r.values[name]
	if !ok {
		return "", errors.Join(r.broken, settings.ErrNotInKeyring)
	}
	return v, r.broken
}

func (r *ring) Set(_, name, value string) error {
	if r.broken == nil {
		r.values[name] = value
	}
	return r.broken
}

func (r *ring) Delete(_, name string) error {
	delete(r.values, name)
	return r.broken
}

func credentials(t *testing.T, o settings.CredentialOptions) *settings.Credentials {
	t.Helper()
	c, err := settings.OpenCredentials(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const canary = "canary-4f1c-8a77-key"

func TestCredentialsAreFoundInOrder(t *testing.T) {
	home := t.TempDir()
	keys := &ring{values: map[string]string{}}
	env := map[string]string{}
	o := settings.CredentialOptions{Home: home, Environ: func(n string) string { return env[n] }}
	get := func(c *settings.Credentials, want string, from settings.Source) {
		t.Helper()
		if v, source, err := c.Get(t.Context(), "X_API_KEY"); err != nil || v != want || source != from {
			t.Errorf("got %q from %s, %v; want %q from %s", v, source, err, want, from)
		}
	}
	plain := credentials(t, o)
	if _, _, err := plain.Get(t.Context(), "X_API_KEY"); !fault.Is(err, fault.NotFound) || fault.CodeOf(err) != "credential-missing" {
		t.Errorf("got %v", err)
	}
	if source, err := plain.Set(t.Context(), "X_API_KEY", canary+"-file\n"); err != nil || source != settings.FromFile {
		t.Errorf("set: %s, %v", source, err)
	}
	get(plain, canary+"-file", settings.FromFile)
	o.Keyring = keys
	withRing := credentials(t, o)
	get(withRing, canary+"-file", settings.FromFile)
	if source, err := withRing.Set(t.Context(), "X_API_KEY", canary+"-ring"); err != nil || source != settings.FromKeyring {
		t.Errorf("set: %s, %v", source, err)
	}
	get(withRing, canary+"-ring", settings.FromKeyring)
	if text := content(t, filepath.Join(home, "credentials.json")); strings.Contains(text, canary) {
		t.Errorf("the file still holds a value: %s", text)
	}
	list, err := withRing.List()
	if diff := cmp.Diff([]settings.Credential{{Name: "X_API_KEY", Source: settings.FromKeyring}}, list); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if _, _, err := plain.Get(t.Context(), "X_API_KEY"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without the keyring: %v", err)
	}
	env["X_API_KEY"] = canary + "-env"
	get(withRing, canary+"-env", settings.FromEnvironment)
	if err := withRing.Delete(t.Context(), "X_API_KEY"); err != nil || len(keys.values) > 0 {
		t.Errorf("delete: %v, %v", err, keys.values)
	}
	if err := withRing.Delete(t.Context(), "X_API_KEY"); !fault.Is(err, fault.NotFound) {
		t.Errorf("delete twice: %v", err)
	}
}

func TestAKeyringThatFailsLeavesTheKeyInTheFile(t *testing.T) {
	home := t.TempDir()
	var log bytes.Buffer
	c := credentials(t, settings.CredentialOptions{Home: home, Keyring: &ring{broken: errors.New("locked")}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if source, err := c.Set(t.Context(), "k", canary); err != nil || source != settings.FromFile {
		t.Errorf("set: %s, %v", source, err)
	}
	if v, source, err := c.Get(t.Context(), "k"); v != canary || source != settings.FromFile || err != nil {
		t.Errorf("got %q %s %v", v, source, err)
	}
	if !strings.Contains(log.String(), "locked") || strings.Contains(log.String(), canary) {
		t.Errorf("log: %s", log.String())
	}
}

func TestABrokenCredentialsFileIsNeverOverwritten(t *testing.T) {
	for name, text := range map[string]string{"broken": `{"credentials": {`, "newer": `{"version": 99, "credentials": {}}`} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			path := filepath.Join(home, "credentials.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := credentials(t, settings.CredentialOptions{Home: home})
			_, setErr := c.Set(t.Context(), "k", canary)
			_, _, getErr := c.Get(t.Context(), "k")
			_, listErr := c.List()
			for _, err := range []error{setErr, getErr, listErr, c.Delete(t.Context(), "k")} {
				if !fault.Is(err, fault.Invalid) {
					t.Errorf("got %v", err)
				}
			}
			if content(t, path) != text {
				t.Error("the file was changed")
			}
		})
	}
}

func TestKeysAreOneLineOfText(t *testing.T) {
	c := credentials(t, settings.CredentialOptions{Home: t.TempDir()})
	for _, value := range []string{"", " \n", "two\nlines", "nul\x00"} {
		if _, err := c.Set(t.Context(), "k", value); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", value, err)
		}
	}
	if _, err := c.Set(t.Context(), "", "value"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no name: %v", err)
	}
}

func TestEveryValueSeenIsRedacted(t *testing.T) {
	home := t.TempDir()
	first := credentials(t, settings.CredentialOptions{Home: home})
	if _, err := first.Set(context.Background(), "k", canary); err != nil {
		t.Fatal(err)
	}
	later := credentials(t, settings.CredentialOptions{Home: home})
	for _, c := range []*settings.Credentials{first, later} {
		if got := c.Redactor().Text("x " + canary + " y"); got != "x [redacted k] y" {
			t.Errorf("got %q", got)
		}
	}
}
