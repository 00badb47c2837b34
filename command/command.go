package command

import (
	"context"
	"encoding/json"
	"iter"
)

// Scope says what a command or view is about.
type Scope string

// The scopes.
const (
	Host    Scope = "host"    // the process
	Session Scope = "session" // one session; the caller names it
)

// Command is one verb for people.
type Command struct {
	Name  string
	Scope Scope
	// Summary is one plain sentence; Slash makes it a slash command of that name ("compact").
	Summary string
	Slash   string
	// Params is a JSON Schema for the arguments; nil takes none. A slash command's
	// text after its name arrives as {"text": "…"}.
	Params json.RawMessage
	Run    func(ctx context.Context, call Call) (any, error)
}

// Call is one use of a command. Session is empty for host scope.
type Call struct {
	Session string
	Args    json.RawMessage
}

// View is a state that can be read and watched. Its value is marshalled to JSON.
type View struct {
	Name    string
	Scope   Scope
	Summary string
	// Params names the query parameters it understands.
	Params []string
	Read   func(ctx context.Context, q Query) (any, error)
	// Watch yields the value whenever it changed, the present one first; nil means
	// that the view can only be read.
	Watch func(ctx context.Context, q Query) iter.Seq2[any, error]
}

// Query is one reading of a view.
type Query struct {
	Session string
	Params  map[string]string
}
