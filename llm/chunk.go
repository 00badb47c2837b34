package llm

// Chunk is one piece of a streamed reply. Exactly one field is set, except that
// Usage may ride with Finish. Thinking, answer and calls are disjoint: no byte of
// a reply appears in two of them.
type Chunk struct {
	// Text is answer text; whole UTF-8 characters only.
	Text string
	// Reasoning is thinking; Field is kept from the first piece on.
	Reasoning *Reasoning
	// Rethink says that all text so far was thinking: the model's template had
	// opened the thinking, and its end only shows it now.
	Rethink bool
	// Call is a fragment of a tool call.
	Call *CallFragment
	// Usage are the token counts as far as the server told them.
	Usage *Usage
	// Finish is set on the last chunk of a reply that the server said was over.
	Finish FinishReason
	// State is what a slow server is doing ("loading", "prompt"), with its progress
	// from 0 to 1 where it tells one.
	State    string
	Progress float64
}

// CallFragment adds to the call at Index. ID and Name are complete where set;
// Arguments are to be appended. The tolerant reading of broken deltas happens in
// the adapter: here the indexes are dense, start at 0 and never go back.
type CallFragment struct {
	Index     int
	ID        string
	Name      string
	Arguments string
	// Extra is as in [Call]; it comes whole.
	Extra string
}

// FinishReason says why a reply ended, in one vocabulary for every wire.
type FinishReason string

// The reasons a finished reply can have.
const (
	FinishStop   FinishReason = "stop"
	FinishCalls  FinishReason = "calls"
	FinishLength FinishReason = "length"
	FinishFilter FinishReason = "filter"
)
