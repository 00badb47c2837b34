// Package openai speaks the two wire formats of OpenAI: Chat Completions, which
// nearly every other provider and every local server speaks in a dialect of its
// own, and Responses.
//
// It promises that requests are canonical bytes with the messages last, so that
// each extends the one before, and that replies are read as servers really send
// them: reasoning under any of its names, usage anywhere, calls in any shape,
// errors in the middle.
//
// It owns the two formats and the table of dialects. It refuses to know how bytes
// travel and what a refusal means: package wire does.
//
// Read chat.go (the adapter), dialect.go (how endpoints differ), encode.go (what
// is sent), decode.go (what comes back), then responses.go.
package openai
