package catalog

import (
	"strings"

	"fairlead/llm"
)

// listed is a price of the shipped table. Provider is the dialect of the connections
// it holds for: a gateway that passes on the same model has prices of its own.
type listed struct {
	Provider, Model string
	Date            string // when its source said so
	llm.Price
}

// sources are the pages that the prices were read from.
var sources = map[string]string{
	"anthropic": "https://platform.claude.com/docs/en/about-claude/pricing",
	"deepseek":  "https://api-docs.deepseek.com/quick_start/pricing",
	"openai":    "https://platform.openai.com/docs/pricing",
}

// shipped is the table. It is short on purpose: models whose price depends on the
// length of the prompt or the time of day are left out, and so unknown.
func shipped() []listed {
	return []listed{
		{"anthropic", "claude-fable-5-1", "2026-10-24", llm.Price{Input: 10, Cached: 0.25, Written: 12.5, Output: 50}},
		{"anthropic", "claude-opus-5-5", "2026-10-24", llm.Price{Input: 4, Cached: 0.2, Written: 5, Output: 20}},
		{"anthropic", "claude-opus-5", "2026-10-24", llm.Price{Input: 5, Cached: 0.5, Written: 6.25, Output: 25}},
		{"anthropic", "claude-opus-4-8", "2026-10-24", llm.Price{Input: 5, Cached: 0.5, Written: 6.25, Output: 25}},
		{"anthropic", "claude-opus-4-7", "2026-10-24", llm.Price{Input: 5, Cached: 0.5, Written: 6.25, Output: 25}},
		{"anthropic", "claude-opus-4-6", "2026-10-24", llm.Price{Input: 5, Cached: 0.5, Written: 6.25, Output: 25}},
		{"anthropic", "claude-opus-4-5", "2026-10-24", llm.Price{Input: 5, Cached: 0.5, Written: 6.25, Output: 25}},
		{"anthropic", "claude-opus-4-1", "2026-10-24", llm.Price{Input: 15, Cached: 1.5, Written: 18.75, Output: 75}},
		{"anthropic", "claude-sonnet-5-5", "2026-10-24", llm.Price{Input: 2, Cached: 0.1, Written: 2.5, Output: 10}},
		{"anthropic", "claude-sonnet-5", "2026-10-24", llm.Price{Input: 2, Cached: 0.2, Written: 2.5, Output: 10}},
		{"anthropic", "claude-sonnet-4-6", "2026-10-24", llm.Price{Input: 3, Cached: 0.3, Written: 3.75, Output: 15}},
		{"anthropic", "claude-haiku-4-5", "2026-10-24", llm.Price{Input: 1, Cached: 0.1, Written: 1.25, Output: 5}},
		{"deepseek", "deepseek-chat", "2025-12-09", llm.Price{Input: 0.28, Cached: 0.028, Output: 0.42}},
		{"deepseek", "deepseek-reasoner", "2025-12-09", llm.Price{Input: 0.28, Cached: 0.028, Output: 0.42}},
		{"openai", "gpt-5.1", "2025-11-13", llm.Price{Input: 1.25, Cached: 0.125, Output: 10}},
		{"openai", "gpt-5", "2025-11-13", llm.Price{Input: 1.25, Cached: 0.125, Output: 10}},
		{"openai", "gpt-5-mini", "2025-11-13", llm.Price{Input: 0.25, Cached: 0.025, Output: 2}},
		{"openai", "gpt-5-nano", "2025-11-13", llm.Price{Input: 0.05, Cached: 0.005, Output: 0.4}},
		{"openai", "gpt-4.1", "2026-06-21", llm.Price{Input: 2, Cached: 0.5, Output: 8}},
		{"openai", "gpt-4.1-mini", "2026-06-21", llm.Price{Input: 0.4, Cached: 0.1, Output: 1.6}},
	}
}

// names reports whether an id is the model's, perhaps with the date of a version
// behind it, as in "claude-haiku-4-5-20251001" or "gpt-4.1-2025-04-14".
func (l listed) names(id string) bool {
	version, ok := strings.CutPrefix(id, l.Model)
	if !ok || version == "" {
		return ok
	}
	digits := strings.ReplaceAll(version, "-", "")
	return version[0] == '-' && len(digits) == len("20251001") && strings.Trim(digits, "0123456789") == ""
}
