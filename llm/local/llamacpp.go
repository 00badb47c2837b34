package local

import (
	"context"
	"path"
	"strings"

	"fairlead/llm"
)

// llamaProps is what llama.cpp tells at /props.
type llamaProps struct {
	Settings struct {
		Window int `json:"n_ctx"`
	} `json:"default_generation_settings"`
	Slots      int    `json:"total_slots"`
	Path       string `json:"model_path"`
	Template   string `json:"chat_template"`
	Build      string `json:"build_info"`
	Modalities *struct {
		Vision bool `json:"vision"`
	} `json:"modalities"`
	Caps map[string]any `json:"chat_template_caps"`
}

// llamaSlot is one of the places in which llama.cpp works on a request.
type llamaSlot struct {
	Window int  `json:"n_ctx"`
	Busy   bool `json:"is_processing"`
}

// llamaCpp recognises llama.cpp by its properties; other servers answer at that
// address, too, but not with a window.
func (s *Server) llamaCpp(ctx context.Context, listed []listedModel) bool {
	var p llamaProps
	if s.Loading {
		s.Kind = LlamaCpp // the only server that answers so while it loads
		return true
	}
	if s.get(ctx, "/props", &p) != nil || p.Settings.Window <= 0 {
		return false
	}
	s.Kind, s.Version = LlamaCpp, p.Build
	if len(listed) == 0 {
		listed = []listedModel{{ID: path.Base(p.Path)}}
	}
	window := p.Settings.Window
	for _, slot := range s.slots(ctx) {
		if slot.Window > 0 {
			window = min(window, slot.Window) // what one request has, not all together
		}
	}
	for _, l := range listed {
		m := llm.Model{ID: l.ID, Slots: p.Slots, Reasoning: yes(thinks(p.Template))}
		if base := path.Base(strings.ReplaceAll(l.ID, `\`, "/")); base != l.ID {
			m.Name = strings.TrimSuffix(base, ".gguf")
		}
		if p.Modalities != nil {
			m.Vision = yes(p.Modalities.Vision)
		}
		m.Tools = templateTools(p)
		told(&m, window)
		s.Models = append(s.Models, m)
	}
	return true
}

// slots gives what /slots tells; servers may be started without it.
func (s *Server) slots(ctx context.Context) []llamaSlot {
	var slots []llamaSlot
	if s.get(ctx, "/slots", &slots) != nil {
		return nil
	}
	return slots
}

// thinks reports whether a chat template has a place for thinking.
func thinks(template string) bool {
	for _, word := range []string{"enable_thinking", "<think>", "reasoning_content", "[THINK]", "<|channel|>"} {
		if strings.Contains(template, word) {
			return true
		}
	}
	return false
}

// templateTools tells whether the model's template knows tools; nil where nothing is told.
func templateTools(p llamaProps) *bool {
	if b, ok := p.Caps["supports_tools"].(bool); ok {
		return &b
	}
	if p.Template == "" {
		return nil
	}
	return yes(strings.Contains(p.Template, "tools"))
}
