package scripted

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fairlead/llm"
)

// Handler serves a script over HTTP as an OpenAI-compatible server does, with the
// extra documents of a llama.cpp server: the chat completions (streamed and not),
// the model list, the properties with the window, and two ways to count tokens.
// Paths are taken with and without "/v1".
func Handler(s *Script) http.Handler {
	h := &handler{player: NewPlayer(s)}
	mux := http.NewServeMux()
	for _, version := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+version+"/chat/completions", h.chat)
		mux.HandleFunc("POST "+version+"/messages/count_tokens", h.count)
		mux.HandleFunc("GET "+version+"/models", h.models)
	}
	mux.HandleFunc("POST /apply-template", h.template)
	mux.HandleFunc("POST /tokenize", h.tokenize)
	mux.HandleFunc("GET /props", h.props)
	return mux
}

type handler struct {
	player *Player
}

type object map[string]any

func (h *handler) models(w http.ResponseWriter, _ *http.Request) {
	model := object{"id": h.player.script.Model, "object": "model", "created": 0, "owned_by": "script"}
	answer(w, http.StatusOK, object{"object": "list", "data": []object{model}})
}

func (h *handler) props(w http.ResponseWriter, r *http.Request) {
	if h.player.script.Window == 0 {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, object{
		"default_generation_settings": object{"n_ctx": h.player.script.Window},
		"total_slots":                 1, "model_path": h.player.script.Model,
	})
}

// template gives a request itself as the prompt, since that is what is counted.
func (h *handler) template(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	answer(w, http.StatusOK, object{"prompt": string(text)})
}

func (h *handler) tokenize(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Content string `json:"content"`
	}
	if !h.counts(w, r) || !read(w, r, &q) {
		return
	}
	tokens := make([]int, h.player.script.tokens(utf8.RuneCountInString(q.Content)))
	answer(w, http.StatusOK, object{"tokens": tokens})
}

