package local

import "context"

// vllm recognises vLLM by its version and by whom it says its models belong to.
func (s *Server) vllm(ctx context.Context, listed []listedModel) bool {
	if len(listed) == 0 || listed[0].OwnedBy != "vllm" {
		return false
	}
	var v struct {
		Version string `json:"version"`
	}
	if s.get(ctx, "/version", &v) == nil {
		s.Version = v.Version
	}
	s.Kind = VLLM
	s.Models = commonModels(listed)
	return true
}
