package agent

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"fairlead/config"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/tool"
)

// Spec is a session to be created.
type Spec struct {
	// Folder is the workspace, absolute; it must exist. Empty is a session without one.
	Folder string
	Preset string
	// Parent is set for a helper's session and for a task's run.
	Parent session.ID
	// Mode, Model and Effort hold until a message says otherwise.
	Mode   string
	Model  string
	Effort string
}

// Host keeps the live agents of a process: at most one for a session.
type Host struct {
	fiber *graph.Fiber
	needs needs

	mu      sync.Mutex
	live    map[session.ID]*Agent
	opening map[session.ID]chan struct{}
	closed  bool
}

// HostKey is where the host is provided.
var HostKey = graph.NewKey[*Host]("agent.host", "keeps the live agents, one for a session")

// needs is what every agent of a host stands on.
type needs struct {
	library  *session.Library
	routes   *llm.Routes
	tools    *tool.Registry
	sections *Sections
	presets  *config.Presets // nil where the process has none
	options  Options
	logger   *slog.Logger
}

// Create makes a session and the agent that drives it.
func (h *Host) Create(ctx context.Context, spec Spec) (*Agent, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	preset, err := h.preset(spec.Preset)
	if err != nil {
		return nil, err
	}
	spec.Mode, spec.Model = cmp.Or(spec.Mode, preset.Mode), cmp.Or(spec.Model, preset.Model)
	log, err := h.needs.library.Create(ctx, session.CreatedData{Folder: spec.Folder, Preset: preset.ID, Parent: spec.Parent})
	if err != nil {
		return nil, err
	}
	if spec.Model != "" || spec.Effort != "" {
		if _, err := log.Append(ctx, session.ModelSelected.New(0, 0, session.ModelSelectedData{Route: spec.Model, Effort: spec.Effort})); err != nil {
			return nil, errors.Join(err, log.Close(ctx))
		}
	}
	return h.adopt(ctx, log, preset, spec.Mode)
}

// Open gives the agent of a session, waking it from its log where it is not live.
// Messages that still waited when the last host ended are there again; they run
// with the next message, or when the queue is released.
func (h *Host) Open(ctx context.Context, id session.ID) (*Agent, error) {
	for {
		h.mu.Lock()
		if a := h.live[id]; a != nil {
			h.mu.Unlock()
			return a, nil
		}
		busy := h.opening[id]
		if busy == nil {
			busy = make(chan struct{})
			h.opening[id] = busy
			h.mu.Unlock()
			a, err := h.wakeUp(ctx, id)
			if err == nil {
				Woken.Emit(ctx, a.Realm(), a)
			}
			h.mu.Lock()
			delete(h.opening, id)
			close(busy)
			h.mu.Unlock()
			return a, err
		}
		h.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (h *Host) wakeUp(ctx context.Context, id session.ID) (*Agent, error) {
	if err := h.open(); err != nil {
		return nil, err
	}
	log, err := h.needs.library.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	meta, err := session.StateOf(log, session.Meta)
	if err != nil {
		return nil, errors.Join(err, log.Close(ctx))
	}
	preset, err := h.preset(meta.Preset)
	if err != nil {
		return nil, errors.Join(err, log.Close(ctx))
	}
	return h.adopt(ctx, log, preset, "")
}

func (h *Host) open() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return closing()
	}
	return nil
}

func closing() error {
	return fault.New(fault.Unavailable, "agent.host", "This host is shutting down. Nothing was started; start Fairlead again.")
}

// StandardPreset is the preset of sessions that name none.
const StandardPreset = "standard"

// preset finds the capability set of a session. A process without presets gives
// every session everything.
func (h *Host) preset(id string) (config.Preset, error) {
	if h.needs.presets == nil {
		return config.Preset{ID: id}, nil
	}
	return h.needs.presets.Find(cmp.Or(id, StandardPreset))
}

