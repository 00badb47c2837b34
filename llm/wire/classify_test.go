package wire_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"fairlead/llm"
	"fairlead/llm/wire"

	"github.com/google/go-cmp/cmp"
)

func TestRefusalsMeanTheSameInEveryServersWords(t *testing.T) {
	overflow := func(window, prompt, room int) llm.Error {
		return llm.Error{Code: llm.CodeOverflow, Window: window, Prompt: prompt, Room: room}
	}
	wants := func(q llm.Quirks) llm.Error { return llm.Error{Code: llm.CodeRefused, Wants: q} }
	code := func(c llm.Code) llm.Error { return llm.Error{Code: c} }
	openai := func(message string) string {
		return `{"error":{"message":"` + message + `","type":"invalid_request_error"}}`
	}
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   llm.Error // without status, message and wait
		remedy llm.Remedy
	}{
		// too long
		{"openai", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. Please reduce the length of the messages.","type":"invalid_request_error","code":"context_length_exceeded"}}`, overflow(128000, 130012, 0), llm.RemedyCompact},
		{"openai, no counts", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}`, overflow(0, 0, 0), llm.RemedyCompact},
		{"vllm, prompt", 400, openai("This model's maximum context length is 4096 tokens. However, you requested 5100 tokens (4600 in the messages, 500 in the completion). Please reduce the length of the messages or completion."), overflow(4096, 4600, 0), llm.RemedyCompact},
		{"vllm, reply", 400, openai("This model's maximum context length is 65536 tokens. However, you requested 66000 tokens (2000 in the messages, 64000 in the completion)."), overflow(65536, 2000, 63024), llm.RemedyShorten},
		{"vllm, new words", 400, `{"object":"error","message":"'max_tokens' or 'max_completion_tokens' is too large: 128000. This model's maximum context length is 131072 tokens and your request has 3073 input tokens (128000 > 131072 - 3073).","code":400}`, overflow(131072, 3073, 126975), llm.RemedyShorten},
		{"vllm, lower bound", 400, openai("This model's maximum context length is 131072 tokens. However, you requested 128000 output tokens and your prompt contains at least 3073 input tokens, for a total of at least 131073 tokens."), overflow(131072, 3073, 62975), llm.RemedyShorten},
		{"vllm, decoder", 400, openai("The decoder prompt (length 5000) is longer than the maximum model length of 4096."), overflow(4096, 5000, 0), llm.RemedyCompact},
		{"anthropic, prompt", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, overflow(200000, 210000, 0), llm.RemedyCompact},
		{"anthropic, sum", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 178959 + 64000 > 200000, decrease input length or ` + "`max_tokens`" + ` and try again"}}`, overflow(200000, 178959, 19479), llm.RemedyShorten},
		{"anthropic, size", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, overflow(0, 0, 0), llm.RemedyCompact},
		{"llama.cpp", 400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size, try increasing it","n_prompt_tokens":124071,"n_ctx":123904}}`, overflow(123904, 124071, 0), llm.RemedyCompact},
		{"llama.cpp, old status", 500, `{"error":{"code":500,"type":"exceed_context_size_error","message":"the request exceeds the available context size","n_prompt_tokens":124071,"n_ctx":123904}}`, overflow(123904, 124071, 0), llm.RemedyCompact},
		{"llama.cpp, in a 200", 200, `{"error":{"code":400,"type":"exceed_context_size_error","message":"x","n_prompt_tokens":9000,"n_ctx":8192}}`, overflow(8192, 9000, 0), llm.RemedyCompact},
		{"llama.cpp, old words", 500, `{"error":{"code":500,"message":"context size exceeded","type":"server_error"}}`, overflow(0, 0, 0), llm.RemedyCompact},
		{"lm studio", 200, `"Trying to keep the first 6241 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"`, overflow(4096, 6241, 0), llm.RemedyCompact},
		{"ollama", 400, `{"error":"the input length exceeds the context length"}`, overflow(0, 0, 0), llm.RemedyCompact},
		{"openrouter", 400, openai("This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (135000 of text input, 5000 in the output)."), overflow(131072, 135000, 0), llm.RemedyCompact},
		{"sglang", 400, `{"object":"error","message":"The input (5000 tokens) is longer than the model's context length (4096 tokens).","code":400}`, overflow(4096, 5000, 0), llm.RemedyCompact},
		{"sglang, sum", 400, `{"message":"Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion."}`, overflow(32768, 30000, 2512), llm.RemedyShorten},
		{"tgi", 422, `{"error":"Input validation error: ` + "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and 512 `max_new_tokens`" + `"}`, overflow(4097, 4000, 0), llm.RemedyCompact},
		{"gemini", 400, `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, overflow(1048576, 1200000, 0), llm.RemedyCompact},
		{"mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"}`, overflow(32768, 40000, 0), llm.RemedyCompact},
		{"xai", 400, `{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, overflow(131072, 537812, 0), llm.RemedyCompact},
		{"bedrock", 400, `{"message":"Input is too long for requested model."}`, overflow(0, 0, 0), llm.RemedyCompact},
		{"copilot", 400, openai("prompt token count of 130000 exceeds the limit of 128000"), overflow(128000, 130000, 0), llm.RemedyCompact},
		{"kimi", 400, openai("Your request exceeded model token limit: 131072"), overflow(131072, 0, 0), llm.RemedyCompact},
		{"groq", 413, openai("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7321"), overflow(6000, 7321, 0), llm.RemedyCompact},
		{"a gateway's page", 413, "<html><head><title>413 Request Entity Too Large</title></head><body>nginx</body></html>", overflow(0, 0, 0), llm.RemedyCompact},
		{"wrapped by a gateway", 500, `{"error":{"message":"litellm.BadRequestError: {\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}"}}`, overflow(200000, 210000, 0), llm.RemedyCompact},
		{"passed on as text", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}"}}}`, overflow(200000, 210000, 0), llm.RemedyCompact},

		// a parameter that is too large by itself
		{"ceiling, openai", 400, openai("max_tokens is too large: 65536. This model supports at most 16384 completion tokens, whereas you provided 65536."), wants(llm.Quirks{OutputLimit: 16384}), llm.RemedyChange},
		{"ceiling, integer", 400, openai("Invalid 'max_tokens': integer above maximum value. Expected a value <= 32768, but got 65536 instead."), wants(llm.Quirks{OutputLimit: 32768}), llm.RemedyChange},
		{"ceiling, deepseek", 400, openai("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"), wants(llm.Quirks{OutputLimit: 8192}), llm.RemedyChange},
		{"ceiling, anthropic", 400, openai("max_tokens: 65536 > 32000, which is the maximum allowed number of output tokens for claude"), wants(llm.Quirks{OutputLimit: 32000}), llm.RemedyChange},

		// wishes
		{"cap field", 400, openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."), wants(llm.Quirks{CapField: "max_completion_tokens"}), llm.RemedyChange},
		{"roles", 500, `{"error":{"code":500,"message":"Conversation roles must alternate user/assistant/user/assistant/... at row 7","type":"server_error"}}`, wants(llm.Quirks{Alternate: true}), llm.RemedyChange},
		{"thinking wanted, deepseek", 400, openai("The `reasoning_content` in the thinking mode must be passed back to the API."), wants(llm.Quirks{Thinking: llm.ThinkingBack}), llm.RemedyChange},
		{"thinking wanted, kimi", 400, openai("thinking is enabled but reasoning_content is missing in assistant tool call message at index 4"), wants(llm.Quirks{Thinking: llm.ThinkingBack}), llm.RemedyChange},
		{"thinking unwanted", 400, openai("reasoning_content: Extra inputs are not permitted"), wants(llm.Quirks{Thinking: llm.ThinkingLeave}), llm.RemedyChange},
		{"thinking unwanted, deepseek", 400, openai("The reasoning_content is included in the input messages. Please remove reasoning_content from your input."), wants(llm.Quirks{Thinking: llm.ThinkingLeave}), llm.RemedyChange},
		{"pictures, deepseek", 400, openai("Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 300"), wants(llm.Quirks{TextOnly: true}), llm.RemedyChange},
		{"pictures, llama.cpp", 500, openai("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"), wants(llm.Quirks{TextOnly: true}), llm.RemedyChange},
		{"tools, ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`, wants(llm.Quirks{NoTools: true}), llm.RemedyChange},
		{"tools, vllm", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"}`, wants(llm.Quirks{NoTools: true}), llm.RemedyChange},
		{"grammar", 400, openai("Failed to initialize samplers: failed to parse grammar"), wants(llm.Quirks{PlainSchemas: true}), llm.RemedyChange},
		{"ids, mistral", 400, openai("Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."), wants(llm.Quirks{ShortIDs: true}), llm.RemedyChange},
		{"stream options", 400, openai("Unrecognized request argument supplied: stream_options"), wants(llm.Quirks{NoUsage: true}), llm.RemedyChange},
		{"foreign thinking, responses", 400, openai("The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed."), wants(llm.Quirks{Thinking: llm.ThinkingLeave}), llm.RemedyChange},
		{"foreign thinking, anthropic", 400, openai("messages.1.content.0: Invalid `signature` in `thinking` block"), wants(llm.Quirks{Thinking: llm.ThinkingLeave}), llm.RemedyChange},
		{"effort, responses", 400, openai("Encrypted content is not supported with this model: reasoning.encrypted_content"), wants(llm.Quirks{NoEffort: true}), llm.RemedyChange},
		{"effort, anthropic", 400, openai("adaptive thinking is not supported on this model"), wants(llm.Quirks{NoEffort: true}), llm.RemedyChange},
		{"effort", 400, openai("Unsupported parameter: 'reasoning_effort' is not supported with this model."), wants(llm.Quirks{NoEffort: true}), llm.RemedyChange},

		// the rest
		{"key", 401, openai("Incorrect API key provided: sk-1234."), code(llm.CodeAuth), llm.RemedyTell},
		{"key, gemini", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, code(llm.CodeAuth), llm.RemedyTell},
		{"forbidden", 403, `{"error":{"message":"Country, region, or territory not supported"}}`, code(llm.CodeAuth), llm.RemedyTell},
		{"model, openai", 404, `{"error":{"message":"The model gpt-9 does not exist or you do not have access to it.","code":"model_not_found"}}`, code(llm.CodeModel), llm.RemedyTell},
		{"model, ollama", 404, `{"error":{"message":"model \"qwen9\" not found, try pulling it first"}}`, code(llm.CodeModel), llm.RemedyTell},
		{"model, openrouter", 400, openai("foo/bar is not a valid model ID"), code(llm.CodeModel), llm.RemedyTell},
		{"no such path", 404, "404 page not found", code(llm.CodeNotAPI), llm.RemedyTell},
		{"a page", 200, "<!doctype html><title>Welcome</title>", code(llm.CodeNotAPI), llm.RemedyTell},
		{"quota, openai", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota"}}`, code(llm.CodeQuota), llm.RemedyTell},
		{"quota, deepseek", 402, openai("Insufficient Balance"), code(llm.CodeQuota), llm.RemedyTell},
		{"quota, in a stream", 200, `{"error":{"message":"quota exceeded"}}`, code(llm.CodeQuota), llm.RemedyTell},
		{"rate", 429, openai("Rate limit reached for requests"), code(llm.CodeRateLimit), llm.RemedyRetry},
		{"rate, in a stream", 200, `{"error":{"message":"slow down","code":429}}`, code(llm.CodeRateLimit), llm.RemedyRetry},
		{"overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, code(llm.CodeServer), llm.RemedyRetry},
		{"overloaded, in a stream", 200, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, code(llm.CodeServer), llm.RemedyRetry},
		{"gateway's page", 502, "<html>\r\n<head><title>502 Bad Gateway</title></head></html>", code(llm.CodeServer), llm.RemedyRetry},
		{"loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, code(llm.CodeLoading), llm.RemedyRetry},
		{"not loadable", 500, `{"error":{"code":500,"message":"failed to load model"}}`, code(llm.CodeRefused), llm.RemedyTell},
		{"template", 200, `{"error":"template failed: no user query found"}`, code(llm.CodeRefused), llm.RemedyTell},
		{"a string", 200, `{"error":"something broke"}`, code(llm.CodeServer), llm.RemedyRetry},
		{"an object of errors", 200, `{"object":"error","message":"bad temperature","code":400}`, code(llm.CodeRefused), llm.RemedyTell},
		{"fastapi", 422, `{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}`, code(llm.CodeRefused), llm.RemedyTell},
		{"nothing", 500, ``, code(llm.CodeServer), llm.RemedyRetry},
		{"no sense", 400, "\x00\xff{", code(llm.CodeRefused), llm.RemedyTell},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := wire.Classify(c.status, nil, []byte(c.body))
			if got.Message == "" || strings.Contains(got.Message, "<h") || strings.ContainsAny(got.Message, "\n\x00") {
				t.Errorf("message %q", got.Message)
			}
			if r := got.Remedy(); r != c.remedy {
				t.Errorf("remedy %s, want %s", r, c.remedy)
			}
			got.Message, got.Status = "", 0
			c.want.RetryAfter = -1
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	for _, c := range []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "20"}, "", 20 * time.Second},
		{"parts of a second", map[string]string{"Retry-After": "1.5"}, "", 1500 * time.Millisecond},
		{"milliseconds", map[string]string{"Retry-After-Ms": "250", "Retry-After": "1"}, "", 250 * time.Millisecond},
		{"a date, by the server's clock", map[string]string{"Retry-After": now.Add(time.Hour + 20*time.Second).Format(http.TimeFormat), "Date": now.Add(time.Hour).Format(http.TimeFormat)}, "", 20 * time.Second},
		{"a date that is past", map[string]string{"Retry-After": now.Add(-time.Minute).Format(http.TimeFormat)}, "", -1},
		{"zero", map[string]string{"Retry-After": "0"}, "", -1},
		{"below zero", map[string]string{"Retry-After": "-5"}, "", -1},
		{"no sense", map[string]string{"Retry-After": "soon"}, "", -1},
		{"very long", map[string]string{"Retry-After": "1e30"}, "", 1e9 * time.Second},
		{"in the message", nil, `{"error":{"message":"Rate limit reached. Please try again in 6m0s. Visit the site."}}`, 6 * time.Minute},
		{"nowhere", nil, `{"error":{"message":"slow down"}}`, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := http.Header{}
			for k, v := range c.header {
				header.Set(k, v)
			}
			if got := wire.Classify(429, header, []byte(c.body)).RetryAfter; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, []byte(`{"error":{"message":"x","n_ctx":1e99}}`))
	f.Add(200, []byte(`[[[["<html`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if e := wire.Classify(status, nil, body); e.Code == "" || e.Error() == "" {
			t.Errorf("%d %q: %#v", status, body, e)
		}
	})
}
