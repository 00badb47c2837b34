package app

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"fairlead/graph"
	"fairlead/llm"
)

// Where a connection comes from.
const (
	fromSettings = "settings"    // saved by the person
	fromEnv      = "environment" // appeared because a key is set
	fromRows     = "rows"        // a row of the configuration or a flag
)

// dialer makes connections' routes, and knows which connections there are.
type dialer struct {
	client *http.Client
	// secret gives the key of a name, "" where there is none.
	secret func(name string) string

	mu      sync.Mutex
	entered []entered
	changed graph.Bell
}

type entered struct {
	Connection
	from string
}

// register offers the routes of a connection for as long as f runs.
func (d *dialer) register(f *graph.Fiber, routes *llm.Routes, c Connection, from string) error {
	adapter, err := c.adapter(d.client, d.secret)
	if err != nil {
		return err
	}
	counter := c.counter(adapter, d.client)
	make := func(model string) llm.Route {
		r := llm.Route{Name: c.Name + "/" + model, Model: llm.Model{ID: model}, Adapter: adapter, Wire: c.wireName(), Local: c.local(), Counter: counter}
		if i := slices.IndexFunc(c.Models, func(m ModelEntry) bool { return m.ID == model }); i >= 0 {
			if c.Models[i].describe(&r.Model); from == fromEnv && r.Model.Window > 0 {
				r.Model.Source = "table" // no person said it
			}
		}
		return r
	}
	if err := routes.Offer(f, c.Name, make); err != nil {
		return err
	}
	for _, model := range c.listed() {
		if err := routes.Register(f, make(model)); err != nil {
			return err
		}
	}
	if c.Prefer && c.Default != "" {
		routes.Prefer(f, c.Name+"/"+c.Default)
	}
	d.enter(f, entered{c, from})
	return nil
}

func (d *dialer) enter(f *graph.Fiber, e entered) {
	d.mu.Lock()
	d.entered = append(d.entered, e)
	d.mu.Unlock()
	d.changed.Ring()
	f.Effect("lists the connection "+e.Name, func(context.Context) error {
		d.mu.Lock()
		d.entered = slices.DeleteFunc(d.entered, func(o entered) bool { return o.Name == e.Name })
		d.mu.Unlock()
		d.changed.Ring()
		return nil
	})
}

// all are the connections there are, by name.
func (d *dialer) all() []entered {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(slices.Values(d.entered), func(a, b entered) int { return cmp.Compare(a.Name, b.Name) })
}

// find gives the connection of a name.
func (d *dialer) find(name string) (entered, bool) {
	for _, e := range d.all() {
		if e.Name == name {
			return e, true
		}
	}
	return entered{}, false
}

// listed are the models that a connection shows before its server is asked.
func (c *Connection) listed() []string {
	var ids []string
	for _, m := range c.Models {
		ids = append(ids, m.ID)
	}
	if c.Default != "" && !slices.Contains(ids, c.Default) {
		ids = slices.Insert(ids, 0, c.Default)
	}
	return ids
}

// describe puts what a person said of a model into what is known of it.
func (m *ModelEntry) describe(model *llm.Model) {
	model.Name, model.Window, model.Vision, model.Tools = m.Name, m.Window, m.Vision, m.Tools
	if m.Window > 0 {
		model.Source = "person"
	}
}

// format is the wire of a connection without its dialect.
func (c *Connection) format() string {
	format, _, _ := strings.Cut(c.wireName(), "/")
	return format
}
