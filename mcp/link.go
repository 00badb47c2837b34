package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// relistGap is the least time between two readings of a list because its server says
// that it changed.
const relistGap = time.Second

// link is one connection.
type link struct {
	session *sdk.ClientSession
	child   *child // nil for an address
	heard   *heard
	since   time.Time

	mu      sync.Mutex
	tools   map[string]offered
	order   []string
	skipped []skipped
	relist  bool      // a reading of the list is on its way
	asked   []*asking // calls that the server works on
}

// list reads the tools that the server offers now.
func (l *link) list(ctx context.Context) error {
	var all []*sdk.Tool
	if caps := l.session.InitializeResult().Capabilities; caps == nil || caps.Tools != nil {
		for t, err := range l.session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			if all = append(all, t); len(all) > 2*mostTools {
				break
			}
		}
	}
	tools, left := readTools(all)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tools, l.order, l.skipped = map[string]offered{}, nil, left
	for _, o := range tools {
		l.tools[o.Name] = o
		l.order = append(l.order, o.Name)
	}
	return nil
}

// relist reads the list again because the server says that it changed, at most once
// in a while, however often it says so.
func (s *server) relist(l *link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.relist {
		return
	}
	l.relist = true
	go func() {
		wait := time.NewTimer(relistGap)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-s.ctx.Done():
			return
		}
		l.mu.Lock()
		l.relist = false
		l.mu.Unlock()
		ctx, cancel := context.WithTimeout(s.ctx, startLimit)
		defer cancel()
		if err := l.list(ctx); err != nil {
			s.deps.log.Warn("the list of an MCP server cannot be read again; the old one counts", "server", s.name, "error", err)
			return
		}
		s.changed()
	}()
}

// offers gives the tools of the connection, in the server's order, and those left out.
func (l *link) offers() ([]offered, []skipped) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]offered, len(l.order))
	for i, name := range l.order {
		list[i] = l.tools[name]
	}
	return list, l.skipped
}

// offer gives a tool as the server offers it now.
func (l *link) offer(name string) (offered, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o, ok := l.tools[name]
	return o, ok
}
