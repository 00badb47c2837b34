package local

import (
	"context"
	"encoding/json"
	"slices"

	"fairlead/llm"
)

// lmStudio recognises LM Studio by its own list of models, old or new. The window is
// that with which a model is loaded; what it could be loaded with is not its window.
func (s *Server) lmStudio(ctx context.Context, listed []listedModel) bool {
	return s.lmStudioOld(ctx) || s.lmStudioNew(ctx)
}

func (s *Server) lmStudioOld(ctx context.Context) bool {
	var list struct {
		Data []struct {
			ID           string   `json:"id"`
			Type         string   `json:"type"`
			State        string   `json:"state"`
			Loaded       int      `json:"loaded_context_length"`
			Most         int      `json:"max_context_length"`
			Capabilities []string `json:"capabilities"`
		} `json:"data"`
	}
	if s.get(ctx, "/api/v0/models", &list) != nil || len(list.Data) == 0 || list.Data[0].State == "" {
		return false
	}
	s.Kind = LMStudio
	for _, l := range list.Data {
		if l.Type == "embeddings" {
			continue
		}
		m := llm.Model{ID: l.ID, Vision: yes(l.Type == "vlm")}
		if l.Capabilities != nil {
			m.Tools = yes(slices.Contains(l.Capabilities, "tool_use"))
		}
		told(&m, l.Loaded)
		s.Models = append(s.Models, m)
	}
	return true
}

func (s *Server) lmStudioNew(ctx context.Context) bool {
	var list struct {
		Models []struct {
			Key       string `json:"key"`
			Type      string `json:"type"`
			Name      string `json:"display_name"`
			Instances []struct {
				ID     string `json:"id"`
				Config struct {
					Window int `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
			Capabilities json.RawMessage `json:"capabilities"`
		} `json:"models"`
	}
	if s.get(ctx, "/api/v1/models", &list) != nil || len(list.Models) == 0 || list.Models[0].Key == "" {
		return false
	}
	s.Kind = LMStudio
	for _, l := range list.Models {
		if l.Type == "embedding" || l.Type == "embeddings" {
			continue
		}
		m := llm.Model{ID: l.Key, Name: l.Name}
		var caps struct {
			Vision *bool `json:"vision"`
			Tools  *bool `json:"trained_for_tool_use"`
		}
		if json.Unmarshal(l.Capabilities, &caps) == nil {
			m.Vision, m.Tools = caps.Vision, caps.Tools
		}
		for _, i := range l.Instances {
			told(&m, i.Config.Window)
		}
		s.Models = append(s.Models, m)
	}
	return true
}
