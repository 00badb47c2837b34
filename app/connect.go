package app

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/settings"
)

// ConnectionChange is what a person says of a connection; what is nil stays as it is.
// Key goes in and never comes out.
type ConnectionChange struct {
	Name    string    `json:"name"`
	BaseURL *string   `json:"baseUrl,omitempty"`
	Wire    *string   `json:"wire,omitempty"` // "chat", "responses" or "anthropic"
	Dialect *string   `json:"dialect,omitempty"`
	KeyEnv  *string   `json:"keyEnv,omitempty"` // the name of an environment variable
	Key     *string   `json:"key,omitempty"`    // the key itself; "" forgets a saved one
	Models  *[]string `json:"models,omitempty"`
	Default *string   `json:"default,omitempty"`
	// Prefer makes the connection's default the default of the whole process.
	Prefer bool `json:"prefer,omitempty"`
}

// Tested is what came of asking a server.
type Tested struct {
	OK     bool        `json:"ok"`
	Models []llm.Model `json:"models"`
	Millis int64       `json:"ms"`
	// Code and Text say what failed, Details in the server's own words.
	Code    string `json:"code,omitempty"`
	Text    string `json:"text,omitempty"`
	Details string `json:"details,omitempty"`
}

const changeSchema = `{"type":"object","properties":{"name":{"type":"string","minLength":1},"baseUrl":{"type":"string"},"wire":{"enum":["chat","responses","messages","anthropic"]},"dialect":{"type":"string"},` +
	`"keyEnv":{"type":"string"},"key":{"type":"string"},"models":{"type":"array","items":{"type":"string"}},"default":{"type":"string"},"prefer":{"type":"boolean"}},"required":["name"],"additionalProperties":false}`

// offer registers what people do with connections.
func (s *savedConnections) offer(f *graph.Fiber) {
	verb := func(name, summary string, run func(context.Context, ConnectionChange) (any, error)) command.Command {
		return command.Command{Name: name, Scope: command.Host, Summary: summary, Params: json.RawMessage(changeSchema),
			Run: func(ctx context.Context, call command.Call) (any, error) {
				var c ConnectionChange
				if err := json.Unmarshal(call.Args, &c); err != nil {
					return nil, fault.New(fault.Invalid, "app.connection", "A connection has a name and an address. Nothing was changed.")
				}
				if c.Key != nil {
					s.redactor.Know(keyOf(c.Name), *c.Key) // before anything can repeat it
				}
				return run(ctx, c)
			}}
	}
	command.RegisterViews(f, s.view())
	command.Register(f,
		verb("connection.add", "Save a way to a server of models; a key goes to the keyring or a file of its own.", func(ctx context.Context, c ConnectionChange) (any, error) { return s.change(ctx, c, true) }),
		verb("connection.edit", "Change a saved connection; what is not named stays.", func(ctx context.Context, c ConnectionChange) (any, error) { return s.change(ctx, c, false) }),
		verb("connection.remove", "Remove a saved connection, with its saved key.", func(ctx context.Context, c ConnectionChange) (any, error) { return nil, s.remove(ctx, c.Name) }),
		verb("connection.test", "Ask the server of a connection, saved or as described, for its models.", func(ctx context.Context, c ConnectionChange) (any, error) { return s.test(ctx, c) }),
	)
}

// keyOf is the name under which the key of a saved connection is kept.
func keyOf(name string) string { return "connection-" + name }

// apply gives a connection with a change in it.
func (c Connection) apply(change ConnectionChange) Connection {
	for from, to := range map[*string]*string{change.BaseURL: &c.BaseURL, change.Wire: &c.Wire, change.Dialect: &c.Dialect, change.KeyEnv: &c.KeyEnv, change.Default: &c.Default} {
		if from != nil {
			*to = *from
		}
	}
	if c.Wire == "anthropic" {
		c.Wire = wireMessages
	}
	if change.Models != nil {
		known := c.Models
		c.Models = nil
		for _, id := range *change.Models {
			entry := ModelEntry{ID: id}
			for _, m := range known {
				if m.ID == id {
					entry = m
				}
			}
			c.Models = append(c.Models, entry)
		}
	}
	if change.Key != nil {
		c.KeyEnv = ""
		if *change.Key != "" {
			c.KeyEnv = keyOf(change.Name)
		}
	}
	return c
}

