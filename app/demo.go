package app

import (
	"os"
	"path/filepath"

	"fairlead/fault"
)

// DemoFolder makes a scratch folder for the scripted demo and fills it.
func (a *App) DemoFolder() (string, error) {
	cache := filepath.Join(string(a.home), "cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", unwritable(string(a.home), err)
	}
	dir, err := os.MkdirTemp(cache, "demo-")
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "app.demo", err, "The folder for the demo could not be made. Nothing was started; free some space in %s.", cache)
	}
	return dir, nil
}
