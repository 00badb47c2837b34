//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"fairlead/fault"
)

// A child is prepared by the machine: forty instructions of assembly that run a
// list of system calls. The list is made here, for each child anew, and together
// with the machine it is a whole program of a few hundred bytes that the kernel
// starts in a tenth of a millisecond, where a second start of our own binary takes
// ten. It has one thread, no stack and no library, so it may do what a Go process
// cannot: enter a user namespace, mount, share its memory with a fork, and stay as
// process 1 of the child's namespace.
//
// machine is never called: its text is copied. Its end is marked "fairlead".
//
//lint:ignore U1000 its text is copied through machineText, not called
func machine()

// machineText points at the text of machine; it is set in assembly.
var machineText *[512]byte

// Where the program lies in the child's memory. 64 KiB apart, the largest page size
// of these processors.
const (
	textAt = 0x1000_0000
	dataAt = 0x1001_0000 // also written in the assembly
)

// Where the machine and the listing find each other in the data.
const (
	entryCell  = dataAt      // address of the first instruction
	failedCell = dataAt + 8  // the last instruction with a negative result, and
	resultCell = dataAt + 16 // that result, which is -errno
	dataHead   = 24
)

// compare, as a number, subtracts the second argument from the first instead of
// making a system call.
const compare = ^uint64(0)

// Where an instruction goes on, besides the index of another one.
const (
	onward = -1 // the next one
	trap   = -2 // tell the host which instruction failed, and end
)

// instruction is one system call and where to go on by the sign of its result.
type instruction struct {
	// what it does, for the error that names it.
	what   string
	number uint64
	args   [6]uint64
	// into is where the result is kept.
	into                     cell
	negative, zero, positive int
}

const (
	instructionSize = 11 * 8
	argsOffset      = 8
)

// cell is a word of the child's memory: an argument of an instruction, or an
// address in the data. The zero cell is none.
type cell struct {
	step int // of the instruction, counted from 1
	arg  int
	addr uint64
}

// listing is a program for the machine while it is written.
type listing struct {
	code []instruction
	data []byte
	// trap is the index of the instructions that report a failure.
	trap int
}

func newListing() *listing { return &listing{data: make([]byte, dataHead, 1024)} }

// call adds a system call and returns its index. It goes on with the next one,
// and to the trap where the result is negative.
func (l *listing) call(what string, number uint64, args ...uint64) int {
	in := instruction{what: what, number: number, negative: trap, zero: onward, positive: onward}
	copy(in.args[:], args)
	l.code = append(l.code, in)
	return len(l.code) - 1
}

// try adds a system call whose failure does not matter.
func (l *listing) try(what string, number uint64, args ...uint64) int {
	i := l.call(what, number, args...)
	l.code[i].negative = onward
	return i
}

// next is the index of the instruction that will be added next.
func (l *listing) next() int { return len(l.code) }

// arg is the cell of an argument (from 0) of an instruction.
func arg(step, n int) cell { return cell{step: step + 1, arg: n} }

// text puts a string into the data, ended by a zero byte, and returns its address.
func (l *listing) text(s string) uint64 {
	at := dataAt + uint64(len(l.data))
	l.data = append(append(l.data, s...), 0)
	return at
}

// words puts numbers into the data and returns the address of the first.
func (l *listing) words(words ...uint64) uint64 {
	l.align()
	at := dataAt + uint64(len(l.data))
	for _, w := range words {
		l.data = binary.LittleEndian.AppendUint64(l.data, w)
	}
	return at
}

// vector puts strings into the data and returns the address of their table, as
// execve wants it.
func (l *listing) vector(list []string) uint64 {
	table := make([]uint64, 0, len(list)+1)
	for _, s := range list {
		table = append(table, l.text(s))
	}
	return l.words(append(table, 0)...)
}

func (l *listing) align() { l.data = append(l.data, make([]byte, -len(l.data)&7)...) }

