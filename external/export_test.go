package external

import "time"

// Hurry shortens how long a program may stay that has nothing more to do.
func (a *Agents) Hurry(d time.Duration) { a.patience = d }

// LimitOf shows how a wish for a limit is held.
func LimitOf(asked time.Duration) time.Duration { return limitOf(asked) }
