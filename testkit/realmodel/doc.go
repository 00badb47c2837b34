// Package realmodel runs Fairlead against a real engine: llama.cpp's server with a
// small model. Its tests are compiled with the tag "realmodel" alone, since the engine
// takes minutes to build and the model some 90 MB to fetch; `make real-model` does all
// of it and writes what was seen into docs/real-model.md.
//
// It promises nothing about what the model says. It shows that what the engine really
// sends is read: pieces of text, a call that a grammar forced, counts of tokens, a
// refusal of what does not fit, slots, and a prompt that is kept from step to step.
//
// Read install.sh (which engine, which model), then realmodel_test.go.
package realmodel
