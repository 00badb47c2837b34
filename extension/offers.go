package extension

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"fairlead/fault"
)

// offers is what a package registers. Callbacks are numbers of the sandbox's.
type offers struct {
	tools     []toolOffer
	sections  []string
	services  map[string]map[string]int
	listeners []listenerOffer
	guards    []int
	commands  []commandOffer
	panels    []panelOffer
}

type toolOffer struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Callback    int             `json:"callback"`
}

type listenerOffer struct {
	Kind     string `json:"kind"`
	Callback int    `json:"callback"`
}

type commandOffer struct {
	Name     string `json:"name"`
	Summary  string `json:"summary"`
	Callback int    `json:"callback"`
}

type panelOffer struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	HTML  string `json:"html"`
}

// Bounds of what one package registers: how many of a kind, and bytes of text.
const (
	mostOffers      = 32
	mostSection     = 4 << 10
	mostDescription = 2 << 10
	mostParameters  = 8 << 10
	mostPanel       = 256 << 10
)

var (
	toolName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`) })
	commandName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`) })
)

// add takes one registration in.
func (o *offers) add(what string, args json.RawMessage) error {
	var err error
	read := func(v any) bool {
		if e := json.Unmarshal(args, v); e != nil {
			err = refused("%s takes other arguments", what)
		}
		return err == nil
	}
	switch what {
	case "tool":
		var t toolOffer
		if read(&t) {
			err = o.addTool(t)
		}
	case "section":
		var s struct{ Text string }
		if read(&s) {
			o.sections = append(o.sections, s.Text)
			err = within(len(o.sections), "sections", len(s.Text), mostSection)
		}
	case "service":
		var s struct {
			Name    string
			Methods map[string]int
		}
		if read(&s) {
			err = o.addService(s.Name, s.Methods)
		}
	case "listener":
		var l listenerOffer
		if read(&l) {
			if _, bad := path.Match(l.Kind, ""); bad != nil || l.Kind == "" {
				return refused("%q is no kind of event", l.Kind)
			}
			o.listeners = append(o.listeners, l)
			err = within(len(o.listeners), "listeners", 0, 0)
		}
	case "guard":
		var g struct{ Callback int }
		if read(&g) {
			o.guards = append(o.guards, g.Callback)
			err = within(len(o.guards), "guards", 0, 0)
		}
	case "command":
		var c commandOffer
		if read(&c) {
			if !commandName().MatchString(c.Name) {
				return refused("%q cannot be a command's name", c.Name)
			}
			o.commands = append(o.commands, c)
			err = within(len(o.commands), "commands", len(c.Summary), mostDescription)
		}
	case "panel":
		var p panelOffer
		if read(&p) {
			if !commandName().MatchString(p.Name) {
				return refused("%q cannot be a panel's name", p.Name)
			}
			o.panels = append(o.panels, p)
			err = within(len(o.panels), "panels", len(p.HTML)+len(p.Title), mostPanel)
		}
	default:
		err = refused("%s is nothing that can be registered", what)
	}
	return err
}

func (o *offers) addTool(t toolOffer) error {
	if !toolName().MatchString(t.Name) {
		return refused("%q cannot be a tool's name: small letters, digits and _, a letter first", t.Name)
	}
	if slices.ContainsFunc(o.tools, func(other toolOffer) bool { return other.Name == t.Name }) {
		return refused("the tool %s is registered twice", t.Name)
	}
	if len(t.Parameters) == 0 || string(t.Parameters) == "null" {
		t.Parameters = json.RawMessage(`{"type":"object"}`)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(t.Parameters, &object) != nil || len(t.Parameters) > mostParameters {
		return refused("the parameters of %s are no JSON Schema of an object, or too large", t.Name)
	}
	if strings.TrimSpace(t.Description) == "" {
		return refused("the tool %s has no description", t.Name)
	}
	o.tools = append(o.tools, t)
	return within(len(o.tools), "tools", len(t.Description), mostDescription)
}

func (o *offers) addService(name string, methods map[string]int) error {
	if !commandName().MatchString(name) || len(methods) == 0 {
		return refused("the service %q needs a name of small letters and at least one method", name)
	}
	if o.services == nil {
		o.services = map[string]map[string]int{}
	}
	if o.services[name] != nil {
		return refused("the service %s is registered twice", name)
	}
	o.services[name] = methods
	return within(len(o.services)+len(methods), "services", 0, 0)
}

func within(count int, what string, bytes, most int) error {
	if count > mostOffers {
		return refused("there are more than %d %s", mostOffers, what)
	}
	if bytes > most {
		return refused("one of the %s has %d bytes; %d are the most", what, bytes, most)
	}
	return nil
}

func refused(format string, args ...any) error {
	return fault.New(fault.Invalid, "extension.register", format, args...)
}

// list tells in short words what is registered.
func (o *offers) list() []string {
	var all []string
	for _, t := range o.tools {
		all = append(all, "tool "+t.Name)
	}
	for range o.sections {
		all = append(all, "prompt section")
	}
	for _, name := range slices.Sorted(maps.Keys(o.services)) {
		all = append(all, "service "+name+" ("+strings.Join(slices.Sorted(maps.Keys(o.services[name])), ", ")+")")
	}
	for _, l := range o.listeners {
		all = append(all, "listener "+l.Kind)
	}
	if len(o.guards) > 0 {
		all = append(all, fmt.Sprintf("%d guard(s)", len(o.guards)))
	}
	for _, c := range o.commands {
		all = append(all, "command /"+c.Name)
	}
	for _, p := range o.panels {
		all = append(all, "panel "+p.Name)
	}
	return all
}
