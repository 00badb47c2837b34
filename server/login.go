package server

import (
	"fairlead/agent"
	"fairlead/graph"
)

// Login carries a start token.
type Login struct {
	Token string `json:"token"`
	// Name is how the device shows in the list of devices.
	Name string `json:"name,omitempty"`
}

// DeviceToken answers a login. It is told once; only its hash is kept.
type DeviceToken struct {
	DeviceToken string `json:"deviceToken"`
}

// nameLength bounds a device's name.
const nameLength = 80

func (s *Server) login(c *call) (any, error) {
	var l Login
	if err := c.read(&l); err != nil {
		return nil, err
	}
	name := l.Name
	if name == "" {
		name = c.UserAgent()
	}
	token, err := s.guard.devices.login(l.Token, name[:min(len(name), nameLength)])
	if err != nil {
		return nil, err
	}
	return DeviceToken{token}, nil
}

// HostStatus says how the host is; it holds no token, key or content.
type HostStatus struct {
	Version    string      `json:"version"`
	Profile    string      `json:"profile"`
	Components []Component `json:"components"`
	Running    int         `json:"activeTurns"`
	Waiting    int         `json:"waitingApprovals"`
	Stopping   bool        `json:"stopping,omitempty"`
	Folder     string      `json:"folder,omitempty"`
}

// Component is a fiber of the host.
type Component struct {
	Path   string `json:"path"`
	Plugin string `json:"plugin"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

func (s *Server) status(*call) (any, error) {
	h := HostStatus{Version: s.options.Version, Profile: s.options.Profile, Components: []Component{}, Folder: s.options.Folder,
		Waiting: len(s.options.Gate.Waiting("")), Stopping: s.underWay() != nil}
	for _, a := range s.options.Host.All() {
		if a.Status().State != agent.Idle {
			h.Running++
		}
	}
	if s.options.Inventory != nil {
		for _, f := range s.options.Inventory() {
			h.Components = append(h.Components, component(f))
		}
	}
	return h, nil
}

func component(f graph.Status) Component {
	return Component{Path: f.Path, Plugin: f.Plugin, State: string(f.State), Reason: f.Reason}
}
