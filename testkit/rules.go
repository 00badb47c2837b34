package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// wireRules are what the strictest provider of a wire demands.
type wireRules struct {
	split func(body []byte) (parts, error)
	check func(body []byte, p parts) error
}

var (
	idForm   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	nameForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	// escapes are those of a JSON text, one after another: a backslash pair is one,
	// so that an escape behind it is only text.
	escapes = regexp.MustCompile(`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)`)
	noText  = regexp.MustCompile(`^\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})$`)
)

// sound refuses bytes that no JSON reader behind a provider takes.
func sound(body []byte) error {
	switch {
	case !utf8.Valid(body):
		return fmt.Errorf("the body is not UTF-8")
	case !json.Valid(body):
		return fmt.Errorf("the body is not JSON")
	}
	return characters(body)
}

// characters refuses a JSON text whose escapes make a NUL or half a surrogate pair.
func characters(text []byte) error {
	for _, e := range escapes.FindAll(text, -1) {
		if noText.Match(e) {
			return fmt.Errorf("the text holds %s, which is no character", e)
		}
	}
	return nil
}

// lastKey refuses a body whose long part is not its last key: a server's prefix
// cache would see what stands behind it move.
func lastKey(body []byte, key string) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return err
	}
	last := ""
	seen := map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		last = name.(string)
		if seen[last] {
			return fmt.Errorf("the key %q comes twice", last)
		}
		seen[last] = true
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			return err
		}
	}
	if last != key {
		return fmt.Errorf("the last key is %q, not %q", last, key)
	}
	return nil
}

// schemas refuses tools that a provider refuses, and those that are not in the order
// of their names.
func schemas(names []string, parameters []json.RawMessage) error {
	for i, name := range names {
		if !nameForm.MatchString(name) {
			return fmt.Errorf("the tool name %q is malformed", name)
		}
		if i > 0 && names[i-1] >= name {
			return fmt.Errorf("the tools %q and %q are not in order", names[i-1], name)
		}
		var schema struct {
			Type       string          `json:"type"`
			Properties json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(parameters[i], &schema); err != nil || schema.Type != "object" {
			return fmt.Errorf("the parameters of the tool %q are no schema of an object", name)
		}
	}
	return nil
}

// pairing follows calls and results through a request.
type pairing struct {
	used    map[string]bool
	waiting []string
}

func (p *pairing) call(id, name string) error {
	switch {
	case !idForm.MatchString(id):
		return fmt.Errorf("the call id %q is malformed", id)
	case p.used[id]:
		return fmt.Errorf("the call id %q comes twice", id)
	case !nameForm.MatchString(name):
		return fmt.Errorf("the name %q of the call %s is malformed", name, id)
	}
	if p.used == nil {
		p.used = map[string]bool{}
	}
	p.used[id] = true
	p.waiting = append(p.waiting, id)
	return nil
}

func (p *pairing) result(id string) error {
	if len(p.waiting) == 0 || p.waiting[0] != id {
		return fmt.Errorf("the result of %q stands where %q is expected", id, strings.Join(p.waiting, ", "))
	}
	p.waiting = p.waiting[1:]
	return nil
}

// settled refuses anything else while results are missing.
func (p *pairing) settled() error {
	if len(p.waiting) > 0 {
		return fmt.Errorf("the calls %q have no result", p.waiting)
	}
	return nil
}

func isObject(text []byte) bool {
	var v map[string]any
	return json.Unmarshal(text, &v) == nil && v != nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
