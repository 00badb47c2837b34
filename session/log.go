package session

// Log is the durable event log of one session.
type Log struct{}
