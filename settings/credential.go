package settings

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairlead/config"
	"fairlead/fault"
)

// Source is where a credential is kept.
type Source string

// The sources, in the order they are asked.
const (
	FromEnvironment Source = "environment"
	FromKeyring     Source = "keyring"
	FromFile        Source = "file"
)

// Credential says that there is one, never what it is.
type Credential struct {
	Name   string `json:"name"`
	Source Source `json:"source"`
}

// CredentialOptions say where credentials are looked for.
type CredentialOptions struct {
	// Home is the folder of credentials.json.
	Home string
	// Environ looks up a variable of the environment by name; nil finds none.
	Environ func(name string) string
	// Keyring is the system's; nil means that there is none and the file is used.
	Keyring Keyring
	// Redactor learns every value that is read or stored; nil makes a new one.
	Redactor *Redactor
	// Log hears when the keyring cannot be used; nil discards.
	Log *slog.Logger
}

// Credentials keeps the keys of model providers: in the environment, whose names
// count as credential names, in the system's keyring, or where there is none in
// credentials.json, readable by its owner alone. Values can be read by the process
// that needs them and by nobody through an interface.
type Credentials struct {
	environ  func(string) string
	ring     Keyring
	redactor *Redactor
	log      *slog.Logger
	file     *file
}

// stored is credentials.json. A credential in the keyring stands in it by name only.
type stored struct {
	Version     int              `json:"version"`
	Credentials map[string]entry `json:"credentials"`
}

type entry struct {
	Value   string `json:"value,omitempty"`
	Keyring bool   `json:"keyring,omitempty"`
}

const storedVersion = 1

// OpenCredentials makes the store. Nothing is read before it is asked for, but the
// file, so that the redactor knows its values from the start.
func OpenCredentials(o CredentialOptions) (*Credentials, error) {
	c := &Credentials{environ: o.Environ, ring: o.Keyring, redactor: o.Redactor, log: o.Log, file: &file{path: filepath.Join(o.Home, "credentials.json")}}
	if c.environ == nil {
		c.environ = func(string) string { return "" }
	}
	if c.redactor == nil {
		c.redactor = &Redactor{}
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	s, err := c.load()
	if err != nil {
		// A broken file hides what it holds, it must not keep the product from starting.
		c.log.Error("credentials not read", "error", err)
		return c, nil
	}
	for name, e := range s.Credentials {
		c.redactor.Know(name, e.Value)
	}
	return c, nil
}

// Redactor knows every value that was read or stored.
func (c *Credentials) Redactor() *Redactor { return c.redactor }

// Get gives a credential's value and where it came from. The name may be that of an
// environment variable. One that is nowhere is NotFound with code
// "credential-missing".
func (c *Credentials) Get(ctx context.Context, name string) (string, Source, error) {
	if v := c.environ(name); v != "" {
		c.redactor.Know(name, v)
		return v, FromEnvironment, nil
	}
	s, err := c.load()
	if err != nil {
		return "", "", err
	}
	e, ok := s.Credentials[name]
	switch {
	case !ok:
		return "", "", fault.New(fault.NotFound, "settings.credential", "There is no key %s. Save one, or set the environment variable of that name.", name).WithCode("credential-missing")
	case !e.Keyring:
		return e.Value, FromFile, nil
	case c.ring == nil:
		return "", "", fault.New(fault.Unavailable, "settings.credential", "The key %s is in the system's keyring, which is not there now. Save it again, or log in to a session that has the keyring.", name)
	}
	v, err := ask(ctx, func() (string, error) { return c.ring.Get(ringService, name) })
	if err != nil {
		return "", "", fault.Wrap(fault.Unavailable, "settings.credential", err, "The key %s could not be read from the system's keyring. Unlock the keyring, or save the key again.", name)
	}
	c.redactor.Know(name, v)
	return v, FromKeyring, nil
}

// Set stores a value, in the keyring if there is one that works, else in the file,
// and says where. An environment variable of that name goes on to count first.
func (c *Credentials) Set(ctx context.Context, name, value string) (Source, error) {
	value = strings.TrimSpace(value)
	if name == "" || value == "" || strings.ContainsAny(value, "\x00\r\n") {
		return "", fault.New(fault.Invalid, "settings.credential", "A key has a name and is one line of text. Nothing was saved.")
	}
	c.redactor.Know(name, value)
	e, source := entry{Value: value}, FromFile
	if c.ring != nil {
		_, err := ask(ctx, func() (string, error) { return "", c.ring.Set(ringService, name, value) })
		if err == nil {
			e, source = entry{Keyring: true}, FromKeyring
		} else {
			c.log.Warn("keyring not usable; the key goes to the file", "name", name, "error", err)
		}
	}
	return source, c.change(ctx, func(s *stored) { s.Credentials[name] = e })
}

// Delete forgets a stored value. One that is not there is NotFound.
func (c *Credentials) Delete(ctx context.Context, name string) error {
	s, err := c.load()
	if err != nil {
		return err
	}
	e, ok := s.Credentials[name]
	if !ok {
		return fault.New(fault.NotFound, "settings.credential", "There is no saved key %s. Nothing was removed.", name)
	}
	if e.Keyring && c.ring != nil {
		_, err := ask(ctx, func() (string, error) { return "", c.ring.Delete(ringService, name) })
		if err != nil && !errors.Is(err, ErrNotInKeyring) {
			return fault.Wrap(fault.Unavailable, "settings.credential", err, "The key %s could not be removed from the system's keyring. It is still there.", name)
		}
	}
	return c.change(ctx, func(s *stored) { delete(s.Credentials, name) })
}

// List names the stored credentials, sorted, with where they are.
func (c *Credentials) List() ([]Credential, error) {
	s, err := c.load()
	if err != nil {
		return nil, err
	}
	list := []Credential{}
	for _, name := range slices.Sorted(maps.Keys(s.Credentials)) {
		source := FromFile
		if s.Credentials[name].Keyring {
			source = FromKeyring
		}
		list = append(list, Credential{name, source})
	}
	return list, nil
}

func (c *Credentials) load() (stored, error) {
	s := stored{Version: storedVersion}
	text, err := c.file.read()
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return s, fault.Wrap(fault.Invalid, "settings.credential", err, "The saved keys in %s cannot be read. Nothing was changed; repair or remove the file.", c.file.path)
	}
	if s.Version > storedVersion {
		return s, fault.New(fault.Invalid, "settings.credential", "The saved keys in %s were written by a newer Fairlead. Nothing was changed; upgrade this one.", c.file.path)
	}
	if s.Credentials == nil {
		s.Credentials = map[string]entry{}
	}
	return s, nil
}

// change rewrites the file.
func (c *Credentials) change(ctx context.Context, edit func(*stored)) error {
	unlock, err := c.file.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := c.load()
	if err != nil {
		return err
	}
	edit(&s)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fault.Wrap(fault.Internal, "settings.credential", err, "The keys could not be written. The old ones are intact.")
	}
	if err := config.Replace(c.file.path, append(text, '\n')); err != nil {
		return fault.Wrap(fault.Unavailable, "settings.credential", err, "The keys could not be saved. The old ones are intact; check that the disk has room.").WithCode(full(err))
	}
	return nil
}

// ask calls the keyring, which may hang behind a dialog nobody sees.
func ask(ctx context.Context, call func() (string, error)) (string, error) {
	type answer struct {
		value string
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		v, err := call()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