// program makes the executable: the machine's text, the data, and after it the
// instructions.
func (l *listing) program() (executable, error) {
	text, _, ok := bytes.Cut(machineText[:], []byte("fairlead"))
	if !ok {
		return executable{}, fault.New(fault.Internal, "sandbox.machine", "The machine's text has no end mark. No child can be started.")
	}
	l.align()
	start := dataAt + uint64(len(l.data))
	binary.LittleEndian.PutUint64(l.data[entryCell-dataAt:], start)
	address := func(step int) uint64 { return start + uint64(step)*instructionSize }
	data := l.data
	word := func(w uint64) { data = binary.LittleEndian.AppendUint64(data, w) }
	for i, in := range l.code {
		word(in.number)
		for _, a := range in.args {
			word(a)
		}
		if in.into.step > 0 {
			word(address(in.into.step-1) + argsOffset + uint64(in.into.arg)*8)
		} else {
			word(in.into.addr)
		}
		for _, to := range [...]int{in.negative, in.zero, in.positive} {
			switch to {
			case onward:
				to = i + 1
			case trap:
				to = l.trap
			}
			word(address(to))
		}
	}
	return executable{head: elf(text, len(data)), data: data}, nil
}

// index finds the instruction at an address of the child's memory.
func (l *listing) index(at uint64) (int, bool) {
	start := binary.LittleEndian.Uint64(l.data[entryCell-dataAt:])
	i := int(at-start) / instructionSize
	return i, at >= start && i < len(l.code)
}

// executable is a static program: what is mapped at textAt and at dataAt.
type executable struct{ head, data []byte }

// elf writes the header of a static executable (System V ABI, ELF-64) and the text
// behind it; both are mapped as one.
func elf(text []byte, dataSize int) []byte {
	const (
		header, segment, segments = 64, 56, 3
		textOffset                = header + segments*segment
		loadable, stack           = 1, 0x6474e551
		readExec, readWrite       = 5, 6
	)
	processor := map[string]uint16{"amd64": 62, "arm64": 183}[runtime.GOARCH]
	le := binary.LittleEndian
	file := make([]byte, 0, textOffset+len(text))
	file = append(file, 0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	file = le.AppendUint16(file, 2) // executable
	file = le.AppendUint16(file, processor)
	file = le.AppendUint32(file, 1)
	file = le.AppendUint64(file, textAt+textOffset)
	file = le.AppendUint64(file, header) // where the segments are described
	file = le.AppendUint64(file, 0)      // no sections
	file = le.AppendUint32(file, 0)
	for _, n := range [...]uint16{header, segment, segments, 0, 0, 0} {
		file = le.AppendUint16(file, n)
	}
	describe := func(kind, flags uint32, offset, at, size uint64) {
		file = le.AppendUint32(le.AppendUint32(file, kind), flags)
		for _, n := range [...]uint64{offset, at, at, size, size, dataAt - textAt} {
			file = le.AppendUint64(file, n)
		}
	}
	describe(loadable, readExec, 0, textAt, uint64(textOffset+len(text)))
	describe(loadable, readWrite, dataAt-textAt, dataAt, uint64(dataSize))
	describe(stack, readWrite, 0, 0, 0)
	return append(file, text...)
}

// load puts an executable into memory and returns its file, numbered lowest or
// higher, to be started by path and closed.
func (e executable) load(lowest int) (*os.File, error) {
	const name = "fairlead-keeper"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // a kernel that does not know MFD_EXEC (before 6.3)
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, notLoaded(err)
	}
	low := os.NewFile(uintptr(fd), name)
	defer low.Close()
	if _, err = low.Write(e.head); err == nil {
		_, err = low.WriteAt(e.data, dataAt-textAt)
	}
	if err == nil {
		fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, lowest)
	}
	if err != nil {
		return nil, notLoaded(err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func notLoaded(err error) error {
	return fault.Wrap(fault.Unavailable, "sandbox.load", err, "The program that prepares a child could not be put into memory. Nothing was started.")
}