func (h *handler) count(w http.ResponseWriter, r *http.Request) {
	if !h.counts(w, r) {
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	answer(w, http.StatusOK, object{"input_tokens": h.player.script.tokens(utf8.RuneCount(text))})
}

func (h *handler) counts(w http.ResponseWriter, r *http.Request) bool {
	if !h.player.script.Counting {
		http.NotFound(w, r)
	}
	return h.player.script.Counting
}

// request is what the handler reads of a chat completions request.
type request struct {
	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Role    llm.Role        `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

func (q *request) asked() asked {
	a := asked{tools: len(q.Tools) > 0, history: q.history()}
	if len(a.history) > 0 && a.history[0].role == "system" {
		a.system = a.history[0].text
	}
	return a
}

func (q *request) history() []turn {
	var list []turn
	for _, m := range q.Messages {
		var text string
		if json.Unmarshal(m.Content, &text) != nil {
			var parts []struct {
				Text string `json:"text"`
			}
			if json.Unmarshal(m.Content, &parts) == nil {
				for _, p := range parts {
					text += p.Text
				}
			}
		}
		list = append(list, turn{role: m.Role, text: text})
	}
	return list
}

func (h *handler) chat(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var q request
	if err := json.Unmarshal(text, &q); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "the body is not JSON: "+err.Error(), nil)
		return
	}
	s := h.player.script
	characters := utf8.RuneCount(text)
	if prompt, over := s.overflow(characters); over {
		refuse(w, http.StatusBadRequest, "exceed_context_size_error", tooLong(prompt, s.Window), object{"n_prompt_tokens": prompt, "n_ctx": s.Window})
		return
	}
	reply := h.player.reply(q.asked())
	if first := reply.acts; len(first) > 0 && first[0].verb == verbFail {
		if first[0].wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(first[0].wait/time.Second)))
		}
		refuse(w, first[0].status, "scripted", first[0].text, nil)
		return
	}
	o := &out{w: w, r: r, reply: reply, model: s.Model, id: h.player.ids.Add(1)}
	usage := s.count(reply, characters)
	if !q.Stream {
		o.whole(usage)
		return
	}
	if !q.StreamOptions.IncludeUsage {
		usage = nil
	}
	o.stream(usage)
}

func read(w http.ResponseWriter, r *http.Request, v any) bool {
	if err := json.NewDecoder(r.Body).Decode(v); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", err.Error(), nil)
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, status int, kind, message string, more object) {
	e := object{"code": status, "type": kind, "message": message}
	for k, v := range more {
		e[k] = v
	}
	answer(w, max(status, 400), object{"error": e})
}

func answer(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that went away needs no answer
}

// out writes one reply to one client.
type out struct {
	w     http.ResponseWriter
	r     *http.Request
	reply *reply
	model string
	id    int64
	calls int
	err   error
}

func (o *out) event(delta object, finish any, usage *llm.Usage) {
	e := object{
		"id": fmt.Sprintf("chatcmpl-%d", o.id), "object": "chat.completion.chunk", "created": 0, "model": o.model,
		"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
	}
	if usage != nil {
		e["choices"] = []object{}
		e["usage"] = tokens(usage)
	}
	b, err := json.Marshal(e)
	if err != nil {
		o.err = err
		return
	}
	o.line("data: " + string(b) + "\n")
}

func (o *out) line(text string) {
	if o.err != nil {
		return
	}
	if _, o.err = io.WriteString(o.w, text+"\n"); o.err == nil {
		o.err = http.NewResponseController(o.w).Flush()
	}
}

func (o *out) wait(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-o.r.Context().Done():
		o.err = o.r.Context().Err()
	}
}

func (o *out) stream(usage *llm.Usage) {
	o.w.Header().Set("Content-Type", "text/event-stream")
	finish := ""
	for _, a := range o.reply.acts {
		if o.err != nil {
			return
		}
		switch a.verb {
		case verbWait:
			o.wait(a.wait)
		case verbThink:
			o.text("reasoning_content", a.text)
		case verbSay:
			o.text("content", a.text)
		case verbCall:
			o.call(a)
		case verbFinish:
			finish = a.text
		case verbFail:
			o.line("data: " + string(refusal(a)) + "\n")
			return
		case verbRaw:
			o.line(a.text)
		case verbCut:
			panic(http.ErrAbortHandler)
		case verbHang:
			o.line(": waiting\n")
			<-o.r.Context().Done()
			return
		}
	}
	if finish == "none" {
		return
	}
	o.event(object{}, o.finish(finish), nil)
	if usage != nil {
		o.event(nil, nil, usage)
	}
	o.line("data: [DONE]\n")
}

func (o *out) finish(word string) string {
	switch {
	case word != "":
		return word
	case o.calls > 0:
		return "tool_calls"
	}
	return "stop"
}

func (o *out) text(field, text string) {
	for piece := range pieces(text, o.reply.piece) {
		o.wait(o.reply.pace)
		o.event(object{field: piece}, nil, nil)
	}
}

func (o *out) call(a act) {
	i := o.calls
	o.calls++
	o.event(object{"tool_calls": []object{{"index": i, "id": o.callID(i), "type": "function", "function": object{"name": a.name, "arguments": ""}}}}, nil, nil)
	for piece := range pieces(a.text, o.reply.piece) {
		o.wait(o.reply.pace)
		o.event(object{"tool_calls": []object{{"index": i, "function": object{"arguments": piece}}}}, nil, nil)
	}
}

func (o *out) callID(i int) string { return fmt.Sprintf("call_%d_%d", o.id, i) }

// whole answers a request that did not ask for a stream.
func (o *out) whole(usage *llm.Usage) {
	var text, thinking strings.Builder
	var calls []object
	finish := ""
	for _, a := range o.reply.acts {
		switch a.verb {
		case verbWait:
			o.wait(a.wait)
		case verbThink:
			thinking.WriteString(a.text)
		case verbSay:
			text.WriteString(a.text)
		case verbCall:
			calls = append(calls, object{"id": o.callID(len(calls)), "type": "function", "function": object{"name": a.name, "arguments": a.text}})
		case verbFinish:
			finish = a.text
		case verbCut:
			panic(http.ErrAbortHandler)
		case verbHang:
			<-o.r.Context().Done()
			return
		case verbFail:
			refuse(o.w, a.status, "scripted", a.text, nil)
			return
		}
	}
	o.calls = len(calls)
	message := object{"role": "assistant", "content": text.String()}
	if thinking.Len() > 0 {
		message["reasoning_content"] = thinking.String()
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	e := object{
		"id": fmt.Sprintf("chatcmpl-%d", o.id), "object": "chat.completion", "created": 0, "model": o.model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": o.finish(finish)}},
	}
	if usage != nil {
		e["usage"] = tokens(usage)
	}
	answer(o.w, http.StatusOK, e)
}

func tokens(u *llm.Usage) object {
	return object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.Cached}}
}
