package web

import (
	"fmt"
	"time"
)

// choice is who is asked: the provider that the person chose, and the free engines
// where it lacks its key.
type choice struct {
	web     *Web
	secret  func(name string) string
	engines *engines
}

// freeHost is what the free engines are called where a person is told who gets the words.
const freeHost = "DuckDuckGo, Bing"

func (c *choice) choose() (p provider, host, note string) {
	id := c.web.settings().Provider
	for _, one := range paidProviders() {
		if one.id != id {
			continue
		}
		if key := c.secret(one.key); key != "" {
			return keyed{one, c.web, key}, one.name, ""
		}
		return c.engines, freeHost, fmt.Sprintf("[There is no key for %s, so the free engines were asked.]", one.name)
	}
	return c.engines, freeHost, ""
}

// State is the view "web".
type State struct {
	// Provider is the one that the settings name; Asked is who is asked now.
	Provider  string          `json:"provider"`
	Asked     string          `json:"asked"`
	Providers []ProviderState `json:"providers"`
	Engines   []EngineState   `json:"engines"`
}

// ProviderState says whether a provider can be asked. Key is the name its key is
// saved under; the key itself is never shown.
type ProviderState struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Key    string `json:"key"`
	KeySet bool   `json:"keySet"`
}

// EngineState says until when an engine that refused is left alone, in Unix
// milliseconds; 0 where it may be asked.
type EngineState struct {
	Name       string `json:"name"`
	RestsUntil int64  `json:"restsUntil,omitempty"`
}

func (c *choice) read() State {
	_, asked, _ := c.choose()
	s := State{Provider: c.web.settings().Provider, Asked: asked}
	for _, p := range paidProviders() {
		s.Providers = append(s.Providers, ProviderState{p.id, p.name, p.key, c.secret(p.key) != ""})
	}
	for _, e := range c.engines.list {
		state := EngineState{Name: e.name}
		if until := e.pace.restsUntil(); until != (time.Time{}) {
			state.RestsUntil = until.UnixMilli()
		}
		s.Engines = append(s.Engines, state)
	}
	return s
}
