//go:build !linux

package main

import (
	"errors"
	"os"
)

// readUnseen refuses: here a key would be shown while it is typed.
func readUnseen(*os.File) (string, error) {
	return "", errors.New("keys cannot be typed unseen on this system; pass the key through stdin")
}
