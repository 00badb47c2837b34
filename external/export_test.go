package external

import "time"

// LimitOf shows how a wish for a limit is held.
func LimitOf(asked time.Duration) time.Duration { return limitOf(asked) }
