package turnguard

import (
	"context"
	"sync"
	"time"

	"fairlead/agent"
	"fairlead/session"
)

// kin knows which sessions are helpers of which, and adds up what a tree of them has
// used up. It reads the sessions on disk once, when the first budget for a tree is
// kept, and then only what is opened.
type kin struct {
	host    *agent.Host
	library *session.Library

	mu     sync.Mutex
	parent map[session.ID]session.ID // nil before the first reading
	opened []session.ID              // since then, to be read
}

// see notes a session that was opened.
func (k *kin) see(id session.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.parent != nil {
		k.opened = append(k.opened, id)
	}
}

// parents brings the family up to date and gives it; it is not to be changed.
func (k *kin) parents(ctx context.Context) (map[session.ID]session.ID, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.parent == nil {
		list, err := k.library.List(ctx)
		if err != nil {
			return nil, err
		}
		k.parent = map[session.ID]session.ID{}
		for _, s := range list {
			k.parent[s.ID] = s.Parent
		}
	}
	for _, id := range k.opened {
		if _, known := k.parent[id]; known {
			continue
		}
		if a, ok := k.host.Live(id); ok {
			k.adopt(id, a.Log().Header().Parent)
		}
	}
	k.opened = nil
	return k.parent, nil
}

// adopt adds a session to a new map: the old one may be in use.
func (k *kin) adopt(id, parent session.ID) {
	grown := make(map[session.ID]session.ID, len(k.parent)+1)
	for child, p := range k.parent {
		grown[child] = p
	}
	grown[id] = parent
	k.parent = grown
}

// tree sums what a session, its helpers, and those it helps have used up.
func (k *kin) tree(ctx context.Context, log *session.Log, now time.Time) (Tally, error) {
	parents, err := k.parents(ctx)
	if err != nil {
		return Tally{}, err
	}
	root := rootOf(parents, log.ID(), log.Header().Parent)
	var sum Tally
	seen := false
	for id := range parents {
		if rootOf(parents, id, parents[id]) != root {
			continue
		}
		seen = seen || id == log.ID()
		t, err := k.spent(ctx, id, now)
		if err != nil {
			return Tally{}, err
		}
		sum = sum.plus(t)
	}
	if !seen {
		s, err := session.StateOf(log, Spent)
		if err != nil {
			return Tally{}, err
		}
		sum = sum.plus(s.upTo(s.Session, now))
	}
	return sum, nil
}

// rootOf climbs from a session to the one that nobody started.
func rootOf(parents map[session.ID]session.ID, id, parent session.ID) session.ID {
	for range len(parents) + 1 { // damaged headers might point in a ring
		if parent == "" {
			return id
		}
		id, parent = parent, parents[parent]
	}
	return id
}

func (k *kin) spent(ctx context.Context, id session.ID, now time.Time) (Tally, error) {
	if a, ok := k.host.Live(id); ok {
		s, err := session.StateOf(a.Log(), Spent)
		return s.upTo(s.Session, now), err
	}
	log, err := k.library.Read(ctx, id)
	if err != nil {
		return Tally{}, nil // one that cannot be read runs no more and is listed with its problem
	}
	defer log.Close(ctx)
	s, err := session.StateOf(log, Spent)
	return s.Session, err
}
