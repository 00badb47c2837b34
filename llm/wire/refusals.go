package wire

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"fairlead/llm"
)

// sizes are wordings that name token counts, in lower case. The groups are named
// w (window), p (prompt) and o (the reply that was reserved).
var sizes = lazily(
	// vLLM, OpenAI, DeepSeek, OpenRouter
	`maximum context length is (?P<w>\d+) tokens.*?requested (?P<o>\d+) output tokens and your prompt contains (?:at least )?(?P<p>\d+)`,
	`maximum context length is (?P<w>\d+) tokens.*?(?P<p>\d+) (?:in the messages|of text input|from the input).*?(?P<o>\d+) (?:in the completion|in the output|for the completion)`,
	`maximum context length is (?P<w>\d+) tokens and your request has (?P<p>\d+) input tokens`,
	`maximum context length (?:is|of) (?P<w>\d+) tokens.*?total of \d+ tokens: (?P<p>\d+) tokens from the input.*?(?P<o>\d+) tokens for the completion`,
	`maximum context length (?:is|of) (?P<w>\d+).*?(?:resulted in|requested|has|contains) (?:about |at least )?(?P<p>\d+)`,
	`you passed (?P<p>\d+) input tokens and requested (?P<o>\d+) output tokens.*?context length is only (?P<w>\d+)`,
	`prompt contains at least (?P<p>\d+).*?(?:total|maximum|context length)[^\d]*(?P<w>\d+)`,
	`decoder prompt \(length (?P<p>\d+)\) is longer than the maximum model length of (?P<w>\d+)`,
	// Anthropic
	`prompt is too long: (?P<p>\d+) tokens > (?P<w>\d+)`,
	`exceed context limit: (?P<p>\d+) \+ (?P<o>\d+) > (?P<w>\d+)`,
	// SGLang, TGI, llama.cpp
	`input \((?P<p>\d+) tokens\) is longer than the model's context length \((?P<w>\d+)`,
	`must be <= (?P<w>\d+)\. given: (?P<p>\d+) .*?and (?P<o>\d+)`,
	`request \((?P<p>\d+) tokens\) exceeds the available context size \((?P<w>\d+)`,
	// LM Studio, Ollama, Gemini, Mistral, xAI, Copilot, Kimi, DashScope, Groq
	`keep the first (?P<p>\d+) tokens.*?context length of only (?P<w>\d+)`,
	`loaded with context length of only (?P<w>\d+)`,
	`input token count \((?P<p>\d+)\) exceeds the maximum number of tokens allowed \((?P<w>\d+)`,
	`prompt contains (?P<p>\d+) tokens.*?too large for model with (?P<w>\d+) maximum context length`,
	`maximum prompt length is (?P<w>\d+) but the request contains (?P<p>\d+)`,
	`prompt token count of (?P<p>\d+) exceeds the limit of (?P<w>\d+)`,
	`exceeded model token limit: (?P<w>\d+)`,
	`range of input length should be \[\d+, (?P<w>\d+)\]`,
	`request too large for model.*?limit (?P<w>\d+), requested (?P<p>\d+)`,
)

// tooLong are wordings of the same without counts.
var tooLong = lazily(
	`context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large|string_above_max_length`,
	`(?:exceed\w*|larger than|longer than|beyond|over) (?:the |this |its )?(?:available |maximum |model'?s? )*(?:context|input) (?:size|length|window|limit)`,
	`context (?:size|length|window)(?: has been)? exceed`,
	`(?:prompt|input|request)(?: is)? too (?:long|large)\b`,
	`context (?:the )?overflows`,
	`maximum context length`,
	`prompt exceeds max length`,
	`greater than the context length`,
	`reduce the length of the (?:messages|prompt|input)`,
	`too many (?:input )?tokens`,
)

