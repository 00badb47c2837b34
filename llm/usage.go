package llm

import (
	"encoding/json"
	"strconv"
)

// Usage counts tokens of one reply, or of several. A negative count is unknown: as
// JSON it is left out, and what is left out is read as unknown.
type Usage struct {
	Input     int `json:"input,omitempty"`
	Cached    int `json:"cached,omitempty"` // of Input, what the server had in its cache
	Output    int `json:"output,omitempty"`
	Reasoning int `json:"reasoning,omitempty"` // of Output
	// Written are tokens of Input that the server put into its cache for a price of
	// their own; 0 where it has none, and never unknown.
	Written int `json:"written,omitempty"`
}

// UnknownUsage is a usage of which nothing is known.
func UnknownUsage() Usage { return Usage{Input: -1, Cached: -1, Output: -1, Reasoning: -1} }

// Add sums two usages. An unknown count adds nothing to a known one, and the sum of
// unknown counts is unknown.
func (u Usage) Add(v Usage) Usage {
	sum := func(a, b int) int {
		if a < 0 && b < 0 {
			return -1
		}
		return max(a, 0) + max(b, 0)
	}
	return Usage{Input: sum(u.Input, v.Input), Cached: sum(u.Cached, v.Cached), Output: sum(u.Output, v.Output), Reasoning: sum(u.Reasoning, v.Reasoning), Written: u.Written + v.Written}
}

// MarshalJSON writes what is known, a count of 0 too.
func (u Usage) MarshalJSON() ([]byte, error) {
	written := u.Written
	if written == 0 {
		written = -1 // most servers know of no such thing
	}
	b := append(make([]byte, 0, 64), '{')
	for _, c := range [...]struct {
		key string
		n   int
	}{{`"input":`, u.Input}, {`"cached":`, u.Cached}, {`"output":`, u.Output}, {`"reasoning":`, u.Reasoning}, {`"written":`, written}} {
		if c.n < 0 {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, c.key...), int64(c.n), 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (u *Usage) UnmarshalJSON(b []byte) error {
	type plain Usage
	p := plain(UnknownUsage())
	err := json.Unmarshal(b, &p)
	*u = Usage(p)
	return err
}
