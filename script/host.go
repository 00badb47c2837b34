package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var errNoMemory = errors.New("out of memory")

// machineOf finds the machine that a host function was called from.
type machineOf struct{}

// answers are the engine's imports. There is no other way out of it, and none of these
// leads to the system: what is written is dropped, nothing can be opened, the clock
// and the random bytes are the same each time.
func answers() map[string]func(m *machine, stack []uint64) {
	const badFile = 8
	fixed := func(v uint64) func(*machine, []uint64) { return func(_ *machine, s []uint64) { s[0] = v } }
	return map[string]func(*machine, []uint64){
		"host_call":      hostCall,
		"host_interrupt": func(m *machine, s []uint64) { s[0] = uint64(m.owner.interrupted()) },
		"host_promise_rejection": func(m *machine, s []uint64) {
			m.inside(func() {
				m.free(handle(s[0]))
				m.free(handle(s[1]))
			})
		},
		"host_module_normalize":    fixed(0), // nothing can be imported
		"host_module_load":         fixed(0),
		"host_get_timezone_offset": fixed(0), // UTC
		"clock_time_get": func(m *machine, s []uint64) {
			m.memory.WriteUint64Le(uint32(s[2]), uint64(m.owner.clock()))
			s[0] = 0
		},
		"random_get": func(m *machine, s []uint64) {
			if b, ok := m.memory.Read(uint32(s[0]), uint32(s[1])); ok {
				clear(b)
			}
			s[0] = 0
		},
		"fd_write": func(m *machine, s []uint64) { // all of it was written, nowhere
			total, at := uint32(0), uint32(s[1])
			for range uint32(s[2]) {
				n, ok := m.memory.ReadUint32Le(at + 4)
				if !ok {
					break
				}
				total, at = total+n, at+8
			}
			m.memory.WriteUint32Le(uint32(s[3]), total)
			s[0] = 0
		},
		"fd_close":      fixed(badFile),
		"fd_seek":       fixed(badFile),
		"fd_fdstat_get": fixed(badFile),
	}
}

// inside runs code of a host function that calls the engine again.
func (m *machine) inside(f func()) {
	m.depth++
	f()
	m.depth--
}

// hostCall is the one function that code has: host(op, name, text).
func hostCall(m *machine, s []uint64) {
	argc, argv := uint32(s[3]), uint32(s[4])
	m.inside(func() {
		var texts [3]string
		for i := range texts {
			if uint32(i) >= argc {
				break
			}
			if h, ok := m.memory.ReadUint32Le(argv + uint32(4*i)); ok {
				texts[i], _ = m.read(handle(h))
			}
		}
		h, err := m.owner.called(texts[0], texts[1], texts[2])
		if err != nil {
			reason := m.text(err.json())
			m.free(m.value(xThrow, uint64(reason)))
			m.free(reason)
			h = 0
		}
		s[0] = uint64(h)
	})
}

// link gives a runtime the engine's imports.
func link(ctx context.Context, r wazero.Runtime, engine wazero.CompiledModule) error {
	all, builders := answers(), map[string]wazero.HostModuleBuilder{}
	for _, f := range engine.ImportedFunctions() {
		module, name, _ := f.Import()
		answer, ok := all[name]
		if !ok {
			return fmt.Errorf("script.link: the engine imports %s.%s, which nothing answers", module, name)
		}
		if builders[module] == nil {
			builders[module] = r.NewHostModuleBuilder(module)
		}
		builders[module].NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			answer(ctx.Value(machineOf{}).(*machine), stack)
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, b := range builders {
		if _, err := b.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}
