package script

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // the engine's binary is a file
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"

	"fairlead/fault"
	"fairlead/graph"
)

//go:embed quickjs/fuel.wasm.gz
var packed []byte

// Key names the engine of a process.
var Key = graph.NewKey[*Engine]("script.engine", "runs code that has no authority")

// Options of an engine. The zero value works.
type Options struct {
	// Cache is a folder for compiled code, made with mode 0700; it must be the person's
	// own, because what lies in it is run. Empty compiles anew in each process: half a
	// second instead of 50 ms.
	Cache string
	// Warm is how many instances wait for the next program once one has run; 0 is two.
	Warm int
	// Log hears of defects; nil discards.
	Log *slog.Logger
}

// Engine makes instances. It may be used from anywhere. It compiles its binary when
// the first program comes.
type Engine struct {
	options Options
	once    sync.Once
	started *started
	failed  error
	// turns are held while code runs inside, so that it leaves the rest of the process
	// a processor.
	turns chan struct{}

	mu     sync.Mutex
	ready  []*machine
	making bool
	closed bool
	makers sync.WaitGroup
	cache  wazero.CompilationCache
	open   map[*Instance]struct{}
}

// started is what is made once.
type started struct {
	runtime wazero.Runtime
	engine  wazero.CompiledModule
	first   *snapshot
}

// New makes an engine; it costs nothing.
func New(o Options) *Engine {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Warm <= 0 {
		o.Warm = 2
	}
	e := &Engine{options: o, turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), open: map[*Instance]struct{}{}}
	return e
}

// Plugin provides an engine.
func Plugin(o Options) graph.Plugin {
	return graph.Plugin{
		Name:     "script",
		Doc:      "runs programs and packages in a sandbox without authority",
		Provides: []graph.AnyKey{Key},
		Apply: func(f *graph.Fiber, _ any) error {
			o := o
			if o.Log == nil {
				o.Log = f.Log()
			}
			e := New(o)
			f.Effect("script engine", e.Close)
			return graph.Provide(f, Key, e)
		},
	}
}

// start compiles the engine, once.
func (e *Engine) start() (*started, error) {
	e.once.Do(func() {
		s, err := e.compiled()
		if err != nil {
			e.failed = fault.Wrap(fault.Unavailable, "script.start", err, "The engine for programs does not start here. Nothing was run.").WithCode(CodeNoEngine)
		}
		e.started = s
	})
	return e.started, e.failed
}

// compiled reads the binary and takes the snapshot.
func (e *Engine) compiled() (*started, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	binary, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	ctx, config := context.Background(), wazero.NewRuntimeConfig().WithMemoryLimitPages(hardMemory)
	if cache := e.diskCache(); cache != nil {
		config = config.WithCompilationCache(cache)
	}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	engine, err := r.CompileModule(ctx, binary)
	if err == nil {
		err = link(ctx, r, engine)
	}
	var first *snapshot
	if err == nil {
		first, err = take(r, engine)
	}
	if err != nil {
		_ = r.Close(ctx) // the first failure is the one that counts
		return nil, err
	}
	return &started{r, engine, first}, nil
}

// diskCache opens the folder of compiled code; without one the engine is only slower.
func (e *Engine) diskCache() wazero.CompilationCache {
	if e.options.Cache == "" {
		return nil
	}
	err := os.MkdirAll(e.options.Cache, 0o700)
	if err == nil {
		e.cache, err = wazero.NewCompilationCacheWithDir(e.options.Cache)
	}
	if err != nil {
		e.options.Log.Warn("compiled code cannot be kept; programs start slower", "folder", e.options.Cache, "error", err)
		return nil
	}
	return e.cache
}

// Close ends every instance and gives everything back.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	var open []*Instance
	for i := range e.open {
		open = append(open, i)
	}
	e.mu.Unlock()
	for _, i := range open {
		i.Close()
	}
	e.makers.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.ready {
		m.close()
	}
	e.ready = nil
	e.once.Do(func() { e.failed = closed() })
	var err error
	if e.started != nil {
		err = e.started.runtime.Close(ctx)
	}
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}

func closed() error {
	return failure(CodeNoEngine, "Fairlead is shutting down. Nothing was run.")
}
