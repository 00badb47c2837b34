package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fairlead/fault"
	"fairlead/llm"
	"fairlead/session"
)

// CodeNotReproduced marks a request that does not come out of the log as it was sent.
const CodeNotReproduced = "not-reproduced"

// Rebuild gives the exact bytes of the nth request of a session, counted from 1,
// out of its log alone, with its header. encoder gives an adapter for the name of a
// wire. Where the bytes are not those whose hash was logged, the bytes come with an
// error that has code [CodeNotReproduced].
func Rebuild(log *session.Log, n int, encoder func(wire string) (llm.Adapter, error)) ([]byte, session.RequestHeaderData, error) {
	h, err := headerOf(log, n)
	if err != nil {
		return nil, h, err
	}
	system, err := log.Blob(h.System)
	if err != nil {
		return nil, h, err
	}
	text, err := log.Blob(h.Tools)
	if err != nil {
		return nil, h, err
	}
	var tools []llm.ToolSchema
	if err := json.Unmarshal(text, &tools); err != nil {
		return nil, h, fault.Wrap(fault.Internal, "agent.rebuild", err, "The tools of request %d cannot be read.", n)
	}
	surface, err := log.SurfaceAt(h.Surface)
	if err != nil {
		return nil, h, err
	}
	adapter, err := encoder(h.Wire)
	if err != nil {
		return nil, h, err
	}
	if h.Ask != "" {
		question, err := log.Blob(h.Ask)
		if err != nil {
			return nil, h, err
		}
		surface = aside(surface, h.Until, string(question))
	}
	messages, _ := (&sent{}).normalise(log, surface, h.Params)
	body, err := adapter.Encode(&llm.Request{Model: h.Model, System: string(system), Tools: tools, Messages: messages, Params: h.Params})
	if err != nil {
		return nil, h, err
	}
	return body, h, reproduced(fmt.Sprintf("request %d", n), body, h.Body)
}

// reproduced says whether bytes that were written again are those that were sent.
func reproduced(what string, body []byte, hash string) error {
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != hash {
		return fault.New(fault.Internal, "agent.rebuild", "Out of the log, %s comes otherwise than it was sent.", what).WithCode(CodeNotReproduced)
	}
	return nil
}

func headerOf(log *session.Log, n int) (session.RequestHeaderData, error) {
	for e, err := range log.Events(1) {
		if err != nil {
			return session.RequestHeaderData{}, err
		}
		if !session.RequestHeader.Of(e) {
			continue
		}
		h, err := session.RequestHeader.Decode(e)
		if err != nil || h.Request == n {
			return h, err
		}
	}
	return session.RequestHeaderData{}, fault.New(fault.NotFound, "agent.rebuild", "The session has no request %d.", n)
}
