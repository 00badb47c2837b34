package permission

import (
	"context"
	"slices"
	"sync"

	"fairlead/agent"
	"fairlead/config"
	"fairlead/graph"
	"fairlead/session"
	"fairlead/tool"
)

// rooms are the live sessions by folder, so that an answer counts in all of them.
type rooms struct {
	mu   sync.Mutex
	live []*room
}

// room is a live session with a folder. narrowed holds what its folder's patch takes
// away; nil where that is nothing.
type room struct {
	agent.Opened
	folder string

	mu       sync.Mutex
	narrowed *graph.Fiber
	owed     []session.Draft // lines that are told when the next turn begins
}

// enter adds a session for as long as its realm lasts.
func (r *rooms) enter(o agent.Opened, folder string) *room {
	mine := &room{Opened: o, folder: folder}
	r.mu.Lock()
	r.live = append(r.live, mine)
	r.mu.Unlock()
	o.Room.Effect("follows its folder's patch", func(context.Context) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.live = slices.DeleteFunc(r.live, func(o *room) bool { return o == mine })
		return nil
	})
	return mine
}

func (r *rooms) in(folder string) []*room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.live), func(o *room) bool { return o.folder != folder })
}

// owes gives the lines to be told in a session, once.
func (r *rooms) owes(id session.ID) (owed []session.Draft) {
	r.mu.Lock()
	at := slices.IndexFunc(r.live, func(o *room) bool { return o.Log.ID() == id })
	var of *room
	if at >= 0 {
		of = r.live[at]
	}
	r.mu.Unlock()
	if of == nil {
		return nil
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	owed, of.owed = of.owed, nil
	return owed
}

// narrow makes the session as narrow as its folder's accepted patch says now.
func (s *Service) narrow(ctx context.Context, r *room) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.narrowed != nil {
		if err := r.narrowed.Dispose(ctx); err != nil {
			return err
		}
		r.narrowed = nil
	}
	text, ok := s.trust.Accepted(r.folder, config.FolderPatch)
	if !ok {
		return nil
	}
	less, problems := config.ReadNarrowing(text, config.FolderPatch)
	if len(problems) > 0 {
		r.owed = append(r.owed, note("note.folder-patch", r.folder, problems.Error()))
	}
	if len(less.Off) == 0 && len(less.Tools.Allow) == 0 && len(less.Tools.Deny) == 0 {
		return nil
	}
	filter := tool.Filter{Allow: less.Tools.Allow, Deny: less.Tools.Deny, Rows: less.Off, Inner: true}
	var err error
	r.narrowed, err = tool.Narrow(ctx, r.Room, "folder-patch", "folder patch", "takes away what the session's folder does not want", filter)
	return err
}
