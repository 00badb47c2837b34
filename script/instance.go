package script

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// Instance is code that stays: its values live from one callback to the next. One
// goroutine owns it and does one thing after another; while a callback waits for a
// call, others may run. It ends with the first callback that passes a bound, with a
// trap, and with [Instance.Close].
type Instance struct {
	engine *Engine
	m      *machine
	spec   Program
	code   stripped
	stays  bool // there will be callbacks after the program's own run

	mu    sync.Mutex
	queue []func() // what the owner is to do next
	ended error    // why nothing more can be done
	bell  chan struct{}
	gone  chan struct{} // closed once the owner has gone

	// The rest is the owner's alone.
	current *entry
	entries []*entry
	calls   map[*Call]*pending
	held    int // bytes of arguments in calls
	made    int
	settled []int
}

// Invocation is one callback into an instance.
type Invocation struct {
	// Callback is a number that the prelude's kit.callback gave; Args is its argument.
	Callback int
	Args     json.RawMessage
	Now      time.Time
	Budget   Budget
	// Entry comes back in every [Call] that the callback makes.
	Entry any
}

// Run runs a program to its end in an instance of its own. The error has one of the
// codes of this package; what a program has printed until then was printed.
func (e *Engine) Run(ctx context.Context, p Program) (Output, error) {
	i, err := e.instance(p, false)
	if err != nil {
		return Output{}, err
	}
	defer i.Close()
	value, err := i.enter(ctx, p.Budget, p.Now, nil, i.begin)
	i.Close()
	return Output{Value: value, Settled: i.settled}, err
}

// Open runs a program and keeps its instance, for callbacks that its prelude has
// registered. The value is what the program returned.
func (e *Engine) Open(ctx context.Context, p Program) (*Instance, json.RawMessage, error) {
	i, err := e.instance(p, true)
	if err != nil {
		return nil, nil, err
	}
	value, err := i.enter(ctx, p.Budget, p.Now, nil, i.begin)
	if err != nil {
		i.Close()
		return nil, nil, err
	}
	return i, value, nil
}

// Invoke calls a callback and gives what it returned. Several may be under way.
func (i *Instance) Invoke(ctx context.Context, v Invocation) (json.RawMessage, error) {
	if v.Args == nil {
		v.Args = json.RawMessage("null")
	}
	return i.enter(ctx, v.Budget, v.Now, v.Entry, func(e *entry) {
		e.promise = i.m.callText(i.m.table.invoke, strconv.Itoa(v.Callback), string(v.Args))
	})
}

// Close ends the instance and returns once it holds nothing any more. What was under
// way ends as stopped.
func (i *Instance) Close() {
	i.end(failure(CodeStopped, "The program was stopped."))
	<-i.gone
}

// Gone is closed once the instance has ended, by whatever cause.
func (i *Instance) Gone() <-chan struct{} { return i.gone }

func (e *Engine) instance(p Program, stays bool) (*Instance, error) {
	p.Name, p.Budget = orProgram(p.Name), p.Budget.filled()
	code, err := strip(p.Name, p.Code)
	if err != nil {
		return nil, err
	}
	m, err := e.machine()
	if err != nil {
		return nil, err
	}
	i := &Instance{engine: e, m: m, spec: p, code: code, stays: stays, bell: make(chan struct{}, 1), gone: make(chan struct{}), calls: map[*Call]*pending{}}
	m.owner = i
	e.mu.Lock()
	e.open[i] = struct{}{}
	e.mu.Unlock()
	go i.own()
	return i, nil
}

// begin is the program's own run.
func (i *Instance) begin(e *entry) {
	m := i.m
	setup, err := json.Marshal(map[string]any{"tools": nonNil(i.spec.Tools), "seed": seedWords(i.spec.Seed)})
	if err != nil {
		panic(trap{err}) // names are text: it cannot fail
	}
	m.do(xMemoryLimit, uint64(i.spec.Budget.Memory))
	m.free(m.callText(m.table.setup, string(setup)))
	if i.spec.Prelude != "" {
		prelude := m.eval("<host>", i.spec.Prelude)
		if i.threw(e, prelude) {
			return
		}
		installed := m.call(m.table.install, prelude)
		if i.threw(e, installed) {
			return
		}
		m.free(installed)
		m.free(prelude)
	}
	promise := m.eval(evalName, i.code.js)
	if i.threw(e, promise) {
		return
	}
	e.promise = m.call(m.table.finish, promise)
	m.free(promise)
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// seedWords are what Math.random starts from.
func seedWords(seed string) []int32 {
	sum := sha256.Sum256([]byte(seed))
	words := make([]int32, 4)
	for n := range words {
		words[n] = int32(binary.LittleEndian.Uint32(sum[4*n:]))
	}
	return words
}

// post gives the owner something to do. It never waits.
func (i *Instance) post(task func()) {
	i.mu.Lock()
	i.queue = append(i.queue, task)
	i.mu.Unlock()
	i.ring()
}

func (i *Instance) ring() {
	select {
	case i.bell <- struct{}{}:
	default:
	}
}

// end lets the owner go; the first cause counts.
func (i *Instance) end(err error) {
	i.mu.Lock()
	if i.ended == nil {
		i.ended = err
	}
	i.mu.Unlock()
	i.ring()
}

// next gives the owner's next task; over is true where there is nothing more to do.
func (i *Instance) next() (task func(), over error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended != nil || len(i.queue) == 0 {
		return nil, i.ended
	}
	task, i.queue = i.queue[0], i.queue[1:]
	return task, nil
}
