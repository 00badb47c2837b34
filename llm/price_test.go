package llm_test

import (
	"encoding/json"
	"testing"

	"fairlead/llm"
)

func TestWhatIsCachedAndWhatIsWrittenHaveTheirOwnPrice(t *testing.T) {
	full := llm.Price{Input: 10, Cached: 1, Written: 20, Output: 100}
	for name, c := range map[string]struct {
		price llm.Price
		usage llm.Usage
		want  string // "" where it is unknown
	}{
		"plain":                    {full, llm.Usage{Input: 1000, Cached: -1, Output: 10, Reasoning: -1}, "$0.0110"},
		"cached":                   {full, llm.Usage{Input: 1000, Cached: 400, Output: 10}, "$0.0074"},
		"cached and written":       {full, llm.Usage{Input: 1000, Cached: 400, Written: 500, Output: 10}, "$0.0124"},
		"no price of their own":    {llm.Price{Input: 10, Output: 100}, llm.Usage{Input: 1000, Cached: 400, Written: 500, Output: 10}, "$0.0110"},
		"more cached than sent":    {full, llm.Usage{Input: 1000, Cached: 4000, Output: 0}, "$0.0010"},
		"a model that is free":     {llm.Price{}, llm.Usage{Input: 1000, Output: 10}, "$0.00"},
		"an input nobody counted":  {full, llm.Usage{Input: -1, Output: 10}, ""},
		"an output nobody counted": {full, llm.Usage{Input: 10, Output: -1}, ""},
	} {
		got := ""
		if cost, ok := c.price.Cost(c.usage); ok {
			got = cost.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMoneyIsExactInJSON(t *testing.T) {
	var sum llm.Money
	for range 10 {
		sum += llm.Dollars(0.1)
	}
	b, err := json.Marshal([]llm.Money{sum, llm.Dollars(0.000000123), 0})
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != "[1,0.000000123,0]" {
		t.Errorf("%s", b)
	}
	var back []llm.Money
	if err := json.Unmarshal(b, &back); err != nil || back[0] != sum || back[1] != 123 {
		t.Errorf("%v %v", back, err)
	}
}
