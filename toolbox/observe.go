package toolbox

import (
	"context"
	"hash/fnv"
	"maps"

	"fairlead/fault"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/tool/file"
)

// Codes of changes that were refused because the model does not know the file.
const (
	codeNotRead = "NOT_READ"
	codeStale   = "STALE_FILE"
)

// sums maps resolved paths to what was last seen there. It is cut into shards so
// that a new state shares all but one with the old one.
type sums struct {
	Shards [64]map[string]string `json:"shards"`
}

func shard(path string) int {
	h := fnv.New32a()
	h.Write([]byte(path))
	return int(h.Sum32() % 64)
}

func (s sums) with(path, sum string) sums {
	i := shard(path)
	next := maps.Clone(s.Shards[i])
	if next == nil {
		next = map[string]string{}
	}
	next[path] = sum
	s.Shards[i] = next
	return s
}

// observed is the projection of what the model has seen of files: their SHA-256 or
// [tool.Absent], by resolved path. What a call changed counts as seen.
var observed = session.Projection[sums]{
	Name: "toolbox.observed", Version: 1, Hidden: true,
	Fold: func(s sums, e session.Event) sums {
		switch {
		case tool.FileObserved.Of(e):
			if d, err := tool.FileObserved.Decode(e); err == nil {
				return s.with(d.Path, d.SHA256)
			}
		case tool.FileChanged.Of(e):
			if d, err := tool.FileChanged.Decode(e); err == nil {
				if d.After == nil {
					return s.with(d.Path, tool.Absent)
				}
				return s.with(d.Path, d.After.SHA256)
			}
		}
		return s
	},
}

// Projections lists what this room folds.
func Projections() []session.AnyProjection {
	return []session.AnyProjection{observed, todos, jobsFold}
}

// seen gives what the model last saw at a path, "" for nothing.
func seen(log *session.Log, path string) (string, error) {
	s, err := session.StateOf(log, observed)
	if err != nil {
		return "", err
	}
	return s.Shards[shard(path)][path], nil
}

// observe records that the model has seen a file as it is now.
func observe(ctx context.Context, call *tool.Call, path, sum string) error {
	before, err := seen(call.Log, path)
	if err != nil || before == sum {
		return err
	}
	_, err = call.Log.Append(ctx, tool.FileObserved.New(call.Turn, call.Step, tool.FileObservedData{Call: call.ID, Path: path, SHA256: sum}))
	return err
}

// known refuses a change of a file that the model has not read as it is now. Only
// the bytes count: a file that was merely touched is still known.
func known(call *tool.Call, path string, now file.Content) error {
	before, err := seen(call.Log, path)
	switch {
	case err != nil:
		return err
	case before == now.Sum:
		return nil
	case before == "" || before == tool.Absent && now.Sum != tool.Absent:
		return fault.New(fault.Conflict, "toolbox.known", "%s exists and was not read in this session. Nothing was changed. Read it first, then change it.", shown(call, path)).WithCode(codeNotRead)
	}
	return fault.New(fault.Conflict, "toolbox.known", "%s has changed since it was read. Nothing was changed by this call. Read it again, then make the change to what it holds now.", shown(call, path)).WithCode(codeStale)
}
