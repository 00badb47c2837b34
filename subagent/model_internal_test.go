package subagent

import (
	"context"
	"iter"
	"strings"
	"testing"

	"fairlead/fault"
	"fairlead/graph"
	"fairlead/llm"
)

// server lists models and answers nothing.
type server []llm.Model

func (server) Encode(*llm.Request) ([]byte, error) { return nil, nil }

func (server) Stream(context.Context, []byte) iter.Seq2[llm.Chunk, error] { return nil }

func (s server) Models(context.Context) ([]llm.Model, error) { return s, nil }

func TestANameFindsOneModelOrStartsNothing(t *testing.T) {
	g := graph.New(graph.Options{})
	defer g.Close(t.Context())
	routes := llm.NewRoutes()
	offers := server{{ID: "big"}, {ID: "small"}, {ID: "hidden"}}
	fiber, err := g.Root().Plug("models", graph.Plugin{Name: "models", Apply: func(f *graph.Fiber, _ any) error {
		for _, r := range []llm.Route{
			{Name: "cloud/big", Model: llm.Model{ID: "big", Name: "Big One"}, Adapter: offers},
			{Name: "cloud/small", Model: llm.Model{ID: "small"}, Adapter: offers},
			{Name: "other/small", Model: llm.Model{ID: "small"}, Adapter: offers},
			{Name: "box/qwen-30b", Model: llm.Model{ID: "qwen-30b", Slots: 2}, Local: true, Adapter: offers},
		} {
			if err := routes.Register(f, r); err != nil {
				return err
			}
		}
		return routes.Offer(f, "cloud", func(model string) llm.Route {
			return llm.Route{Name: "cloud/" + model, Model: llm.Model{ID: model}, Adapter: offers}
		})
	}}, nil)
	if err == nil {
		err = fiber.Ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		"cloud/small": "cloud/small", "big": "cloud/big", "Big one": "cloud/big", "BOX": "box/qwen-30b", "local": "box/qwen-30b",
		"cloud":        "cloud/big", // several, and the default is one of them
		"cloud/hidden": "cloud/hidden",
	} {
		r, err := named(t.Context(), routes, asked)
		if err != nil || r.Name != want {
			t.Errorf("%q is %q (%v), want %q", asked, r.Name, err, want)
		}
	}
	for asked, want := range map[string]string{
		"small":         `"small" fits several models: cloud/small, other/small.`,
		"qwen-30":       `Did you mean "qwen-30b"`,
		"cloud/hiden":   `Did you mean "cloud/hidden"`,
		"gpt-something": "There are: cloud/big, cloud/small, other/small, box/qwen-30b.",
	} {
		_, err := named(t.Context(), routes, asked)
		if fault.CodeOf(err) != CodeModel || !strings.Contains(fault.Person(err), want) {
			t.Errorf("%q: %v, want %q", asked, err, want)
		}
	}
}