// furnish makes the realm of a session and puts its preset into it.
func (h *Host) furnish(ctx context.Context, id session.ID, preset config.Preset) (*graph.Fiber, error) {
	room, err := preset.Mount(ctx, h.fiber, string(id))
	if err != nil {
		return nil, err
	}
	if preset.Prompt != "" {
		err = h.needs.sections.Add(room, Section{Name: productSection, Text: preset.Prompt})
	}
	if t := preset.Tools; err == nil && (len(t.Allow) > 0 || len(t.Deny) > 0) {
		err = h.needs.tools.Restrict(room, tool.Filter{Allow: t.Allow, Deny: t.Deny})
	}
	if err != nil {
		return nil, errors.Join(err, room.Dispose(ctx))
	}
	return room, nil
}

// adopt makes the agent of an open log and the realm of its session.
func (h *Host) adopt(ctx context.Context, log *session.Log, preset config.Preset, mode string) (*Agent, error) {
	room, err := h.furnish(ctx, log.ID(), preset)
	if err != nil {
		return nil, errors.Join(err, log.Close(ctx))
	}
	Opening.Emit(ctx, room.Realm(), Opened{Log: log, Room: room})
	idle := make(chan struct{})
	close(idle)
	a := &Agent{
		log: log, room: room, needs: h.needs, live: h.fiber.Context(), mode: mode,
		status: Status{State: Idle}, claiming: map[string]bool{}, idle: idle,
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errors.Join(closing(), log.Close(ctx), room.Dispose(ctx))
	}
	h.live[log.ID()] = a
	return a, nil
}

// Live gives the agent of a session where there is one.
func (h *Host) Live(id session.ID) (*Agent, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, ok := h.live[id]
	return a, ok
}

// All lists the live agents in the order of their ids, which is that of their age.
func (h *Host) All() []*Agent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Values(h.live), func(a, b *Agent) int { return cmp.Compare(a.ID(), b.ID()) })
}

// Release stops the agent of a session, by "user" where something runs, and closes
// its log, so that the session can be deleted or opened elsewhere.
func (h *Host) Release(ctx context.Context, id session.ID) error {
	a, ok := h.Live(id)
	if !ok {
		return nil
	}
	return h.release(ctx, a, "user")
}

// Rest is [Host.Release] for an agent that has nothing to do. False means that it has,
// or is not there; then nothing changes.
func (h *Host) Rest(ctx context.Context, id session.ID) (bool, error) {
	h.mu.Lock()
	a := h.live[id]
	if a == nil || h.opening[id] != nil || !a.rests() {
		h.mu.Unlock()
		return false, nil
	}
	// Whoever opens it meanwhile waits until it is closed, and wakes it anew.
	busy := make(chan struct{})
	h.opening[id] = busy
	delete(h.live, id)
	h.mu.Unlock()
	err := h.release(ctx, a, "user")
	h.mu.Lock()
	delete(h.opening, id)
	close(busy)
	h.mu.Unlock()
	return true, err
}

func (h *Host) release(ctx context.Context, a *Agent, by string) error {
	err := a.retire(ctx, by)
	if err != nil && ctx.Err() != nil {
		return err // still running: the log stays open for the end of the turn
	}
	h.mu.Lock()
	delete(h.live, a.ID())
	h.mu.Unlock()
	return errors.Join(err, a.log.Close(ctx), a.room.Dispose(ctx))
}

// Shutdown stops every agent and closes the logs. Turns that run end durably,
// aborted by "shutdown", as far as ctx gives them time; what is cut short there is
// settled when the session is opened again. Nothing is admitted any more.
func (h *Host) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	var all sync.WaitGroup
	agents := h.All()
	errs := make([]error, len(agents))
	for i, a := range agents {
		all.Go(func() { errs[i] = h.release(ctx, a, "shutdown") })
	}
	all.Wait()
	return errors.Join(errs...)
}
