package app

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/local"
	"fairlead/settings"
)

// Connection configures one way to a server of models. Keys are never in it: KeyEnv
// names where one is found.
type Connection struct {
	// Name is the first part of the names of its routes.
	Name string `yaml:"name"`
	// Wire is the format: "chat" (which is what "" means), "responses" or "messages".
	Wire string `yaml:"wire"`
	// BaseURL is the address up to and including the version.
	BaseURL string `yaml:"baseUrl"`
	// KeyEnv names the environment variable that holds the key, or the saved key.
	KeyEnv string `yaml:"keyEnv"`
	// Dialect names what is known of the server: "openai", "deepseek", "openrouter",
	// "anthropic", "llama.cpp", "vllm", "lmstudio", "ollama"; "" is the plain form.
	Dialect string `yaml:"dialect"`
	// TextCalls reads calls that models write as text, for servers that leave them there.
	TextCalls bool `yaml:"textCalls"`
	// OpenedThinking is set where replies begin in the middle of thinking, since the
	// model's template opens it and the server leaves it in the text.
	OpenedThinking bool `yaml:"openedThinking"`
	// Models are listed to the person; others can be used all the same.
	Models []ModelEntry `yaml:"models"`
	// Default is the model of sessions that chose none, where no other connection
	// claims that.
	Default string `yaml:"default"`
	// Prefer makes Default the default of the whole process.
	Prefer bool `yaml:"prefer"`
}

// ModelEntry is what a person says of a model.
type ModelEntry struct {
	ID     string `yaml:"id"`
	Name   string `yaml:"name"`
	Window int    `yaml:"window"`
	Vision *bool  `yaml:"vision"`
	Tools  *bool  `yaml:"tools"`
}

// Check says what is wrong with a connection.
func (c *Connection) Check() error {
	u, err := url.Parse(c.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fault.New(fault.Invalid, "app.connection", "%q is not the address of a server. Nothing was started; give one such as http://127.0.0.1:8080/v1.", c.BaseURL)
	case u.User != nil:
		return fault.New(fault.Invalid, "app.connection", "The address of a server must not hold a name or a password: it is shown and logged. Nothing was started; give a key instead.")
	case c.Name == "" || strings.Contains(c.Name, "/"):
		return fault.New(fault.Invalid, "app.connection", "A connection needs a name without a slash.")
	}
	_, err = newAdapter(c.wireName(), endpoint{})
	return err
}

// local reports whether the server is on this machine; such a one is waited for.
func (c *Connection) local() bool {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// rows is the plugin of rows that are one connection each.
func (d *dialer) rows() graph.Plugin {
	return graph.Plugin{
		Name:   "connection",
		Doc:    "a way to a server of models",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey), graph.Optional(settings.CredentialsKey)},
		Config: func() any { return &Connection{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := cfg.(*Connection)
			if err := c.Check(); err != nil {
				return err
			}
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			return d.register(f, routes, *c, fromRows)
		},
	}
}

// counter is what counts tokens before a request is sent: the format's own way, or
// on this machine that of the server. nil where there is none.
func (c *Connection) counter(adapter llm.Adapter, client *http.Client) llm.Counter {
	if counts, ok := adapter.(llm.Counter); ok {
		return counts
	}
	if c.local() && (c.Wire == "" || c.Wire == wireChat) {
		return local.CounterAt(client, c.BaseURL, local.Kind(c.Dialect))
	}
	return nil
}

// fromEnvironment are the connections that appear by themselves where a key is set.
// Only the variable's name is kept.
func fromEnvironment(environ func(string) string) []Connection {
	known := []Connection{
		{Name: "anthropic", KeyEnv: "ANTHROPIC_API_KEY", BaseURL: "https://api.anthropic.com/v1", Wire: wireMessages, Dialect: "anthropic", Default: "claude-sonnet-4-5",
			Models: []ModelEntry{{ID: "claude-sonnet-4-5", Window: 200_000}}},
		{Name: "openai", KeyEnv: "OPENAI_API_KEY", BaseURL: "https://api.openai.com/v1", Dialect: "openai", Default: "gpt-5.1",
			Models: []ModelEntry{{ID: "gpt-5.1", Window: 400_000}}},
		{Name: "deepseek", KeyEnv: "DEEPSEEK_API_KEY", BaseURL: "https://api.deepseek.com/v1", Dialect: "deepseek", Default: "deepseek-chat",
			Models: []ModelEntry{{ID: "deepseek-chat", Window: 128_000}}},
		{Name: "openrouter", KeyEnv: "OPENROUTER_API_KEY", BaseURL: "https://openrouter.ai/api/v1", Dialect: "openrouter", Default: "openrouter/auto"},
	}
	return slices.DeleteFunc(known, func(c Connection) bool { return environ(c.KeyEnv) == "" })
}

// environment is the plugin of the connections that appear by themselves. One that
// the person saved under the same name takes its place.
func (d *dialer) environment() graph.Plugin {
	return graph.Plugin{
		Name:   "environment-connections",
		Doc:    "a connection for each key found in the environment",
		Inject: []graph.Dependency{graph.Needs(llm.RoutesKey), graph.Optional(settings.CredentialsKey), graph.Optional(settings.DocumentKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			routes, err := graph.Get(f, llm.RoutesKey)
			if err != nil {
				return err
			}
			var mine map[string]Connection
			if document, err := graph.Get(f, settings.DocumentKey); err == nil {
				mine = settings.Get(document, ModelSection).Connections
			}
			for _, c := range fromEnvironment(d.secret) {
				if _, saved := mine[c.Name]; saved {
					continue
				}
				if err := d.register(f, routes, c, fromEnv); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// OnlyModel asks the server for its models and gives the one there is.
func (c *Connection) OnlyModel(ctx context.Context, environ func(string) string) (string, error) {
	client := newClient()
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	adapter, err := c.adapter(client, environ)
	if err != nil {
		return "", err
	}
	models, err := adapter.Models(ctx)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, "app.models", err, "The server %s could not be asked for its models. Nothing was sent; name one with --model, and check that the address is right.", c.BaseURL).WithCode(llm.CodeModelUnavailable)
	}
	ids := make([]string, len(models))
	for i, m := range models {
		ids[i] = m.ID
	}
	switch len(ids) {
	case 0:
		return "", fault.New(fault.Invalid, "app.models", "The server %s lists no model. Nothing was sent; name one with --model.", c.BaseURL)
	case 1:
		return ids[0], nil
	}
	return "", fault.New(fault.Invalid, "app.models", "The server %s has %d models. Nothing was sent; name one with --model: %s.", c.BaseURL, len(ids), strings.Join(ids[:min(len(ids), 8)], ", "))
}

func (c *Connection) key(environ func(string) string) func() string {
	if c.KeyEnv == "" {
		return nil
	}
	return func() string { return environ(c.KeyEnv) }
}
