package script

import (
	"context"
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"
)

// export is a function of the engine that is used.
type export uint8

const (
	xInitialize export = iota
	xInit
	xEval
	xCall
	xThrow
	xFree
	xIsException
	xException
	xIsUncatchable
	xIsUndefined
	xIsPromise
	xUndefined
	xGlobal
	xProperty
	xSetProperty
	xNewString
	xNewHostFunction
	xNewPromise
	xPromiseState
	xPromiseResult
	xJobPending
	xRunJob
	xString
	xFreeString
	xMalloc
	xMallocFree
	xMemoryLimit
	xStackLimit
	xInterrupts
	xCollect
	xRuntime
	xContext
	xAdopt
	exports
)

// names are the engine's own.
func (x export) name() string {
	return [exports]string{"_initialize", "qjs_init", "qjs_eval", "qjs_call", "qjs_throw", "qjs_free_value", "qjs_is_exception", "qjs_get_exception",
		"qjs_is_uncatchable_error", "qjs_is_undefined", "qjs_is_promise", "qjs_get_undefined", "qjs_get_global", "qjs_get_prop_string", "qjs_set_prop_string",
		"qjs_new_string", "qjs_new_host_function", "qjs_new_promise", "qjs_promise_state", "qjs_promise_result", "qjs_is_job_pending", "qjs_execute_pending_job",
		"qjs_get_string_len", "qjs_free_cstring", "wasm_malloc", "wasm_free", "qjs_set_memory_limit", "qjs_set_max_stack_size", "qjs_set_interrupt_handler",
		"qjs_run_gc", "qjs_get_runtime_ptr", "qjs_get_context_ptr", "qjs_set_runtime_and_context"}[x]
}

// handle is a value inside: the address of a box that holds it. Each one given out
// is freed once; a machine that is closed needs none freed.
type handle uint32

// machine is one instance of the engine. Only its owner's goroutine may use it. After
// a trap it is closed and nothing else. Its methods panic with a trap, which
// [machine.guard] catches.
type machine struct {
	module api.Module
	memory api.Memory
	ctx    context.Context // carries the machine to the host functions
	owner  owner

	// A function object of wazero is not re-entrant: those called from within a host
	// function are others.
	depth     int
	functions [2][exports]api.Function
	stacks    [2][5]uint64
	// table are the functions of bootstrap.js.
	table table
}

// owner is whom the code inside reaches. Its methods are called on the machine's
// goroutine.
type owner interface {
	// interrupted is asked now and then: 0 goes on, 1 ends the code with an error that
	// it cannot catch, 3 traps.
	interrupted() uint32
	// called answers a call of the host function.
	called(op, name, text string) (handle, *Thrown)
	// clock is Unix time in nanoseconds.
	clock() int64
}

// table are handles of the bootstrap's functions; a snapshot keeps their numbers.
type table struct{ setup, reseed, install, finish, invoke handle }

// guard runs code that uses the machine and gives the trap it ended with.
func (m *machine) guard(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			t, ok := p.(trap)
			if !ok {
				panic(p)
			}
			m.depth = 0
			err = t
		}
	}()
	f()
	return nil
}

func (m *machine) do(x export, args ...uint64) uint64 {
	f := m.functions[m.depth][x]
	if f == nil {
		f = m.module.ExportedFunction(x.name())
		m.functions[m.depth][x] = f
	}
	stack := m.stacks[m.depth][:]
	copy(stack, args)
	if err := f.CallWithStack(m.ctx, stack); err != nil {
		panic(trap{err})
	}
	return stack[0]
}

func (m *machine) value(x export, args ...uint64) handle { return handle(m.do(x, args...)) }
func (m *machine) is(x export, h handle) bool            { return uint32(m.do(x, uint64(h))) != 0 }
func (m *machine) free(h handle)                         { m.do(xFree, uint64(h)) }

// write puts text with a closing NUL into the engine's memory; the caller frees it.
func (m *machine) write(text string) (at uint64) {
	at = uint64(uint32(m.do(xMalloc, uint64(len(text)+1))))
	if at == 0 || !m.memory.WriteString(uint32(at), text) || !m.memory.WriteByte(uint32(at)+uint32(len(text)), 0) {
		panic(trap{errNoMemory})
	}
	return at
}

// read copies a value as text; ok is false where it has none, as a symbol.
func (m *machine) read(h handle) (text string, ok bool) {
	length := uint64(uint32(m.do(xMalloc, 4)))
	if length == 0 {
		panic(trap{errNoMemory})
	}
	defer m.do(xMallocFree, length)
	at := uint32(m.do(xString, uint64(h), length))
	if at == 0 {
		m.free(m.value(xException))
		return "", false
	}
	defer m.do(xFreeString, uint64(at))
	n, ok := m.memory.ReadUint32Le(uint32(length))
	if !ok {
		return "", false
	}
	b, ok := m.memory.Read(at, n)
	return string(b), ok
}

func (m *machine) text(s string) handle {
	at := m.write(s)
	h := m.value(xNewString, at, uint64(len(s)))
	m.do(xMallocFree, at)
	if m.is(xIsException, h) {
		panic(trap{errNoMemory})
	}
	return h
}

// eval runs a script in the global scope.
func (m *machine) eval(name, code string) handle {
	source, file := m.write(code), m.write(name)
	h := m.value(xEval, source, uint64(len(code)), file, 0)
	m.do(xMallocFree, source)
	m.do(xMallocFree, file)
	return h
}

// call calls a function; the arguments stay the caller's.
func (m *machine) call(f handle, args ...handle) handle {
	this := m.value(xUndefined)
	var argv uint64
	if len(args) > 0 {
		if argv = uint64(uint32(m.do(xMalloc, uint64(4*len(args))))); argv == 0 {
			panic(trap{errNoMemory})
		}
		for i, a := range args {
			m.memory.WriteUint32Le(uint32(argv)+uint32(4*i), uint32(a))
		}
	}
	h := m.value(xCall, uint64(f), uint64(this), uint64(len(args)), argv)
	if argv != 0 {
		m.do(xMallocFree, argv)
	}
	m.free(this)
	return h
}

// callText calls a function with texts.
func (m *machine) callText(f handle, texts ...string) handle {
	args := make([]handle, len(texts))
	for i, t := range texts {
		args[i] = m.text(t)
	}
	h := m.call(f, args...)
	for _, a := range args {
		m.free(a)
	}
	return h
}

func (m *machine) property(h handle, name string) handle {
	at := m.write(name)
	defer m.do(xMallocFree, at)
	return m.value(xProperty, uint64(h), at)
}

// promise makes a promise that the host settles.
func (m *machine) promise() (promise, resolve, reject handle) {
	at := uint64(uint32(m.do(xMalloc, 8)))
	if at == 0 {
		panic(trap{errNoMemory})
	}
	promise = m.value(xNewPromise, at, at+4)
	b, ok := m.memory.Read(uint32(at), 8)
	if !ok || m.is(xIsException, promise) {
		panic(trap{errNoMemory})
	}
	resolve, reject = handle(binary.LittleEndian.Uint32(b)), handle(binary.LittleEndian.Uint32(b[4:]))
	m.do(xMallocFree, at)
	return promise, resolve, reject
}

func (m *machine) close() { _ = m.module.Close(context.Background()) } // closing memory has no failure
