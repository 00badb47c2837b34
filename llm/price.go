package llm

import (
	"encoding/json"
	"math"
	"strconv"

	"fairlead/graph"
)

// Money is an amount in billionths of a US dollar. As JSON it is a number of dollars.
type Money int64

// dollar is one US dollar.
const dollar = 1_000_000_000

// Dollars makes an amount of a number of dollars, rounded to the nearest billionth.
func Dollars(usd float64) Money { return Money(math.Round(usd * dollar)) }

// Dollars gives the amount as a number of dollars.
func (m Money) Dollars() float64 { return float64(m) / dollar }

// String gives the amount for people: "$1.50", and with four digits below a dollar.
func (m Money) String() string {
	digits := 2
	if m > -dollar && m < dollar && m%(dollar/100) != 0 {
		digits = 4
	}
	return "$" + strconv.FormatFloat(m.Dollars(), 'f', digits, 64)
}

// MarshalJSON writes dollars, exact to the billionth.
func (m Money) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, m.Dollars(), 'f', -1, 64), nil
}

// UnmarshalJSON reads a number of dollars.
func (m *Money) UnmarshalJSON(b []byte) error {
	var usd float64
	if err := json.Unmarshal(b, &usd); err != nil {
		return err
	}
	*m = Dollars(usd)
	return nil
}

// Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input float64 `json:"input" yaml:"input"`
	// Cached is for tokens of the prompt that the server had read before, Written for
	// those that it put into its cache; 0 is as for all others.
	Cached  float64 `json:"cached,omitempty" yaml:"cached"`
	Written float64 `json:"written,omitempty" yaml:"written"`
	// Output is for the reply, thinking included.
	Output float64 `json:"output" yaml:"output"`
}

// Cost is what a reply cost. It is unknown where its tokens are.
func (p Price) Cost(u Usage) (Money, bool) {
	if u.Input < 0 || u.Output < 0 {
		return 0, false
	}
	or := func(price float64) float64 {
		if price == 0 {
			return p.Input
		}
		return price
	}
	cached := min(max(u.Cached, 0), u.Input)
	written := min(u.Written, u.Input-cached)
	perMillion := float64(u.Input-cached-written)*p.Input + float64(cached)*or(p.Cached) + float64(written)*or(p.Written) + float64(u.Output)*p.Output
	return Dollars(perMillion / 1e6), true
}

// Prices knows what models cost. It may be asked by any goroutine, at every reply.
type Prices interface {
	// Price gives what a route's model costs, false where nobody knows.
	Price(route Route) (Price, bool)
}

// PricesKey is where the prices are provided.
var PricesKey = graph.NewKey[Prices]("llm.prices", "what models cost; without it no cost is known")