// ceilings are wordings of a parameter that is too large by itself. The group o is
// the largest value that would be taken.
var ceilings = lazily(
	`max(?:_completion|_output|_new)?_tokens.*?supports at most (?P<o>\d+)`,
	`range of max(?:_completion|_output|_new)?_tokens is \[\d+, (?P<o>\d+)\]`,
	`max(?:_completion|_output|_new)?_tokens: \d+ > (?P<o>\d+), which is the maximum allowed number of output`,
	`max(?:_completion|_output|_new)?_tokens.*?(?:<=|less than or equal to|at most|maximum(?: value)? (?:is|of)) (?P<o>\d+)`,
	`integer.above.max(?:imum)?.value.*?<= (?P<o>\d+)`,
)

// lazily compiles the wordings when the first refusal comes: most runs see none.
func lazily(list ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp {
		out := make([]*regexp.Regexp, len(list))
		for i, s := range list {
			out[i] = regexp.MustCompile(s)
		}
		return out
	})
}

// counts gives the named numbers of the first wording that matches.
func counts(list []*regexp.Regexp, words string) (map[string]int, bool) {
	for _, re := range list {
		m := re.FindStringSubmatch(words)
		if m == nil {
			continue
		}
		found := map[string]int{}
		for i, name := range re.SubexpNames() {
			if n, err := strconv.Atoi(m[i]); err == nil && name != "" {
				found[name] = n
			}
		}
		return found, true
	}
	return nil, false
}

// overflows recognises a request that does not fit the model's window, fills in the
// counts, and says how long a reply would still fit where only the reply was too long.
func overflows(e *llm.Error, r refusal, words string) bool {
	if e.Status == 429 && !strings.Contains(words, "request too large") {
		return false
	}
	n, counted := counts(sizes(), words)
	if !counted && r.window == 0 {
		if _, ceiling := counts(ceilings(), words); ceiling {
			return false
		}
		if _, long := counts(tooLong(), words); !long {
			return false
		}
	}
	e.Code = llm.CodeOverflow
	e.Window, e.Prompt = max(n["w"], r.window), max(n["p"], r.prompt)
	reserved := n["o"] > 0 || strings.Contains(words, "max_tokens") || strings.Contains(words, "max_completion_tokens") || strings.Contains(words, "at least")
	if !reserved || e.Prompt == 0 || e.Prompt >= e.Window {
		return true
	}
	room := e.Window - e.Prompt
	if strings.Contains(words, "at least") {
		room /= 2 // the count is a lower bound: the server stopped counting at the window
	}
	if room -= max(64, e.Window/128); room >= leastReply {
		e.Room = room
	}
	return true
}

// leastReply is the shortest reply that is worth asking for.
const leastReply = 512

// refusing are the ways to say that a field is not wanted.
const refusing = `(?:unsupported|not (?:currently )?(?:be )?(?:supported|permitted|allowed|recognized|accepted)|unknown|unrecognized|unexpected|extra|invalid|forbidden|does not (?:support|accept)|remove|cannot be)`

// unwanted matches a refusal of the field.
func unwanted(field string) string {
	return field + `.{0,80}` + refusing + `|` + refusing + `.{0,60}` + field
}

