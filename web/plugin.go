package web

import (
	"context"
	"net/url"

	"fairlead/command"
	"fairlead/graph"
	"fairlead/settings"
	"fairlead/tool"
)

// Plugins are the rows of this room: the way to the web, and what stands on it, each
// to be replaced or left out by itself.
func Plugins(o Options) []graph.Plugin {
	if o.Secret == nil {
		o.Secret = func(string) string { return "" }
	}
	return []graph.Plugin{wayPlugin(o), searchPlugin(o), searxngPlugin(), fetchPlugin()}
}

func wayPlugin(o Options) graph.Plugin {
	return graph.Plugin{
		Name:     "web",
		Doc:      "reaches public addresses of the web; fetches the pictures that the page shows on request",
		Inject:   []graph.Dependency{graph.Optional(settings.DocumentKey)},
		Provides: []graph.AnyKey{Key, command.PictureKey},
		Apply: func(f *graph.Fiber, _ any) error {
			read := func() Settings { return Settings{Provider: free} }
			if d, err := graph.Get(f, settings.DocumentKey); err == nil {
				d.Declare(f, Section)
				read = func() Settings { return settings.Get(d, Section) }
			}
			w := newWeb(o.Network, read, f.Log())
			f.Effect("connections to the web", func(context.Context) error {
				w.public.CloseIdleConnections()
				w.keyed.CloseIdleConnections()
				return nil
			})
			if err := graph.Provide[command.Pictures](f, command.PictureKey, pictures{w}); err != nil {
				return err
			}
			return graph.Provide(f, Key, w)
		},
	}
}

func fetchPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "web-fetch",
		Doc:    "lets the model read pages of the web",
		Inject: []graph.Dependency{graph.Needs(Key), graph.Needs(tool.RegistryKey)},
		Apply:  func(f *graph.Fiber, _ any) error { return offer(f, func(w *Web) tool.Tool { return fetch{w} }) },
	}
}

// offer registers a tool that stands on the way to the web.
func offer(f *graph.Fiber, build func(*Web) tool.Tool) error {
	w, err := graph.Get(f, Key)
	if err != nil {
		return err
	}
	registry, err := graph.Get(f, tool.RegistryKey)
	if err != nil {
		return err
	}
	return registry.Register(f, build(w))
}

func searxngPlugin() graph.Plugin {
	return graph.Plugin{
		Name:   "web-search-searxng",
		Doc:    "lets the model search the web through an instance of SearXNG; takes the place of web-search",
		Inject: []graph.Dependency{graph.Needs(Key), graph.Needs(tool.RegistryKey)},
		Config: func() any { return &SearXNG{} },
		Apply: func(f *graph.Fiber, cfg any) error {
			c := cfg.(*SearXNG)
			if err := c.Check(); err != nil {
				return err
			}
			at, err := url.Parse(c.URL)
			if err != nil {
				return err
			}
			return offer(f, func(w *Web) tool.Tool {
				p := searxng{w, at}
				return &search{cache: &cache{}, choose: func() (provider, string, string) { return p, at.Hostname(), "" }}
			})
		},
	}
}

// searchPlugin asks the provider of the settings, now as they are, so a change counts
// from the next call.
func searchPlugin(o Options) graph.Plugin {
	return graph.Plugin{
		Name:   "web-search",
		Doc:    "lets the model search the web: free engines, or a provider with the person's key",
		Inject: []graph.Dependency{graph.Needs(Key), graph.Needs(tool.RegistryKey)},
		Apply: func(f *graph.Fiber, _ any) error {
			return offer(f, func(w *Web) tool.Tool {
				c := &choice{web: w, secret: o.Secret, engines: newEngines(w)}
				command.RegisterViews(f, command.View{
					Name: "web", Scope: command.Host, Summary: "Who is asked when the web is searched, which keys are saved, and which engines rest.",
					Read: func(context.Context, command.Query) (any, error) { return c.read(), nil },
				})
				return &search{cache: &cache{}, choose: c.choose}
			})
		},
	}
}
