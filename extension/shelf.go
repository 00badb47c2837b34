package extension

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"fairlead/agent"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/script"
	"fairlead/session"
	"fairlead/tool"
)

// shelf holds the packages of one session: those that were defined in it since its
// agent woke.
type shelf struct {
	fiber    *graph.Fiber // packages run below it
	engine   *script.Engine
	registry *tool.Registry
	sections *agent.Sections

	changing sync.Mutex // held while a package starts or stops
	mu       sync.Mutex
	packages map[string]*pack
	changed  graph.Bell
}

// pack is a package: its versions, and what runs of it.
type pack struct {
	name     string
	versions []version
	running  *running // nil where nothing does
}

// version is immutable code. Numbers count from 1.
type version struct {
	number  int
	purpose string
	code    string
	sum     string
	at      time.Time
}

// What bounds a session's packages.
const (
	mostPackages = 20
	mostVersions = 50
	mostCode     = 256 << 10 // bytes of one version
)

var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`) })

// define adds a version. Its code is checked, not run.
func (s *shelf) define(ctx context.Context, call *tool.Call, name, purpose, code string) (version, error) {
	if !validName().MatchString(name) {
		return version{}, fault.New(fault.Invalid, "extension.define", "%q cannot be a package's name: small letters, digits and -, at most 40 of them, a letter first. Nothing was defined.", name)
	}
	if len(code) > mostCode {
		return version{}, fault.New(fault.TooLarge, "extension.define", "The code has %d bytes; %d are the most. Nothing was defined.", len(code), mostCode)
	}
	if err := script.Check(name+".ts", code); err != nil {
		return version{}, err
	}
	sum := sha256.Sum256([]byte(code))
	v := version{purpose: purpose, code: code, sum: hex.EncodeToString(sum[:]), at: time.Now()}
	s.mu.Lock()
	p := s.packages[name]
	switch {
	case p == nil && len(s.packages) >= mostPackages:
		s.mu.Unlock()
		return version{}, fault.New(fault.TooLarge, "extension.define", "This session has %d packages already. Nothing was defined; undefine one that is not needed.", mostPackages)
	case p == nil:
		p = &pack{name: name}
		s.packages[name] = p
	case len(p.versions) >= mostVersions:
		s.mu.Unlock()
		return version{}, fault.New(fault.TooLarge, "extension.define", "%s has %d versions already. Nothing was defined; undefine the package and begin anew.", name, mostVersions)
	}
	v.number = len(p.versions) + 1
	p.versions = append(p.versions, v)
	s.mu.Unlock()
	s.changed.Ring()
	_, err := call.Log.Append(ctx, Defined.New(call.Turn, call.Step, DefinedData{Call: call.ID, Package: name, Version: v.number, Purpose: purpose, SHA256: v.sum}))
	return v, err
}

// find gives a version of a package; number 0 is the newest.
func (s *shelf) find(name string, number int) (*pack, version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.packages[name]
	if p == nil {
		return nil, version{}, s.unknown(name)
	}
	number = cmp.Or(number, len(p.versions))
	if number < 1 || number > len(p.versions) {
		return nil, version{}, fault.New(fault.NotFound, "extension.find", "%s has the versions 1 to %d, not %d. Nothing was changed.", name, len(p.versions), number)
	}
	return p, p.versions[number-1], nil
}

// unknown names what there is. s.mu is held.
func (s *shelf) unknown(name string) error {
	names := slices.Sorted(maps.Keys(s.packages))
	if len(names) == 0 {
		return fault.New(fault.NotFound, "extension.find", "There is no package %q: none is defined in this session since its agent started. Nothing was changed.", name)
	}
	return fault.New(fault.NotFound, "extension.find", "There is no package %q; there are %q. Nothing was changed.", name, names)
}

// stop ends what runs of a package and keeps its versions.
func (s *shelf) stop(ctx context.Context, log *session.Log, turn, step int, name, by string) (int, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	p, _, err := s.find(name, 0)
	if err != nil {
		return 0, err
	}
	r := p.running
	if r == nil {
		return 0, fault.New(fault.Conflict, "extension.stop", "%s does not run. Nothing was changed.", name)
	}
	if err := r.fiber.Dispose(ctx); err != nil {
		return 0, err
	}
	s.set(p, nil)
	_, err = log.Append(ctx, Stopped.New(turn, step, StoppedData{Package: name, Version: r.version.number, By: by}))
	return r.version.number, err
}

// undefine removes a package with all its versions.
func (s *shelf) undefine(ctx context.Context, log *session.Log, turn, step int, name, by string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	p, _, err := s.find(name, 0)
	if err != nil {
		return err
	}
	if r := p.running; r != nil {
		if err := r.fiber.Dispose(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	delete(s.packages, name)
	s.mu.Unlock()
	s.changed.Ring()
	_, err = log.Append(ctx, Undefined.New(turn, step, UndefinedData{Package: name, By: by}))
	return err
}

// set says what runs of a package.
func (s *shelf) set(p *pack, r *running) {
	s.mu.Lock()
	p.running = r
	s.mu.Unlock()
	s.changed.Ring()
}

// service finds the running package that offers a service.
func (s *shelf) service(name string) (*running, map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packages {
		if p.running != nil {
			if methods, ok := p.running.offered().services[name]; ok {
				return p.running, methods
			}
		}
	}
	return nil, nil
}
