//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"runtime"

	"golang.org/x/sys/unix"
)

// A child without a network may make no socket that leads out of its tree. Its
// network namespace is empty, but sockets in the file system (docker, D-Bus, an
// agent of keys), those of virtual machines and those made through io_uring are
// not the namespace's business: the filter refuses them. Pairs of sockets stay.

// dialect is one processor's numbering of system calls.
type dialect struct {
	audit   uint32
	socket  uint32
	io      uint32 // io_uring_setup
	bundled uint32 // socketcall, which hides its arguments; 0 where there is none
}

const (
	auditX86_64  = 0xc000003e
	auditI386    = 0x40000003
	auditAArch64 = 0xc00000b7
	auditARM     = 0x40000028
	// x32 numbers have this bit; nothing uses them any more.
	x32Bit = 0x40000000
)

func dialects() []dialect {
	if runtime.GOARCH == "arm64" {
		return []dialect{{audit: auditAArch64, socket: 198, io: 425}, {audit: auditARM, socket: 281, io: 425}}
	}
	return []dialect{{audit: auditX86_64, socket: 41, io: 425}, {audit: auditI386, socket: 359, io: 425, bundled: 102}}
}

// noSockets makes the filter. families are those a socket may still be of.
func noSockets(families ...uint32) []unix.SockFilter {
	const (
		numberAt, auditAt, familyAt = 0, 4, 16 // in struct seccomp_data
		load                        = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal                       = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		atLeast                     = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		give                        = unix.BPF_RET | unix.BPF_K
	)
	stmt := func(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }
	jump := func(code uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no}
	}
	refuse := func(errno unix.Errno) unix.SockFilter {
		return stmt(give, unix.SECCOMP_RET_ERRNO|uint32(errno))
	}
	yes := stmt(give, unix.SECCOMP_RET_ALLOW)

	filter := []unix.SockFilter{stmt(load, auditAt)}
	for _, d := range dialects() {
		part := []unix.SockFilter{stmt(load, numberAt)}
		if d.audit == auditX86_64 {
			part = append(part, jump(atLeast, x32Bit, 0, 1), refuse(unix.ENOSYS))
		}
		part = append(part, jump(equal, d.io, 0, 1), refuse(unix.ENOSYS))
		if d.bundled != 0 {
			part = append(part, jump(equal, d.bundled, 0, 1), refuse(unix.EACCES))
		}
		part = append(part, jump(equal, d.socket, 1, 0), yes, stmt(load, familyAt))
		for _, f := range families {
			part = append(part, jump(equal, f, 0, 1), yes)
		}
		part = append(part, refuse(unix.EACCES))
		filter = append(append(filter, jump(equal, d.audit, 0, uint8(len(part)))), part...)
	}
	return append(filter, refuse(unix.ENOSYS)) // a processor's mode that we do not know
}

// encode gives a filter as the kernel reads it.
func encode(program []unix.SockFilter) []byte {
	var code []byte
	for _, in := range program {
		code = binary.LittleEndian.AppendUint16(code, in.Code)
		code = append(code, in.Jt, in.Jf)
		code = binary.LittleEndian.AppendUint32(code, in.K)
	}
	return code
}

// filter has the fork bound by a seccomp program.
func (l *listing) filter(program []unix.SockFilter) {
	l.align()
	at := dataAt + uint64(len(l.data))
	l.data = append(l.data, encode(program)...)
	head := l.words(uint64(len(program)), at)
	l.call("refuse sockets", unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, head, 0, 0)
}
