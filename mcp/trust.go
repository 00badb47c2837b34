package mcp

import (
	"encoding/json"
	"os"
	"slices"
	"sync"
	"time"

	"fairlead/config"
	"fairlead/fault"
)

// trust is the record of what a person approved: the part "mcp" of trust.json. The
// other parts of the file are kept as they are.
type trust struct {
	path string

	mu   sync.Mutex
	read fileStamp
	list map[string]approved
}

// approved is one server as it was approved: how it is started, and its tools.
type approved struct {
	Launch string    `json:"launch"`
	Tools  []offered `json:"tools"` // null for an own tool, which is all launch
	At     int64     `json:"at"`    // Unix milliseconds
}

type fileStamp struct {
	at   time.Time
	size int64
}

// get gives what was approved of a server; ok is false where nothing was. A file that
// cannot be read approves nothing.
func (t *trust) get(name string) (a approved, ok bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil {
		return approved{}, false, err
	}
	a, ok = t.list[name]
	return a, ok, nil
}

// stamp changes whenever the file does.
func (t *trust) stamp() fileStamp {
	about, err := os.Stat(t.path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{about.ModTime(), about.Size()}
}

func (t *trust) load() error {
	now := t.stamp()
	if now == t.read && t.list != nil {
		return nil
	}
	parts, err := config.Parts(t.path)
	list := map[string]approved{}
	if err == nil && len(parts["mcp"]) > 0 {
		err = json.Unmarshal(parts["mcp"], &list)
	}
	if err != nil {
		t.list = nil
		return fault.Wrap(fault.Invalid, "mcp.trust", err, "What was approved cannot be read from %s, so no MCP server is used. Correct the file, or remove it and approve them again.", t.path)
	}
	t.read, t.list = now, list
	return nil
}

// put records an approval, or takes it back where a is nil.
func (t *trust) put(name string, a *approved) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(); err != nil {
		return err
	}
	list := map[string]approved{}
	err := config.ChangePart(t.path, "mcp", func(part json.RawMessage) (json.RawMessage, error) {
		if len(part) > 0 {
			if err := json.Unmarshal(part, &list); err != nil {
				return nil, err
			}
		}
		if delete(list, name); a != nil {
			list[name] = *a
		}
		return json.Marshal(list)
	})
	if err != nil {
		return fault.Wrap(fault.Unavailable, "mcp.trust", err, "The approval could not be written to %s. Nothing was approved; check that the disk has room.", t.path)
	}
	t.list, t.read = nil, fileStamp{} // read anew: another may have written since
	return nil
}

func (a approved) tool(name string) (offered, bool) {
	i := slices.IndexFunc(a.Tools, func(o offered) bool { return o.Name == name })
	if i < 0 {
		return offered{}, false
	}
	return a.Tools[i], true
}
