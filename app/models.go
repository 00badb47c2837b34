package app

import (
	"context"
	"slices"
	"sync"

	"fairlead/llm"
	"fairlead/llm/local"
)

// Served are the models behind one connection, or on one local server.
type Served struct {
	Connection string      `json:"connection"`
	From       string      `json:"from"` // as in [ConnectionRow], or "local"
	BaseURL    string      `json:"baseUrl"`
	Models     []llm.Model `json:"models"`
	Asked      bool        `json:"asked"` // the server itself said so
	Problem    string      `json:"problem,omitempty"`
}

// connecting are the plugins that verbs about models start.
func connecting() []string {
	return []string{"settings", "llm", "connection", "environment-connections", "saved-connections"}
}

// Connections starts the part of the product that knows the connections; see [App.Do]
// and [App.Show] for what it can do. It is to be closed.
func Connections(ctx context.Context, o Options) (*App, error) { return Part(ctx, o, connecting()...) }

// Models lists what can be asked: the models that connections list, and those of the
// servers that are found on this machine. With probe every server is asked.
func Models(ctx context.Context, o Options, probe bool) ([]Served, error) {
	a, err := Connections(ctx, o)
	if err != nil {
		return nil, err
	}
	defer a.Close(context.WithoutCancel(ctx))
	all := a.dial.all()
	list := make([]Served, len(all))
	var wait sync.WaitGroup
	for i, e := range all {
		s := &list[i]
		*s = Served{Connection: e.Name, From: e.from, BaseURL: e.BaseURL, Models: e.said()}
		if probe {
			wait.Go(func() { a.dial.probe(ctx, e, s) })
		}
	}
	var found []*local.Server
	wait.Go(func() { found = local.Find(ctx, a.client, local.Addresses()) })
	wait.Wait()
	for _, server := range found {
		s := Served{Connection: server.Name(), From: "local", BaseURL: server.BaseURL(), Models: append([]llm.Model{}, server.Models...), Asked: true}
		if server.Loading {
			s.Problem = "The model is still being loaded."
		}
		list = append(list, s)
	}
	return list, nil
}

// said are the models that the person listed.
func (c *Connection) said() []llm.Model {
	models := []llm.Model{}
	for _, id := range c.listed() {
		m := llm.Model{ID: id}
		if i := slices.IndexFunc(c.Models, func(e ModelEntry) bool { return e.ID == id }); i >= 0 {
			c.Models[i].describe(&m)
		}
		models = append(models, m)
	}
	return models
}

// probe asks the server of a connection. What the person said of a model counts.
func (d *dialer) probe(ctx context.Context, e entered, s *Served) {
	t, err := d.ask(ctx, e.Connection, d.secret)
	switch {
	case err != nil:
		s.Problem = err.Error()
	case !t.OK:
		s.Problem = t.Text
	default:
		s.Asked = true
		for _, m := range t.Models {
			if !slices.ContainsFunc(s.Models, func(known llm.Model) bool { return known.ID == m.ID }) {
				s.Models = append(s.Models, m)
			}
		}
	}
}
