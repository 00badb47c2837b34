package catalog

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"fairlead/command"
	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/settings"
)

// PriceSettings is what the person says of prices.
type PriceSettings struct {
	Models map[string]llm.Price `yaml:"models" doc:"US dollars for a million tokens, by route (connection/model) or by the model's id. They count before the table that is shipped."`
}

// PriceSection is the part of the settings that holds the [PriceSettings].
var PriceSection = settings.NewSection("prices", "What models cost, where the shipped table does not know it or the person pays otherwise.", PriceSettings{})

// Prices says what models cost: by the person's settings, else by the shipped table.
// Where neither knows, nobody guesses.
type Prices struct {
	document *settings.Document // nil where there is none
}

// Price implements [llm.Prices].
func (p *Prices) Price(route llm.Route) (llm.Price, bool) {
	mine := p.own()
	for _, name := range []string{route.Name, route.Model.ID} {
		if price, ok := mine[name]; ok {
			return price, true
		}
	}
	_, provider, _ := strings.Cut(route.Wire, "/")
	for _, l := range shipped() {
		if l.Provider == provider && l.names(route.Model.ID) {
			return l.Price, true
		}
	}
	return llm.Price{}, false
}

func (p *Prices) own() map[string]llm.Price {
	if p.document == nil {
		return nil
	}
	return settings.Get(p.document, PriceSection).Models
}

// PriceRow is one price as people see it. By is "person" or "table".
type PriceRow struct {
	Model    string `json:"model"`
	Provider string `json:"provider,omitempty"`
	llm.Price
	By     string `json:"by"`
	Source string `json:"source,omitempty"`
	Date   string `json:"date,omitempty"` // when the source was read, YYYY-MM-DD
}

// List gives the person's prices, then those of the table.
func (p *Prices) List() []PriceRow {
	list := []PriceRow{}
	mine := p.own()
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		list = append(list, PriceRow{Model: name, Price: mine[name], By: "person"})
	}
	for _, l := range shipped() {
		list = append(list, PriceRow{Model: l.Model, Provider: l.Provider, Price: l.Price, By: "table", Source: sources[l.Provider], Date: l.Date})
	}
	return list
}

// PricesPlugin provides the prices and lets people see and change them.
func PricesPlugin() graph.Plugin {
	return graph.Plugin{
		Name:     "prices",
		Doc:      "what models cost, by the person's settings and a shipped table",
		Inject:   []graph.Dependency{graph.Optional(settings.DocumentKey)},
		Provides: []graph.AnyKey{llm.PricesKey},
		Apply: func(f *graph.Fiber, _ any) error {
			p := &Prices{}
			view := command.View{Name: "prices", Scope: command.Host, Summary: "What models cost, each with its source and date; the person's own first.",
				Read: func(context.Context, command.Query) (any, error) { return p.List(), nil }}
			if d, err := graph.Get(f, settings.DocumentKey); err == nil {
				p.document = d
				d.Declare(f, PriceSection)
				view.Watch = func(ctx context.Context, _ command.Query) iter.Seq2[any, error] {
					return func(yield func(any, error) bool) {
						for range d.Watch(ctx) {
							if !yield(p.List(), nil) {
								return
							}
						}
					}
				}
				offerPrices(f, p)
			}
			command.RegisterViews(f, view)
			return graph.Provide[llm.Prices](f, llm.PricesKey, p)
		},
	}
}

func offerPrices(f *graph.Fiber, p *Prices) {
	command.Register(f,
		command.Command{Name: "price.set", Scope: command.Host, Summary: "Say what a model costs, in US dollars for a million tokens.",
			Params: json.RawMessage(`{"type":"object","properties":{"model":{"type":"string","minLength":1},"input":{"type":"number","minimum":0},"cached":{"type":"number","minimum":0},` +
				`"written":{"type":"number","minimum":0},"output":{"type":"number","minimum":0}},"required":["model","input","output"],"additionalProperties":false}`),
			Run: func(ctx context.Context, c command.Call) (any, error) {
				var args struct {
					Model string `json:"model"`
					llm.Price
				}
				if err := json.Unmarshal(c.Args, &args); err != nil || args.Model == "" || args.Input < 0 || args.Output < 0 || args.Cached < 0 || args.Written < 0 {
					return nil, fault.New(fault.Invalid, "catalog.price", "A price names a model and what a million tokens of input and output cost. Nothing was changed.")
				}
				return nil, p.change(ctx, func(m map[string]llm.Price) { m[args.Model] = args.Price })
			}},
		command.Command{Name: "price.forget", Scope: command.Host, Summary: "Take the person's price of a model back.",
			Params: json.RawMessage(`{"type":"object","properties":{"model":{"type":"string"}},"required":["model"],"additionalProperties":false}`),
			Run: func(ctx context.Context, c command.Call) (any, error) {
				var args struct {
					Model string `json:"model"`
				}
				if err := json.Unmarshal(c.Args, &args); err != nil {
					return nil, fault.New(fault.Invalid, "catalog.price", "A price is taken back by its model. Nothing was changed.")
				}
				if _, ok := p.own()[args.Model]; !ok {
					return nil, fault.New(fault.NotFound, "catalog.price", "There is no price of yours for %q. Nothing was changed.", args.Model)
				}
				return nil, p.change(ctx, func(m map[string]llm.Price) { delete(m, args.Model) })
			}},
	)
}

// change writes the person's prices. Models have dots in their names, so the map is
// written as one value.
func (p *Prices) change(ctx context.Context, edit func(map[string]llm.Price)) error {
	revision := p.document.Revision()
	mine := maps.Clone(p.own())
	if mine == nil {
		mine = map[string]llm.Price{}
	}
	edit(mine)
	plain := map[string]any{}
	for name, price := range mine {
		row := map[string]any{"input": price.Input, "output": price.Output}
		if price.Cached > 0 {
			row["cached"] = price.Cached
		}
		if price.Written > 0 {
			row["written"] = price.Written
		}
		plain[name] = row
	}
	var value any = plain
	if len(plain) == 0 {
		value = nil
	}
	_, err := p.document.Patch(ctx, revision, map[string]any{"prices.models": value})
	return err
}
