package fuel

import (
	"bytes"
	"errors"
	"fmt"
)

// Ticks is how many loop headers and function entries lie between two questions to
// the host: about half a millisecond of work.
const Ticks = 50_000

// Counts says how many places of a module count down.
type Counts struct{ Functions, Loops int }

// The ids of the sections that are read.
const (
	sectionImport = 2
	sectionGlobal = 6
	sectionCode   = 10
)

const (
	valueI32   = 0x7f
	opI32Const = 0x41
	opEnd      = 0x0b
)

// Rewrite adds the counter to a module. ask names the imported function
// ("module", "name") of type () → i32 that is called each time the counter has run
// down: where its answer has bit 1 set, the module traps. The counter is a mutable
// global that begins at 0, so that an instance asks at once.
func Rewrite(module []byte, askModule, askName string) (_ []byte, c Counts, err error) {
	defer func() {
		if p := recover(); p != nil {
			lost, ok := p.(decodeError)
			if !ok {
				panic(p)
			}
			err = lost
		}
	}()
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, c, errors.New("fuel: not a WebAssembly module of version 1")
	}
	out := append([]byte(nil), module[:8]...)
	ask, counter := -1, -1
	for r := (reader{buf: module, at: 8}); r.at < len(module); {
		id := r.byte()
		body := r.take(int(r.u32()))
		switch id {
		case sectionImport:
			ask = findFunction(body, askModule, askName)
		case sectionGlobal:
			body, counter = addGlobal(body)
		case sectionCode:
			if ask < 0 || counter < 0 {
				return nil, c, fmt.Errorf("fuel: the module does not import %s.%s, or has no globals", askModule, askName)
			}
			body, c = rewriteCode(body, tick(ask, counter))
		}
		out = append(append(append(out, id), leb(len(body))...), body...)
	}
	if c.Functions == 0 {
		return nil, c, errors.New("fuel: the module has no code")
	}
	return out, c, nil
}

// tick is the code that counts: global -= 1; below zero, fill up and ask; told to
// stop, trap. It leaves nothing on the stack and opens and closes its own blocks, so
// it may stand anywhere between two instructions.
func tick(ask, counter int) []byte {
	f := leb(counter)
	var b []byte
	for _, part := range [][]byte{
		{0x23}, f, {opI32Const, 1, 0x6b, 0x24}, f, // global.get F; i32.const 1; i32.sub; global.set F
		{0x23}, f, {opI32Const, 0, 0x48, 0x04, 0x40}, // global.get F; i32.const 0; i32.lt_s; if
		{opI32Const}, sleb(Ticks), {0x24}, f, // i32.const Ticks; global.set F
		{0x10}, leb(ask), {opI32Const, 2, 0x71, 0x04, 0x40, 0x00, opEnd}, // call ask; i32.const 2; i32.and; if; unreachable; end
		{opEnd}, // end
	} {
		b = append(b, part...)
	}
	return b
}

// findFunction gives the index of an imported function, -1 where it is not imported.
func findFunction(section []byte, module, name string) int {
	r := reader{buf: section}
	found, functions := -1, 0
	for range r.u32() {
		from, what := string(r.take(int(r.u32()))), string(r.take(int(r.u32())))
		switch kind := r.byte(); kind {
		case 0:
			r.u32()
			if from == module && what == name {
				found = functions
			}
			functions++
		case 1:
			r.byte()
			r.limits()
		case 2:
			r.limits()
		case 3:
			r.take(2)
		default:
			r.lost("an import of kind %d", kind)
		}
	}
	return found
}

// addGlobal appends a mutable i32 that begins at 0 and gives its index. Imported
// globals would come first; the engine has none.
func addGlobal(section []byte) ([]byte, int) {
	r := reader{buf: section}
	n := int(r.u32())
	out := append(leb(n+1), section[r.at:]...)
	return append(out, valueI32, 1, opI32Const, 0, opEnd), n
}

func rewriteCode(section, tick []byte) (out []byte, c Counts) {
	r := reader{buf: section}
	n := int(r.u32())
	out = append(out, leb(n)...)
	for range n {
		body, loops := rewriteBody(r.take(int(r.u32())), tick)
		out = append(append(out, leb(len(body))...), body...)
		c.Functions++
		c.Loops += loops
	}
	if r.at != len(section) {
		r.lost("%d bytes behind the last function", len(section)-r.at)
	}
	return out, c
}

// leb is an unsigned number in LEB128, sleb a signed one.
func leb(n int) []byte {
	var b []byte
	for n >= 0x80 {
		b = append(b, byte(n)|0x80)
		n >>= 7
	}
	return append(b, byte(n))
}

func sleb(n int) []byte {
	var b []byte
	for {
		low := byte(n & 0x7f)
		n >>= 7
		if (n == 0 && low&0x40 == 0) || (n == -1 && low&0x40 != 0) {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
