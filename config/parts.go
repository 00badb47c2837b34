package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Parts reads a JSON file that rooms share, each having one member of the object. A
// file that is not there has none.
func Parts(path string) (map[string]json.RawMessage, error) {
	parts := map[string]json.RawMessage{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return parts, nil
	}
	if err == nil && len(bytes.TrimSpace(text)) > 0 {
		err = json.Unmarshal(text, &parts)
	}
	return parts, err
}

// ChangePart replaces one member of such a file, given as it stands now and nil where
// it is missing. Others who change the file through here, of this process or another,
// wait meanwhile, so that no change is lost; to must not call it again. An error of to
// is returned as it is, and nothing is written.
func ChangePart(path, part string, to func(json.RawMessage) (json.RawMessage, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	held, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer held.Close() // and with it the lock
	if err := lock(held); err != nil {
		return err
	}
	parts, err := Parts(path)
	if err != nil {
		return err
	}
	if parts[part], err = to(parts[part]); err != nil {
		return err
	}
	text, err := json.MarshalIndent(parts, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, append(text, '\n'))
}
