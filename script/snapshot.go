package script

import (
	"bytes"
	"context"
	_ "embed" // the engine's trusted part is a file
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

//go:embed bootstrap.js
var bootstrap string

// snapshot is a machine as it stands after the bootstrap and before any other code:
// what of its memory differs from a new one.
type snapshot struct {
	pages   uint32
	blocks  []block
	stack   uint64
	runtime uint64
	context uint64
	table   table
}

// block is a stretch of memory that differs.
type block struct {
	at   uint32
	data []byte
}

const blockBytes = 4 << 10

// idle owns machines that run nothing of anybody's.
type idle struct{}

func (idle) interrupted() uint32                             { return 0 }
func (idle) called(string, string, string) (handle, *Thrown) { return 0, &Thrown{} }
func (idle) clock() int64                                    { return 0 }

// bare makes a machine in which nothing ran yet.
func bare(r wazero.Runtime, engine wazero.CompiledModule) (*machine, error) {
	m := &machine{owner: idle{}}
	m.ctx = context.WithValue(context.Background(), machineOf{}, m)
	module, err := r.InstantiateModule(reserved(m.ctx), engine, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("script.machine: %w", err)
	}
	m.module, m.memory = module, module.Memory()
	return m, nil
}

// take starts one machine the long way and keeps what it became.
func take(r wazero.Runtime, engine wazero.CompiledModule) (*snapshot, error) {
	m, err := bare(r, engine)
	if err != nil {
		return nil, err
	}
	defer m.close()
	first, _ := m.memory.Read(0, m.memory.Size())
	before := bytes.Clone(first)
	s := &snapshot{}
	err = m.guard(func() {
		m.do(xInitialize)
		if m.do(xInit) != 0 {
			panic(trap{errNoMemory})
		}
		m.do(xMemoryLimit, MostMemory)
		m.do(xStackLimit, stackBytes)
		m.do(xInterrupts, 1)
		s.table = m.boot()
		m.do(xCollect)
		s.runtime, s.context = m.do(xRuntime), m.do(xContext)
	})
	if err != nil {
		return nil, err
	}
	s.stack = m.module.ExportedGlobal(stackPointer).Get()
	s.pages = m.memory.Size() / pageSize
	after, _ := m.memory.Read(0, m.memory.Size())
	for at := 0; at < len(after); at += blockBytes {
		now := after[at : at+blockBytes]
		if at < len(before) && bytes.Equal(now, before[at:at+blockBytes]) || at >= len(before) && len(bytes.Trim(now, "\x00")) == 0 {
			continue
		}
		if n := len(s.blocks); n > 0 && int(s.blocks[n-1].at)+len(s.blocks[n-1].data) == at {
			s.blocks[n-1].data = append(s.blocks[n-1].data, now...)
			continue
		}
		s.blocks = append(s.blocks, block{uint32(at), bytes.Clone(now)})
	}
	return s, nil
}

const stackPointer = "__stack_pointer"

// boot runs the bootstrap.
func (m *machine) boot() (t table) {
	name := m.write("host")
	host := m.value(xNewHostFunction, name, 4, 3)
	m.do(xMallocFree, name)
	install := m.eval("<host>", bootstrap)
	made := m.call(install, host)
	if m.is(xIsException, made) {
		text, _ := m.read(m.value(xException))
		panic(trap{fmt.Errorf("the bootstrap failed: %s", text)})
	}
	t.setup, t.reseed = m.property(made, "setup"), m.property(made, "reseed")
	t.install, t.finish, t.invoke = m.property(made, "install"), m.property(made, "finish"), m.property(made, "invoke")
	for _, h := range []handle{host, install, made} {
		m.free(h)
	}
	return t
}

// restore makes a machine that stands where the snapshot was taken.
func (s *snapshot) restore(r wazero.Runtime, engine wazero.CompiledModule) (*machine, error) {
	m, err := bare(r, engine)
	if err != nil {
		return nil, err
	}
	if have := m.memory.Size() / pageSize; have < s.pages {
		if _, ok := m.memory.Grow(s.pages - have); !ok {
			m.close()
			return nil, fmt.Errorf("script.restore: %w", errNoMemory)
		}
	}
	for _, b := range s.blocks {
		m.memory.Write(b.at, b.data)
	}
	m.module.ExportedGlobal(stackPointer).(api.MutableGlobal).Set(s.stack)
	m.table = s.table
	err = m.guard(func() { m.do(xAdopt, s.runtime, s.context) })
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}
