package permission_test

import (
	"syscall"
	"testing"
)

func mkfifo(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o600)) }
