//go:build !linux

package sandbox

// Leftover is a process that a dead host left running.
type Leftover struct {
	Pid  int    `json:"pid"`
	Name string `json:"name"`
}

// Reclaim finds nothing on this system, which does not let us look into the
// environment of a process.
func (s *Spawner) Reclaim() []Leftover { return nil }

func (s *Spawner) recordHost() {}
func (s *Spawner) forgetHost() {}
