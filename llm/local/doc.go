// Package local knows the servers of models that people run on their own machines:
// llama.cpp, vLLM, Ollama, LM Studio, and others that speak the common format.
//
// It promises that a server on loopback is found without being configured, that
// what is said of a model (the window one request really has, slots, pictures,
// tools, thinking) was read from the server and says so, and that what a server
// does not tell stays unknown: no window is ever guessed from a model's name or
// its training.
//
// It owns discovery, the capabilities, the counting of tokens and the figures for
// the monitor. It refuses to know the wire formats: who composes the product gives
// it a way to make adapters.
//
// Read server.go (what is found), probe.go (how), then a file for each kind of
// server, count.go, figures.go and plugin.go.
package local