// change saves a connection, a new one where fresh is true, and gives its row.
func (s *savedConnections) change(ctx context.Context, change ConnectionChange, fresh bool) (ConnectionRow, error) {
	if err := checkName(change.Name); err != nil {
		return ConnectionRow{}, err
	}
	revision := s.document.Revision()
	old, saved := settings.Get(s.document, ModelSection).Connections[change.Name]
	other, taken := s.find(change.Name)
	switch {
	case fresh && (saved || taken):
		return ConnectionRow{}, fault.New(fault.Conflict, "app.connection", "There is a connection %s already. Nothing was changed; choose another name, or edit that one.", change.Name)
	case !fresh && !saved && taken:
		return ConnectionRow{}, fault.New(fault.Invalid, "app.connection", "The connection %s comes from %s, not from the settings. Nothing was changed; change it there, or save another one.", change.Name, other.origin())
	case !fresh && !saved:
		return ConnectionRow{}, fault.New(fault.NotFound, "app.connection", "There is no saved connection %s. Nothing was changed.", change.Name)
	case change.Key != nil && change.KeyEnv != nil:
		return ConnectionRow{}, fault.New(fault.Invalid, "app.connection", "A connection has a key of its own or the name of one, not both. Nothing was changed.")
	}
	c := old.called(change.Name).apply(change)
	if err := c.Check(); err != nil {
		return ConnectionRow{}, err
	}
	if change.Key != nil && *change.Key != "" {
		if _, err := s.credentials.Set(ctx, keyOf(change.Name), *change.Key); err != nil {
			return ConnectionRow{}, err
		}
	}
	changes := map[string]any{"models.connections." + change.Name: c.written()}
	if change.Prefer && c.Default != "" {
		changes["models.default"] = change.Name + "/" + c.Default
	}
	if _, err := s.document.Patch(ctx, revision, changes); err != nil {
		if change.Key != nil && !saved {
			err = errors.Join(err, s.forget(ctx, change.Name))
		}
		return ConnectionRow{}, err
	}
	if old.KeyEnv == keyOf(change.Name) && c.KeyEnv != old.KeyEnv {
		if err := s.forget(ctx, change.Name); err != nil {
			return ConnectionRow{}, err
		}
	}
	if change.Key != nil && saved && c.KeyEnv == old.KeyEnv {
		s.reconcile(ctx) // nothing but the key is another one; where it is may be too
	}
	return s.row(entered{c, fromSettings}), s.ready(ctx, change.Name)
}

// ready waits until the routes of a connection are there.
func (s *savedConnections) ready(ctx context.Context, name string) error {
	s.mu.Lock()
	k, runs := s.live[name]
	problem := s.problems[name]
	s.mu.Unlock()
	if !runs {
		return fault.New(fault.Invalid, "app.connection", "The connection %s was saved but is not used: %s", name, problem)
	}
	return k.fiber.Ready(ctx)
}

// forget removes a saved key, where there is one.
func (s *savedConnections) forget(ctx context.Context, name string) error {
	if err := s.credentials.Delete(ctx, keyOf(name)); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return nil
}

func (s *savedConnections) remove(ctx context.Context, name string) error {
	revision := s.document.Revision()
	section := settings.Get(s.document, ModelSection)
	old, saved := section.Connections[name]
	if !saved {
		if other, taken := s.find(name); taken {
			return fault.New(fault.Invalid, "app.connection", "The connection %s comes from %s, not from the settings. Nothing was removed; take it out there.", name, other.origin())
		}
		return fault.New(fault.NotFound, "app.connection", "There is no saved connection %s. Nothing was removed.", name)
	}
	changes := map[string]any{"models.connections." + name: nil}
	if len(section.Connections) == 1 {
		changes = map[string]any{"models.connections": nil}
	}
	if old.Default != "" && section.Default == name+"/"+old.Default {
		changes["models.default"] = nil
	}
	if _, err := s.document.Patch(ctx, revision, changes); err != nil {
		return err
	}
	return s.forget(ctx, name)
}

