package extension

import (
	"context"
	_ "embed"
	"encoding/json"
	"sync"
	"time"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/script"
	"fairlead/session"
	"fairlead/tool"
)

//go:embed prelude.js
var prelude string

// What a package gets: memory for its whole life, the rest for each entry.
var (
	startBudget = script.Budget{Wall: 5 * time.Second, Fuel: 4_000, Memory: 32 << 20, Output: 64 << 10}
	toolBudget  = script.Budget{Wall: time.Minute, Patient: true, Fuel: 20_000, Memory: 32 << 20, Output: 1 << 20}
	askBudget   = script.Budget{Wall: 2 * time.Second, Fuel: 1_000, Memory: 32 << 20, Output: 64 << 10}
)

// running is an activated version: its sandbox and what it registers. When the sandbox
// breaks, its fiber starts it once more.
type running struct {
	shelf   *shelf
	name    string
	version version
	log     *session.Log
	fiber   *graph.Fiber

	mu       sync.Mutex
	instance *script.Instance
	offers   *offers
	ready    bool  // the instance is new and no fiber has it yet
	falls    int   // how often the sandbox broke
	broke    error // why it broke last
}

// run activates a version in the place of what runs of the package. On an error the
// version that ran goes on.
func (s *shelf) run(ctx context.Context, call *tool.Call, name string, number int) (*running, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	p, v, err := s.find(name, number)
	if err != nil {
		return nil, err
	}
	r := &running{shelf: s, name: name, version: v, log: call.Log}
	was, err := s.activate(ctx, p, r)
	if err != nil {
		return nil, err
	}
	_, err = call.Log.Append(ctx, Activated.New(call.Turn, call.Step, ActivatedData{Call: call.ID, Package: name, Version: v.number, Before: was, Offers: r.offered().list()}))
	return r, err
}

// activate puts a version in the place of the one that runs, and gives the number of
// that, 0 for none. s.changing is held.
func (s *shelf) activate(ctx context.Context, p *pack, r *running) (was int, err error) {
	v, before := r.version, p.running
	if err := r.start(ctx); err != nil {
		return 0, kept(p, v, err)
	}
	if err := r.fits(ctx, before); err != nil {
		r.instance.Close()
		return 0, kept(p, v, err)
	}
	if before != nil {
		was = before.version.number
		if err := before.fiber.Dispose(ctx); err != nil {
			r.instance.Close()
			return 0, err
		}
	}
	if err := s.mount(ctx, r); err != nil {
		if before != nil { // it starts anew: what it held was dropped with its sandbox
			before.reset()
			if again := s.mount(ctx, before); again != nil {
				s.set(p, nil)
				return 0, fault.Wrap(fault.Internal, "extension.run", again, "Version %d of %s could not be activated, and version %d does not start again. Nothing of the package runs.", v.number, p.name, was)
			}
		}
		return 0, kept(p, v, err)
	}
	s.set(p, r)
	return was, nil
}

// kept says what an activation that failed has left.
func kept(p *pack, v version, err error) error {
	left := "Nothing of the package runs."
	if p.running != nil {
		left = "The version that ran goes on."
	}
	return fault.Wrap(fault.KindOf(err), "extension.run", err, "Version %d of %s was not activated: %s %s", v.number, p.name, fault.ForModel(err), left).WithCode("ACTIVATION_FAILED")
}

// mount puts a running package into the graph and waits until it stands.
func (s *shelf) mount(ctx context.Context, r *running) error {
	f, err := s.fiber.Plug(r.name, graph.Plugin{Name: "package", Doc: "a dynamic package of this session: " + r.version.purpose, Apply: r.apply}, nil)
	if err != nil {
		return err
	}
	s.mu.Lock()
	r.fiber = f
	s.mu.Unlock()
	if err := f.Ready(ctx); err != nil {
		return err
	}
	if err := f.Err(); err != nil {
		if gone := f.Dispose(ctx); gone != nil {
			return gone
		}
		return err
	}
	return nil
}

// start runs the code in a new sandbox and gathers what it registers.
func (r *running) start(ctx context.Context) error {
	o := &offers{}
	open := true // registrations are taken
	var mu sync.Mutex
	instance, _, err := r.shelf.engine.Open(ctx, script.Program{
		Name: r.name + ".ts", Code: r.version.code, Prelude: prelude, Seed: r.version.sum, Now: time.Now(), Budget: startBudget,
		Call: r.called,
		Direct: func(what string, args json.RawMessage) (json.RawMessage, error) {
			if what == "methods" {
				return r.methods(args)
			}
			mu.Lock()
			defer mu.Unlock()
			if !open {
				return nil, refused("a package registers only while it starts, at the top level of its code")
			}
			return nil, o.add(what, args)
		},
	})
	if err != nil {
		return err
	}
	mu.Lock()
	open = false
	mu.Unlock()
	if r.log == nil && len(o.listeners) > 0 {
		instance.Close()
		return refused("a plugin belongs to no session, so it cannot listen to a session's events")
	}
	if len(o.list()) == 0 {
		instance.Close()
		return refused("it registers nothing, so it would do nothing")
	}
	r.mu.Lock()
	r.instance, r.offers, r.ready = instance, o, true
	r.mu.Unlock()
	return nil
}

// fits checks that nothing it registers is there already, but for what goes with the
// version before.
func (r *running) fits(ctx context.Context, before *running) error {
	realm, old := r.shelf.fiber.Realm(), &offers{}
	if before != nil {
		old = before.offered()
	}
	for _, t := range r.offers.tools {
		if r.shelf.registry.Find(realm, t.Name) != nil && !old.hasTool(t.Name) {
			return fault.New(fault.Conflict, "extension.run", "There is a tool %q already.", t.Name)
		}
	}
	for _, c := range r.offers.commands {
		if _, taken := command.Find(ctx, realm, c.Name); taken && !old.hasCommand(c.Name) {
			return fault.New(fault.Conflict, "extension.run", "There is a command /%s already.", c.Name)
		}
	}
	for name := range r.offers.services {
		if by, _ := r.shelf.service(name); by != nil && by != before {
			return fault.New(fault.Conflict, "extension.run", "The package %s offers a service %q already.", by.name, name)
		}
	}
	return nil
}

func (o *offers) hasTool(name string) bool {
	for _, t := range o.tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

func (o *offers) hasCommand(name string) bool {
	for _, c := range o.commands {
		if c.Name == name {
			return true
		}
	}
	return false
}

// offered is what it registers, and sandbox the instance that runs now.
func (r *running) offered() *offers {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.offers
}

func (r *running) sandbox() *script.Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.instance
}

// reset lets a package begin anew that was disposed.
func (r *running) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready, r.falls, r.broke = false, 0, nil
}
