package external

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"fairlead/fault"
)

// remembered is the last session of an agent in a folder that ended well.
type remembered struct {
	Agent   string    `json:"agent"`
	Folder  string    `json:"folder"`
	Session string    `json:"session"`
	Access  Access    `json:"access"`
	At      time.Time `json:"at"`
}

// memory keeps them in a file. Two processes that write at once lose one of the two
// entries, and that agent begins anew once.
type memory struct {
	path string

	mu   sync.Mutex
	busy map[string]bool // sessions that a run goes on with now, by agent and id
}

// mostRemembered bounds the file; the oldest are forgotten.
const mostRemembered = 500

func (m *memory) read() ([]remembered, error) {
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []remembered
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "external.memory", err, "The list of agents' sessions (%s) cannot be read. Nothing was started; ask with a new session, or remove the file.", m.path)
	}
	return list, nil
}

// last gives the session to go on with; the zero value where there is none, or one
// that another run goes on with just now.
func (m *memory) last(agent, folder string) (remembered, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, err := m.read()
	if err != nil {
		return remembered{}, err
	}
	for _, r := range slices.Backward(list) {
		if r.Agent == agent && r.Folder == folder {
			return r, nil
		}
	}
	return remembered{}, nil
}

// named finds a session by its id.
func (m *memory) named(agent, session string) (remembered, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, err := m.read()
	for _, r := range list {
		if r.Agent == agent && r.Session == session {
			return r, nil
		}
	}
	return remembered{}, err
}

// claim takes a session for one run; false where another one has it.
func (m *memory) claim(agent, session string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := agent + "\x00" + session
	if m.busy[key] {
		return false
	}
	if m.busy == nil {
		m.busy = map[string]bool{}
	}
	m.busy[key] = true
	return true
}

func (m *memory) release(agent, session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.busy, agent+"\x00"+session)
}

// remember writes down a session that ended well.
func (m *memory) remember(r remembered) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, err := m.read()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old remembered) bool {
		return old.Agent == r.Agent && old.Folder == r.Folder
	})
	list = append(list, r)
	text, err := json.MarshalIndent(list[max(0, len(list)-mostRemembered):], "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(m.path), 0o700)
	}
	fresh := m.path + ".new"
	if err == nil {
		err = os.WriteFile(fresh, text, 0o600)
	}
	if err == nil {
		err = os.Rename(fresh, m.path)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "external.memory", err, "Which session the agent had cannot be kept, so the next call begins a new one.")
	}
	return nil
}
