package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fairlead/config"
	"fairlead/fault"
)

// Device is a browser or program that exchanged a start token. Of its token only
// the hash is kept.
type Device struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Hash    string `json:"hash"`
	Created int64  `json:"created"` // Unix milliseconds
	Seen    int64  `json:"seen"`    // Unix milliseconds, to the hour

	local bool          // this process's own; not stored
	gone  chan struct{} // closed when it is signed out; what it watches ends
}

// devices keeps who may speak: device tokens that survive restarts in a file with
// mode 0600, and start tokens that are good for one login each.
type devices struct {
	path string // "" keeps them in memory only
	now  func() time.Time

	mu     sync.Mutex
	list   []*Device
	starts []string
}

// seenEvery is how exact Seen is, so that the file is not written by reading.
const seenEvery = time.Hour

// oneTime bounds how many unused start tokens there are; the oldest lapses.
const oneTime = 16

func openDevices(path string, now func() time.Time) (*devices, error) {
	d := &devices{path: path, now: now}
	if path == "" {
		return d, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &d.list)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "server.devices", err, "The list of signed-in browsers (%s) cannot be read. Nothing was changed; move the file away to sign in anew.", path)
	}
	for _, dev := range d.list {
		dev.gone = make(chan struct{})
	}
	return d, nil
}

// secret makes a token of 256 random bits.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// start makes a token for one login.
func (d *devices) start() string {
	token := secret()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.starts = append(d.starts, hashOf(token))
	if len(d.starts) > oneTime {
		d.starts = d.starts[1:]
	}
	return token
}

// login exchanges a start token for a device token, once.
func (d *devices) login(token, name string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	given, at := hashOf(token), -1
	for i, s := range d.starts { // every one is compared, so the time tells nothing
		if same(s, given) {
			at = i
		}
	}
	if at < 0 {
		return "", refuse(401, fault.Denied, "login", "This link was used already or has lapsed. Make a new one in a signed-in window, or start Fairlead again.")
	}
	mine := secret()
	dev := &Device{ID: rand.Text()[:12], Name: name, Hash: hashOf(mine), Created: d.now().UnixMilli(), Seen: d.now().UnixMilli(), gone: make(chan struct{})}
	if err := d.save(append(slices.Clone(d.list), dev)); err != nil {
		return "", err
	}
	d.starts = slices.Delete(d.starts, at, at+1)
	return mine, nil
}

// own makes a token for programs of this machine that read the run folder; it
// ends with the process.
func (d *devices) own() string {
	token := secret()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, &Device{ID: "local", Name: "this machine", Hash: hashOf(token), Created: d.now().UnixMilli(), local: true, gone: make(chan struct{})})
	return token
}

// find gives a copy of the device a token belongs to, or nil.
func (d *devices) find(token string) *Device {
	if token == "" {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	given := hashOf(token)
	var found *Device
	for _, dev := range d.list {
		if same(dev.Hash, given) {
			found = dev
		}
	}
	if found == nil {
		return nil
	}
	if now := d.now(); now.Sub(time.UnixMilli(found.Seen)) > seenEvery {
		found.Seen = now.UnixMilli() // kept with the next change of the list
	}
	known := *found
	return &known
}

// all lists the devices without their hashes, newest first.
func (d *devices) all() []Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]Device, 0, len(d.list))
	for _, dev := range d.list {
		shown := *dev
		shown.Hash = ""
		list = append(list, shown)
	}
	slices.Reverse(list)
	return list
}

// revoke signs a device out and ends what it watches.
func (d *devices) revoke(id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.IndexFunc(d.list, func(dev *Device) bool { return dev.ID == id && !dev.local })
	if at < 0 {
		return fault.New(fault.NotFound, "server.revoke", "No signed-in browser has the id %s. Nothing was changed.", id)
	}
	gone := d.list[at].gone
	if err := d.save(slices.Delete(slices.Clone(d.list), at, at+1)); err != nil {
		return err
	}
	close(gone)
	return nil
}

// save makes list the devices, on disk first.
func (d *devices) save(list []*Device) error {
	if d.path != "" {
		stored := slices.DeleteFunc(slices.Clone(list), func(dev *Device) bool { return dev.local })
		text, err := json.MarshalIndent(stored, "", "  ")
		if err == nil {
			err = config.Replace(d.path, text)
		}
		if err != nil {
			return fault.Wrap(fault.Unavailable, "server.devices", err, "The list of signed-in browsers could not be saved, so nothing was changed. Look at the space and the rights of %s.", filepath.Dir(d.path))
		}
	}
	d.list = list
	return nil
}