// testLimit is how long a server may take to list its models.
const testLimit = 15 * time.Second

// test asks a server for its models: that of a saved connection, with what the change
// says over it.
func (s *savedConnections) test(ctx context.Context, change ConnectionChange) (Tested, error) {
	known, ok := s.find(change.Name)
	if !ok && change.BaseURL == nil {
		return Tested{}, fault.New(fault.NotFound, "app.connection", "There is no connection %s. Nothing was asked; see the list of connections.", change.Name)
	}
	c := known.Connection.called(change.Name).apply(change)
	if err := c.Check(); err != nil {
		return Tested{}, err
	}
	secret := s.secret
	if change.Key != nil {
		secret = func(string) string { return *change.Key }
	}
	return s.ask(ctx, c, secret)
}

// ask asks the server of a connection for its models.
func (d *dialer) ask(ctx context.Context, c Connection, secret func(string) string) (Tested, error) {
	adapter, err := c.adapter(d.client, secret)
	if err != nil {
		return Tested{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	began := time.Now()
	models, err := adapter.Models(ctx)
	t := Tested{OK: err == nil, Models: append([]llm.Model{}, models...), Millis: time.Since(began).Milliseconds()}
	if err != nil {
		t.Code, t.Text = failedTest(c, secret, err)
		t.Details = err.Error()
	}
	return t, nil
}

// failedTest says in plain words why a server did not list its models.
func failedTest(c Connection, secret func(string) string, err error) (code, text string) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return string(llm.CodeTransport), "The server " + c.BaseURL + " cannot be reached. Check that it runs and that the address is right."
	}
	switch e.Code {
	case llm.CodeAuth:
		text = "The server refused the key. Check that it is right and still valid."
		if c.KeyEnv == "" || secret(c.KeyEnv) == "" {
			text = "The server wants a key and there is none. Give one."
		}
	case llm.CodeNotAPI, llm.CodeModel:
		text = "The address answers with something that is no list of models. Check the base URL; it usually ends in /v1."
	case llm.CodeTransport, llm.CodeTimeout:
		text = "The server " + c.BaseURL + " cannot be reached. Check that it runs and that the address is right."
	default:
		text = "The server did not list its models. Look at its own words under Details."
	}
	return string(e.Code), text
}

// written is a connection as the settings keep it: what is not said is left out.
func (c *Connection) written() map[string]any {
	m := map[string]any{"baseUrl": c.BaseURL}
	for key, value := range map[string]string{"wire": c.Wire, "dialect": c.Dialect, "keyEnv": c.KeyEnv, "default": c.Default} {
		if value != "" {
			m[key] = value
		}
	}
	for key, value := range map[string]bool{"textCalls": c.TextCalls, "openedThinking": c.OpenedThinking, "prefer": c.Prefer} {
		if value {
			m[key] = value
		}
	}
	var models []any
	for _, e := range c.Models {
		models = append(models, e.written())
	}
	if models != nil {
		m["models"] = models
	}
	return m
}

func (e *ModelEntry) written() map[string]any {
	m := map[string]any{"id": e.ID}
	if e.Name != "" {
		m["name"] = e.Name
	}
	if e.Window > 0 {
		m["window"] = e.Window
	}
	if e.Vision != nil {
		m["vision"] = *e.Vision
	}
	if e.Tools != nil {
		m["tools"] = *e.Tools
	}
	return m
}

// watch yields the connections, at once and whenever they changed.
func (s *savedConnections) watch(ctx context.Context) iter.Seq[[]ConnectionRow] {
	return graph.Watch(ctx, &s.changed, s.list)
}
