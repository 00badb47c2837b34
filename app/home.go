package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"fairlead/fault"
)

// Home is Fairlead's home folder.
type Home string

// HomeOf finds the home folder: $FAIRLEAD_HOME, else .fairlead in the person's own.
func HomeOf(environ func(string) string) (string, error) {
	if dir := environ("FAIRLEAD_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	user := environ("HOME")
	if user == "" {
		return "", fault.New(fault.Invalid, "app.home", "Neither FAIRLEAD_HOME nor HOME is set, so there is no place for sessions. Nothing was started; set one of them.")
	}
	return filepath.Join(user, ".fairlead"), nil
}

// OpenHome makes the home folder where it is missing, readable by its owner alone,
// and checks that it can be written.
func OpenHome(dir string) (Home, error) {
	h := Home(dir)
	for _, d := range []string{dir, h.Sessions(), h.run()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return "", unwritable(dir, err)
		}
	}
	// Access is asked of the kernel, which knows of read-only file systems too.
	for _, d := range []string{dir, h.Sessions()} {
		if err := syscall.Access(d, 2); err != nil {
			return "", unwritable(dir, err)
		}
	}
	return h, nil
}

func unwritable(dir string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fault.Wrap(fault.Unavailable, "app.home", err, "The disk of %s is full. Nothing was started; free some space there.", dir).WithCode("disk-full")
	}
	return fault.Wrap(fault.Invalid, "app.home", err, "Fairlead's home folder %s cannot be written. Nothing was started; make it writable, or set FAIRLEAD_HOME to a folder that is.", dir).WithCode("home-unwritable")
}

// Sessions is where the logs are.
func (h Home) Sessions() string { return filepath.Join(string(h), "sessions") }

// Trust is the file of what was approved to be started or used, by digest.
func (h Home) Trust() string { return filepath.Join(string(h), "trust.json") }

// Rules is the file of standing permissions.
func (h Home) Rules() string { return filepath.Join(string(h), "rules.yaml") }

// Devices is the file of the browsers that may use the page.
func (h Home) Devices() string { return filepath.Join(h.run(), "devices.json") }

// Opener is the file through which a browser is sent to the page.
func (h Home) Opener() string { return filepath.Join(h.run(), "open.html") }

// Catalog is the index over all sessions; it may be deleted at any time.
func (h Home) Catalog() string { return filepath.Join(string(h), "catalog.db") }

// Tasks is the folder of the scheduled tasks and of what became of them.
func (h Home) Tasks() string { return filepath.Join(string(h), "tasks") }

// Plugins is the folder of plugins, with the list of those that were reviewed.
func (h Home) Plugins() string { return filepath.Join(string(h), "plugins") }

// External is the folder of what external agents printed.
func (h Home) External() string { return filepath.Join(string(h), "external") }

// Compiled is where the engine for programs keeps its machine code; it may be deleted
// at any time.
func (h Home) Compiled() string { return filepath.Join(string(h), "cache", "wasm") }

func (h Home) run() string  { return filepath.Join(string(h), "run") }
func (h Home) host() string { return filepath.Join(h.run(), "host.json") }

// HostRecord is run/host.json: how other processes find the host that serves the page.
type HostRecord struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Address string    `json:"address"`
	// TokenFile is where a program of this person finds the token for the address.
	TokenFile string `json:"tokenFile"`
}

// Announce writes the record of this host with a token for local programs; withdraw
// takes both away again. A record of a host that died is replaced.
func (h Home) Announce(address, token string) (withdraw func() error, err error) {
	tokens := filepath.Join(h.run(), "token")
	if err := writeFile(tokens, []byte(token)); err != nil {
		return nil, unwritable(string(h), err)
	}
	record, err := json.Marshal(HostRecord{PID: os.Getpid(), Started: time.Now(), Address: address, TokenFile: tokens})
	if err != nil {
		return nil, err
	}
	if err := writeFile(h.host(), record); err != nil {
		return nil, unwritable(string(h), err)
	}
	return func() error { return errors.Join(remove(h.host()), remove(tokens), remove(h.Opener())) }, nil
}

// Running gives the record of the host that runs on this home, if one does.
func (h Home) Running() (HostRecord, bool) {
	var r HostRecord
	text, err := os.ReadFile(h.host())
	if err != nil || json.Unmarshal(text, &r) != nil {
		return r, false
	}
	p, err := os.FindProcess(r.PID)
	return r, err == nil && p.Signal(syscall.Signal(0)) == nil
}

// writeFile replaces a file as a whole, readable by its owner alone.
func writeFile(path string, text []byte) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
