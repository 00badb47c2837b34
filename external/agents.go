package external

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/sandbox"
	"fairlead/session"
	"fairlead/tool"
)

// Key is where the agents are found.
var Key = graph.NewKey[*Agents]("external", "other products' agents: which are there, asking them, their runs")

// Options are what the room needs of who composes the product.
type Options struct {
	// Dir keeps what agents print, and which session is gone on with where.
	Dir string
	// Own are the product's own folders, which no agent may change.
	Own []string
	// Personal is the person's home folder.
	Personal string
	// Environ reads a variable of this process: the PATH, and where products keep their things.
	Environ func(name string) string
}

// Agents are the external agents of this machine.
type Agents struct {
	Table *Table

	options  Options
	config   Config
	box      sandbox.Sandbox
	settings func() Settings
	log      *slog.Logger
	library  *session.Library // nil where there is none
	swept    sync.Once
	memory   *memory
	patience time.Duration
	known    []*Adapter

	mu       sync.Mutex
	versions map[string]version // by path
}

// version is what a program said of itself when it was as changed and size say.
type version struct {
	changed time.Time
	size    int64
	text    string
	reason  string
}

func newAgents(o Options, c Config, box sandbox.Sandbox, settings func() Settings, log *slog.Logger) *Agents {
	if o.Environ == nil {
		o.Environ = func(string) string { return "" }
	}
	return &Agents{Table: newTable(c.limits()), options: o, config: c, box: box, settings: settings, log: log, patience: patience,
		memory: &memory{path: filepath.Join(o.Dir, "sessions.json")}, known: []*Adapter{claude(), codex(), grok()}, versions: map[string]version{}}
}

// Names lists the agents that can be asked, by name, installed or not.
func (a *Agents) Names() []string {
	var names []string
	for _, ad := range a.known {
		names = append(names, ad.Name)
	}
	return names
}

// adapter finds an agent by name, with what the person chose for it.
func (a *Agents) adapter(name string) (*Adapter, Choice, error) {
	choice := a.settings().Agents[name]
	at := slices.IndexFunc(a.known, func(ad *Adapter) bool { return ad.Name == name })
	switch {
	case at < 0:
		return nil, choice, fault.New(fault.NotFound, "external.agent", "There is no agent %q. Nothing was started; there are %s.", name, list(a.Names()))
	case choice.Disabled:
		return nil, choice, fault.New(fault.Denied, "external.agent", "The person has switched the agent %s off. Nothing was started.", name)
	}
	return a.known[at], choice, nil
}

// Found is an agent as people see it.
type Found struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	// State is "ready", "not-signed-in" (as far as can be seen), "missing", "broken" or
	// "disabled"; Reason says more in a sentence.
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Choice  Choice `json:"choice"`
}

// Found looks which agents are installed. It starts each program once to ask its
// version, and again only where the program has changed.
func (a *Agents) Found(ctx context.Context) []Found {
	list := make([]Found, len(a.known))
	var looking sync.WaitGroup
	for i, ad := range a.known {
		looking.Go(func() { list[i] = a.look(ctx, ad) })
	}
	looking.Wait()
	return list
}

func (a *Agents) look(ctx context.Context, ad *Adapter) Found {
	f := Found{Name: ad.Name, Label: ad.Label, Choice: a.settings().Agents[ad.Name]}
	f.Path = a.find(ad.Program)
	switch {
	case f.Choice.Disabled:
		f.State = "disabled"
		return f
	case f.Path == "":
		f.State, f.Reason = "missing", ad.Label+" is not installed, or not on the PATH."
		return f
	}
	v := a.versionOf(ctx, f.Path)
	f.Version = v.text
	switch {
	case v.reason != "":
		f.State, f.Reason = "broken", v.reason
	case !a.signedIn(ad):
		f.State, f.Reason = "not-signed-in", "No sign-in was found. "+ad.SignIn
	default:
		f.State = "ready"
	}
	return f
}

// signedIn looks for the product's credential. Where it keeps none in files, it counts
// as signed in until it says otherwise.
func (a *Agents) signedIn(ad *Adapter) bool {
	home := a.home(ad)
	if home == "" || len(ad.Credentials) == 0 {
		return true
	}
	return slices.ContainsFunc(ad.Credentials, func(name string) bool {
		_, err := os.Stat(filepath.Join(home, name))
		return err == nil
	})
}

// find looks a program up on the PATH; "" where it is not there.
func (a *Agents) find(program string) string {
	if filepath.IsAbs(program) {
		return program
	}
	for _, dir := range filepath.SplitList(a.options.Environ("PATH")) {
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

const versionLimit = 20 * time.Second

var versionText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(\.\d+)+[-+.\w]*`) })

// versionOf asks a program for its version.
func (a *Agents) versionOf(ctx context.Context, path string) version {
	info, err := os.Stat(path)
	if err != nil {
		return version{reason: "The program " + path + " cannot be looked at."}
	}
	a.mu.Lock()
	v, ok := a.versions[path]
	a.mu.Unlock()
	if ok && v.changed.Equal(info.ModTime()) && v.size == info.Size() {
		return v
	}
	v = a.askVersion(ctx, path)
	v.changed, v.size = info.ModTime(), info.Size()
	if ctx.Err() == nil {
		a.mu.Lock()
		a.versions[path] = v
		a.mu.Unlock()
	}
	return v
}

func (a *Agents) askVersion(ctx context.Context, path string) (v version) {
	ctx, cancel := context.WithTimeout(ctx, versionLimit)
	defer cancel()
	var out bytes.Buffer
	said := &tail{most: 4 << 10}
	p, err := a.box.Start(ctx, sandbox.Spec{Argv: []string{path, "--version"}, Dir: "/", Stdout: said, Stderr: &out, Label: "version of " + filepath.Base(path),
		Policy: sandbox.Policy{Unconfined: a.box.Probe().Files == ""}})
	if err != nil {
		return version{reason: fault.Person(err)}
	}
	exit, err := p.Wait(context.WithoutCancel(ctx))
	if err != nil || exit.Code != 0 {
		return version{reason: "It does not say its version." + lastLines(out.String())}
	}
	text := string(said.kept)
	if found := versionText().FindString(text); found != "" {
		return version{text: found}
	}
	return version{text: tool.OutsideLine(text, 60)}
}
