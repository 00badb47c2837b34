package fuel

import "fmt"

// decodeError is a place where the decoder does not know how to go on.
type decodeError struct {
	at   int
	what string
}

func (e decodeError) Error() string { return fmt.Sprintf("fuel: byte %d: %s", e.at, e.what) }

// reader reads a section; it panics with a decodeError where it cannot.
type reader struct {
	buf []byte
	at  int
}

func (r *reader) lost(format string, args ...any) {
	panic(decodeError{r.at, fmt.Sprintf(format, args...)})
}

func (r *reader) byte() byte {
	if r.at >= len(r.buf) {
		r.lost("the end comes too early")
	}
	r.at++
	return r.buf[r.at-1]
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.buf)-r.at {
		r.lost("%d bytes are wanted, %d are left", n, len(r.buf)-r.at)
	}
	r.at += n
	return r.buf[r.at-n : r.at]
}

// number skips a LEB128 number of up to bits bits and gives its low 32 bits, unsigned.
func (r *reader) number(bits int) uint32 {
	var v uint64
	for shift := 0; ; shift += 7 {
		if shift >= bits {
			r.lost("a number has more than %d bits", bits)
		}
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return uint32(v)
		}
	}
}

func (r *reader) u32() uint32 { return r.number(35) }

func (r *reader) limits() {
	if flags := r.byte(); flags&1 != 0 {
		r.u32()
	}
	r.u32()
}

// rewriteBody puts tick behind the locals of a function and behind every loop header.
func rewriteBody(body, tick []byte) (out []byte, loops int) {
	r := reader{buf: body}
	for range r.u32() {
		r.u32()
		r.byte()
	}
	out = append(append(out, body[:r.at]...), tick...)
	for from := r.at; r.at < len(body); from = r.at {
		loop := r.instruction()
		out = append(out, body[from:r.at]...)
		if loop {
			out = append(out, tick...)
			loops++
		}
	}
	return out, loops
}

// instruction skips one instruction of WebAssembly 1.0 with sign extension,
// saturating conversion, bulk memory and reference types, and reports whether it is
// the header of a loop.
func (r *reader) instruction() (loop bool) {
	op := r.byte()
	switch {
	case op == 0x02 || op == 0x03 || op == 0x04: // block, loop, if
		r.number(35) // the block's type, a signed 33-bit number
	case op <= 0x01 || op == 0x05 || op == opEnd || op == 0x0f: // unreachable, nop, else, end, return
	case op == 0x0c || op == 0x0d || op == 0x10: // br, br_if, call
		r.u32()
	case op == 0x0e: // br_table
		for range r.u32() {
			r.u32()
		}
		r.u32()
	case op == 0x11: // call_indirect
		r.u32()
		r.u32()
	case op == 0x1a || op == 0x1b: // drop, select
	case op == 0x1c: // select with types
		r.take(int(r.u32()))
	case op >= 0x20 && op <= 0x26: // local.*, global.*, table.get, table.set
		r.u32()
	case op >= 0x28 && op <= 0x3e: // loads and stores
		r.u32()
		r.u32()
	case op == 0x3f || op == 0x40: // memory.size, memory.grow
		r.u32()
	case op == opI32Const:
		r.number(35)
	case op == 0x42: // i64.const
		r.number(70)
	case op == 0x43: // f32.const
		r.take(4)
	case op == 0x44: // f64.const
		r.take(8)
	case op >= 0x45 && op <= 0xc4: // comparison, arithmetic, conversion, sign extension
	case op == 0xd0 || op == 0xd2: // ref.null, ref.func
		r.u32()
	case op == 0xd1: // ref.is_null
	case op == 0xfc:
		r.extended()
	default:
		r.lost("instruction %#x is not known", op)
	}
	return op == 0x03
}

// extended skips what follows the prefix 0xfc.
func (r *reader) extended() {
	switch op := r.u32(); {
	case op <= 7: // saturating conversion
	case op == 8 || op == 10 || op == 12 || op == 14: // memory.init, memory.copy, table.init, table.copy
		r.u32()
		r.u32()
	case op == 9 || op == 11 || op == 13 || (op >= 15 && op <= 17): // drops, memory.fill, table.grow, size, fill
		r.u32()
	default:
		r.lost("instruction 0xfc %d is not known", op)
	}
}
