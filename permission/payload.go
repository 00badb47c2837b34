package permission

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"fairlead/session"
	"fairlead/tool"
)

// payload is everything a yes is bound to. It is for one call of one session.
type payload struct {
	Session session.ID      `json:"session"`
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Folder  string          `json:"folder"`
	Mode    Mode            `json:"mode"`
	// Card is what the person reads, the resolved targets with their bytes included.
	Card tool.Card `json:"card"`
}

// hash is the SHA-256 of the payload in one spelling, as 64 hex digits.
func (p payload) hash() (string, error) {
	var err error
	if p.Args, err = canonical(p.Args); err != nil {
		return "", fmt.Errorf("permission.hash: %w", err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("permission.hash: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// canonical writes a JSON value with sorted keys, no blanks and numbers as they
// were written, so that equal arguments have equal bytes.
func canonical(text json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return json.RawMessage("{}"), nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}
