package local

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	"fairlead/llm/wire"
)

// Figures are what a server tells about its work now. A figure below 0 is not told.
type Figures struct {
	// WriteRate and ReadRate are tokens per second: of replies, and of prompts.
	WriteRate float64 `json:"writeRate"`
	ReadRate  float64 `json:"readRate"`
	// Busy of Slots are at work; Waiting requests wait for one.
	Busy    int `json:"busy"`
	Slots   int `json:"slots"`
	Waiting int `json:"waiting"`
	// Cache is the used share of the cache of read tokens, from 0 to 1.
	Cache float64 `json:"cache"`
	// Memory and VideoMemory are bytes that models take.
	Memory      int64 `json:"memory"`
	VideoMemory int64 `json:"videoMemory"`
}

// Figures asks the server. What it does not tell is -1; an error means that it does
// not answer.
func (s *Server) Figures(ctx context.Context) (Figures, error) {
	f := Figures{WriteRate: -1, ReadRate: -1, Busy: -1, Slots: -1, Waiting: -1, Cache: -1, Memory: -1, VideoMemory: -1}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	switch s.Kind {
	case LlamaCpp:
		if slots := s.slots(ctx); slots != nil {
			f.Slots, f.Busy = len(slots), 0
			for _, slot := range slots {
				if slot.Busy {
					f.Busy++
				}
			}
		}
		m := s.metrics(ctx)
		f.WriteRate, f.ReadRate = m.get("llamacpp:predicted_tokens_seconds"), m.get("llamacpp:prompt_tokens_seconds")
		f.Waiting, f.Cache = int(m.get("llamacpp:requests_deferred")), m.get("llamacpp:kv_cache_usage_ratio")
	case VLLM:
		m := s.metrics(ctx)
		f.Busy, f.Waiting = int(m.get("vllm:num_requests_running")), int(m.get("vllm:num_requests_waiting"))
		f.Cache = max(m.get("vllm:kv_cache_usage_perc"), m.get("vllm:gpu_cache_usage_perc"))
	case Ollama:
		f.Memory, f.VideoMemory = 0, 0
		for _, m := range s.ollamaLoaded(ctx) {
			f.Memory += m.Size - m.VRAM
			f.VideoMemory += m.VRAM
		}
	}
	var alive struct{}
	return f, s.get(ctx, "/v1/models", &alive)
}

// gauges are the values of a Prometheus page; those of one name are summed.
type gauges map[string]float64

func (g gauges) get(name string) float64 {
	if v, ok := g[name]; ok {
		return v
	}
	return -1
}

func (s *Server) metrics(ctx context.Context) gauges {
	text, err := wire.Ask(ctx, s.client, s.Root+"/metrics", http.Header{}, nil)
	if err != nil {
		return nil // servers may be started without the page
	}
	return parseGauges(text)
}

// parseGauges reads lines of the form name{labels} value.
func parseGauges(text []byte) gauges {
	g := gauges{}
	for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
		line := scan.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, rest, ok := strings.Cut(line, "{")
		if ok {
			_, rest, ok = strings.Cut(rest, "}")
		} else {
			name, rest, ok = strings.Cut(line, " ")
		}
		fields := strings.Fields(rest)
		if !ok || len(fields) == 0 {
			continue
		}
		if v, err := strconv.ParseFloat(fields[0], 64); err == nil {
			g[name] += v
		}
	}
	return g
}
