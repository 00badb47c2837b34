package app

import (
	"net/http"

	"fairlead/graph"
	"fairlead/llm"
	"fairlead/llm/local"
)

// localServers is the plugin that finds servers of models on this machine.
func localServers(client *http.Client) graph.Plugin {
	return local.Plugin(local.Options{Client: client, Adapter: func(s *local.Server) (llm.Adapter, string, error) {
		c := Connection{Name: s.Name(), BaseURL: s.BaseURL(), Dialect: string(s.Kind)}
		adapter, err := c.adapter(client, nil)
		return adapter, c.wireName(), err
	}})
}
