//go:build !linux

package store

import "os"

// datasync forces a file to disk.
func datasync(f *os.File) error { return f.Sync() }

// startedAt is not known here.
func startedAt(int) string { return "" }
