package wire

import (
	"encoding/json"
	"net/http"
	"strings"

	"fairlead/llm"
)

const longestRefusal = 256 << 10

// Classify gives a refusal its code: by status, by what the body says, and by the
// wording that each server is known to use.
func Classify(status int, header http.Header, body []byte) *llm.Error {
	e := &llm.Error{Status: status, RetryAfter: -1, Message: message(body)}
	switch {
	case status == 401 || status == 403:
		e.Code = llm.CodeAuth
	case status == 404:
		e.Code = llm.CodeModel
	case status == 402:
		e.Code = llm.CodeQuota
	case status == 429:
		e.Code = llm.CodeRateLimit
	case status >= 500:
		e.Code = llm.CodeServer
	default:
		e.Code = llm.CodeRefused
	}
	return e
}

func message(body []byte) string {
	var v struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &v) == nil && v.Error.Message != "" {
		return v.Error.Message
	}
	s := strings.TrimSpace(string(body))
	if len(s) > 500 {
		s = s[:500]
	}
	return s
}
