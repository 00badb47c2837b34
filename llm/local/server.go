package local

import (
	"net/http"

	"fairlead/llm"
)

// Kind is the program that serves. Its words are the names of dialects.
type Kind string

// The kinds that are told apart; Other speaks the common format and nothing more.
const (
	LlamaCpp Kind = "llama.cpp"
	VLLM     Kind = "vllm"
	Ollama   Kind = "ollama"
	LMStudio Kind = "lmstudio"
	Other    Kind = ""
)

// Server is a server of models as it was found.
type Server struct {
	// Root is its address without a path, such as "http://127.0.0.1:8080".
	Root    string      `json:"root"`
	Kind    Kind        `json:"kind"`
	Version string      `json:"version,omitempty"`
	Models  []llm.Model `json:"models"`
	// Loading is true while the server answers but its model is not ready.
	Loading bool `json:"loading,omitempty"`

	client *http.Client
}

// BaseURL is the address of the common format.
func (s *Server) BaseURL() string { return s.Root + "/v1" }

// Name is how a person would call the server.
func (s *Server) Name() string {
	if s.Kind == Other {
		return "local"
	}
	return string(s.Kind)
}

// SourceServer marks what a server told of itself.
const SourceServer = "server"

func yes(b bool) *bool { return &b }

// told gives a window its source, where it is one.
func told(m *llm.Model, window int) {
	if window > 0 {
		m.Window, m.Source = window, SourceServer
	}
}
