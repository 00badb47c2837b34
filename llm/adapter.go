package llm

import (
	"context"
	"iter"
)

// Adapter speaks one wire format to one endpoint.
//
// Encode and Stream are two steps on purpose: the exact bytes of a request are
// hashed into the log before they are sent, and can be rebuilt from the log.
type Adapter interface {
	// Encode writes the body of a request. It is pure: equal requests give equal
	// bytes. It fails only on a request that cannot be expressed in this format.
	Encode(req *Request) ([]byte, error)
	// Stream sends an encoded body and yields the reply. A failure is the last
	// element, an [*Error]; after it, and after a chunk with Finish, nothing
	// follows. Breaking off the loop or ending ctx closes the connection. A
	// sequence that ends without Finish and without error does not exist: an
	// adapter turns that into an error with code "stream-cut".
	Stream(ctx context.Context, body []byte) iter.Seq2[Chunk, error]
	// Models lists what the endpoint offers.
	Models(ctx context.Context) ([]Model, error)
}

// Holder is an adapter that can begin to send a body before it may be answered: all
// but its last byte leaves at once, that one only after ready has returned nil, so
// that no server can act on what is not yet durable. Where ready fails, the request
// is given up and its error is in the chain of the sequence's.
type Holder interface {
	StreamHeld(ctx context.Context, body []byte, ready func() error) iter.Seq2[Chunk, error]
}

// Model is what is known about one model of an endpoint. Zero means unknown.
type Model struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Window is the context size in tokens that one request may use.
	Window int `json:"window,omitempty"`
	// Slots is how many requests the server works on at once.
	Slots     int    `json:"slots,omitempty"`
	Vision    *bool  `json:"vision,omitempty"`
	Tools     *bool  `json:"tools,omitempty"`
	Reasoning *bool  `json:"reasoning,omitempty"`
	Source    string `json:"source,omitempty"` // how Window is known: "server", "table", "person"
}

// Route is a way to a model: an adapter, the model's id there, and options.
type Route struct {
	// Name is what a person picks and a session stores, "connection/model".
	Name    string
	Model   Model
	Adapter Adapter
	// Wire names the format with all that Encode depends on besides the request, so
	// that a body can be written again without the connection.
	Wire string
	// Local is true for a server on this machine: it is waited for without limit
	// until its first token.
	Local bool
	// Counter counts the tokens of an encoded request where the endpoint can; else nil.
	Counter Counter
	// Params are the route's defaults; a session's own choice wins.
	Params Params
}

// Counter counts tokens before a request is sent. An error means that nothing was
// counted, not that the request is wrong.
type Counter interface {
	Count(ctx context.Context, body []byte) (int, error)
}
