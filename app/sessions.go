package app

import (
	"fairlead/agent"
	"fairlead/session"
)

// Request gives the exact bytes of the nth request of a session; see [agent.Rebuild].
func Request(log *session.Log, n int) ([]byte, session.RequestHeaderData, error) {
	return agent.Rebuild(log, n, encoder)
}
