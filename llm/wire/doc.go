// Package wire is what all HTTP adapters of llm share: sending a request, reading
// the stream that comes back, and making sense of servers that bend their format.
//
// It promises that every stream ends in exactly one clear way, that heartbeats are
// not taken for progress, that a failure has one [llm.Code] whatever its wording,
// and that the fragments of a streamed tool call are put together by one set of
// rules for every wire.
//
// It owns the event reader, the request with its time limits, the classification
// of errors and the reading of call deltas. It refuses to know any provider's
// message format: the adapters beside it do.
//
// Read events.go (bytes to events), exchange.go (request to events), classify.go
// (what a failure means), then calls.go.
package wire
