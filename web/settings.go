package web

import "fairlead/settings"

// Settings are the person's choices for the web.
type Settings struct {
	Provider string   `yaml:"provider" enum:"free,exa,perplexity,deepseek" doc:"Who is asked when the web is searched. All but free need a key; without it the free engines are asked."`
	Allow    []string `yaml:"allow" doc:"Hosts of this machine or its own network that pages may be read from like from the open web, each as host:port."`
}

// Section is the part of the settings that holds them.
var Section = settings.NewSection("web", "Searching the web and reading its pages.", Settings{Provider: free})
