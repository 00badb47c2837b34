// Package llm is the model as the rest of Fairlead sees it: messages, requests,
// chunks, adapters and routes.
//
// It promises that whatever an [Adapter] speaks on the wire, a stream is a
// sequence of [Chunk] values whose thinking, answer and calls are disjoint, that
// a failed or cut stream never looks finished, and that every request passes one
// normaliser, so that nothing stored can make a provider refuse a session.
//
// It owns those types, the retry policy, the assembling of chunks into a message
// and the normaliser. It refuses to know sessions, tools and files: those rooms
// build on it.
//
// Read message.go (what is said), request.go (what is sent), chunk.go (what
// comes back), adapter.go (who speaks), then assemble.go and normalise.go.
package llm
