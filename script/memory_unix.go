//go:build linux

package script

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// reserved gives instances memory of the system's: one reservation of the whole limit,
// which costs only the pages that are touched, grows in place and is given back at
// once when the instance is closed.
func reserved(ctx context.Context) context.Context {
	return experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		most = min(most, hardMemory*pageSize)
		b, err := unix.Mmap(-1, 0, int(most), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err != nil {
			return &plain{}
		}
		return &mapped{b}
	}))
}

// mapped is a reservation.
type mapped struct{ all []byte }

// Reallocate gives the first bytes; nil where they do not fit.
func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size:len(m.all)]
}

// Free gives the memory back.
func (m *mapped) Free() {
	if m.all != nil {
		_ = unix.Munmap(m.all) // our own mapping: it cannot fail
		m.all = nil
	}
}

// plain is memory of the Go heap, where the system has no reservation to give.
type plain struct{ b []byte }

// Reallocate grows it.
func (p *plain) Reallocate(size uint64) []byte {
	if size > uint64(len(p.b)) {
		p.b = append(p.b, make([]byte, size-uint64(len(p.b)))...)
	}
	return p.b
}

// Free drops it.
func (p *plain) Free() { p.b = nil }
