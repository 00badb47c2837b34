package local

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"fairlead/llm"
)

// ollamaLoaded is a model in memory as /api/ps tells it.
type ollamaLoaded struct {
	Name   string `json:"name"`
	Window int    `json:"context_length"`
	Size   int64  `json:"size"`
	VRAM   int64  `json:"size_vram"`
}

// ollama recognises Ollama by its version. Its window is that of the loaded model,
// else the one a model is made with. The length a model was trained with says
// nothing: Ollama loads it with much less and cuts what does not fit.
func (s *Server) ollama(ctx context.Context, listed []listedModel) bool {
	var v struct {
		Version string `json:"version"`
	}
	if s.get(ctx, "/api/version", &v) != nil || v.Version == "" {
		return false
	}
	s.Kind, s.Version = Ollama, v.Version
	loaded := s.ollamaLoaded(ctx)
	for _, l := range listed {
		m := llm.Model{ID: l.ID}
		var show struct {
			Capabilities []string `json:"capabilities"`
			Parameters   string   `json:"parameters"`
		}
		if s.post(ctx, "/api/show", map[string]string{"model": l.ID}, &show) == nil && show.Capabilities != nil {
			if !slices.Contains(show.Capabilities, "completion") {
				continue // for embeddings only
			}
			m.Tools = yes(slices.Contains(show.Capabilities, "tools"))
			m.Vision = yes(slices.Contains(show.Capabilities, "vision"))
			m.Reasoning = yes(slices.Contains(show.Capabilities, "thinking"))
			told(&m, parameter(show.Parameters, "num_ctx"))
		}
		for _, x := range loaded {
			if x.Name == l.ID {
				told(&m, x.Window)
			}
		}
		s.Models = append(s.Models, m)
	}
	return true
}

func (s *Server) ollamaLoaded(ctx context.Context) []ollamaLoaded {
	var ps struct {
		Models []ollamaLoaded `json:"models"`
	}
	if s.get(ctx, "/api/ps", &ps) != nil {
		return nil
	}
	return ps.Models
}

// parameter reads a number out of the lines "name value" of a model's parameters.
func parameter(lines, name string) int {
	for line := range strings.Lines(lines) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			if n, err := strconv.Atoi(f[1]); err == nil {
				return n
			}
		}
	}
	return 0
}
