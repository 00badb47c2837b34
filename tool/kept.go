package tool

import (
	"bytes"
	"maps"

	"fairlead/fault"
	"fairlead/session"
)

// kept is the projection of what was kept beside the log because a result was too
// big: blobs by the name the model knows them under.
var kept = session.Projection[map[string]session.BlobRef]{
	Name: "tool.kept", Version: 1, Hidden: true,
	Fold: func(state map[string]session.BlobRef, e session.Event) map[string]session.BlobRef {
		if !session.ToolResult.Of(e) || !bytes.Contains(e.Data, []byte(`"spill":`)) {
			return state
		}
		d, err := session.ToolResult.Decode(e)
		if err != nil || d.Spill == nil {
			return state
		}
		next := maps.Clone(state)
		if next == nil {
			next = map[string]session.BlobRef{}
		}
		next[Locator(*d.Spill)] = *d.Spill
		return next
	},
}

// Projections lists what this room folds.
func Projections() []session.AnyProjection { return []session.AnyProjection{kept} }

// Kept gives the whole of a result that was too big, by the path that [Locator]
// made of it. NotFound where this session has kept nothing under it.
func Kept(log *session.Log, path string) ([]byte, error) {
	refs, err := session.StateOf(log, kept)
	if err != nil {
		return nil, err
	}
	ref, ok := refs[path]
	if !ok {
		return nil, fault.New(fault.NotFound, "tool.kept", "Nothing is kept under %s in this session.", path)
	}
	return log.Blob(ref.SHA256)
}