// wishes are wordings by which a server says what it wants of a request.
var wishes = sync.OnceValue(func() []wish {
	return []wish{
		{regexp.MustCompile(`max_tokens.{0,80}use 'max_completion_tokens'`), llm.Quirks{CapField: "max_completion_tokens"}},
		{regexp.MustCompile(`must alternate|roles? .{0,40}alternat|alternate (?:between )?user|consecutive (?:user|assistant) messages`), llm.Quirks{Alternate: true}},
		{regexp.MustCompile(`image_url.{0,80}expected .?text|mmproj|not a (?:multimodal|vision)|only supports? text|does(?: not|n't) support (?:image|vision|multimodal)|` +
			unwanted(`(?:image_url|image (?:input|content)s?|images)`)), llm.Quirks{TextOnly: true}},
		{regexp.MustCompile(`does not support (?:tools|tool calling|tool use|function)|tools? (?:is|are|use is) not supported|requires --jinja|--enable-auto-tool-choice|no endpoints found that support tool`), llm.Quirks{NoTools: true}},
		{regexp.MustCompile(`failed to parse grammar|failed to initialize samplers|json schema conversion failed|unsupported json schema`), llm.Quirks{PlainSchemas: true}},
		{regexp.MustCompile(`tool call id.{0,80}length of 9`), llm.Quirks{ShortIDs: true}},
		{regexp.MustCompile(unwanted(`stream_options`)), llm.Quirks{NoUsage: true}},
		{regexp.MustCompile(unwanted(`reasoning_content`)), llm.Quirks{Thinking: llm.ThinkingLeave}},
		{regexp.MustCompile("invalid .?signature.? in .?thinking|encrypted.content.{0,80}(?:verified|decrypted|invalid)|invalid_encrypted_content|item of type .?reasoning"), llm.Quirks{Thinking: llm.ThinkingLeave}},
		{regexp.MustCompile(`reasoning_content.{0,120}(?:must|missing|required|need|expected|pass)|(?:missing|require[sd]?|must|need).{0,80}reasoning_content`), llm.Quirks{Thinking: llm.ThinkingBack}},
		{regexp.MustCompile(unwanted(`(?:reasoning_effort|reasoning\.effort|reasoning\.summary|reasoning\.encrypted_content|enable_thinking|chat_template_kwargs|output_config|budget_tokens|thinking\.type|adaptive thinking|adaptive)`)), llm.Quirks{NoEffort: true}},
	}
})

type wish struct {
	words *regexp.Regexp
	wants llm.Quirks
}

// wants recognises a refusal that says what to change.
func wants(e *llm.Error, words string) bool {
	if e.Status == 401 || e.Status == 403 || e.Status == 429 {
		return false
	}
	if n, ok := counts(ceilings(), words); ok {
		e.Wants = llm.Quirks{OutputLimit: n["o"]}
		return true
	}
	for _, w := range wishes() {
		if w.words.MatchString(words) {
			e.Wants = w.wants
			return true
		}
	}
	return false
}

// meanings are wordings that say more than the status beside them.
var meanings = sync.OnceValue(func() []meaning {
	return []meaning{
		{regexp.MustCompile(`loading model|model is (?:still )?(?:loading|being loaded)|currently loading|warming up`), llm.CodeLoading},
		{regexp.MustCompile(`failed to load|error loading model|unable to load model|out of memory|does not fit in memory|requires more system memory`), llm.CodeRefused},
		{regexp.MustCompile(`per.?(?:minute|second|hour|day)|rate.?limit|too many requests|throttl`), llm.CodeRateLimit},
		{regexp.MustCompile(`insufficient.(?:quota|balance|credit|funds)|quota exceeded|exceeded your.{0,20} quota|credit balance is too low|out of credits|billing|payment required|requires more credits|spend(?:ing)? limit`), llm.CodeQuota},
		{regexp.MustCompile(`resource.?exhausted`), llm.CodeRateLimit},
		{regexp.MustCompile(`invalid.api.?key|incorrect api key|api key not valid|authentication|unauthori[sz]ed|no auth credentials|invalid x-api-key|missing api key`), llm.CodeAuth},
		{regexp.MustCompile(`model_not_found|model .{0,120}(?:not found|not exist|is not available|no longer available)|no such model|not a valid model|unknown model|invalid model|no models? loaded`), llm.CodeModel},
		{regexp.MustCompile(`jinja|template|must be (?:a |the )?(?:first|at the beginning)|cannot have 2 or more assistant`), llm.CodeRefused},
		{regexp.MustCompile(`overloaded|server is busy|temporarily unavailable|service unavailable|internal (?:server )?error|bad gateway|gateway time-?out|upstream|no healthy`), llm.CodeServer},
		{regexp.MustCompile(`invalid_request|validation error|bad request|unprocessable|content.?(?:policy|filter)`), llm.CodeRefused},
	}
})

type meaning struct {
	words *regexp.Regexp
	code  llm.Code
}

func codeByWords(words string) llm.Code {
	for _, m := range meanings() {
		if m.words.MatchString(words) {
			return m.code
		}
	}
	return ""
}
