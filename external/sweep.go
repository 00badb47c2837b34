package external

import (
	"context"
	"os"
	"path/filepath"

	"fairlead/fault"
	"fairlead/session"
)

// sweep removes what agents printed for sessions that were deleted. It is done once in a
// process, before the first run.
func (a *Agents) sweep(ctx context.Context) {
	if a.library == nil {
		return
	}
	entries, err := os.ReadDir(a.options.Dir)
	if err != nil {
		return // nothing was printed yet
	}
	for _, e := range entries {
		id := session.ID(e.Name())
		if !e.IsDir() || !id.Valid() || ctx.Err() != nil {
			continue
		}
		log, err := a.library.Read(ctx, id)
		switch {
		case err == nil:
			err = log.Close(context.WithoutCancel(ctx))
		case fault.Is(err, fault.NotFound):
			err = os.RemoveAll(filepath.Join(a.options.Dir, e.Name()))
		default:
			continue // a session that cannot be read is still somebody's
		}
		if err != nil {
			a.log.Warn("what an external agent printed stays behind", "session", id, "error", err)
		}
	}
}
