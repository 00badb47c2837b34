package web

import (
	"sync"
	"time"
)

const (
	cacheFor  = 30 * time.Minute
	mostFound = 200 // answers kept
)

// cache keeps answers of searches for a while.
type cache struct {
	mu    sync.Mutex
	found map[string]kept
}

type kept struct {
	at    time.Time
	found *found
}

func (c *cache) get(key string) *found {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.found[key]; ok && time.Since(k.at) < cacheFor {
		return k.found
	}
	return nil
}

func (c *cache) put(key string, f *found) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil {
		c.found = map[string]kept{}
	}
	oldest, at := "", time.Now()
	for old, k := range c.found {
		switch {
		case time.Since(k.at) >= cacheFor:
			delete(c.found, old)
		case k.at.Before(at):
			oldest, at = old, k.at
		}
	}
	if len(c.found) >= mostFound {
		delete(c.found, oldest)
	}
	c.found[key] = kept{time.Now(), f}
}
