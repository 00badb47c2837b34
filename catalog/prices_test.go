package catalog_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairlead/catalog"
	"fairlead/command"
	"fairlead/graph"
	"fairlead/llm"
	"fairlead/session"
	"fairlead/settings"
)

// priced is a graph with the settings of a home folder and the prices.
func priced(t *testing.T, text string) (*graph.Graph, llm.Prices) {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "settings.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	g := graph.New(graph.Options{})
	t.Cleanup(func() {
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for _, p := range []graph.Plugin{settings.Plugin(settings.CredentialOptions{Home: home}), catalog.PricesPlugin()} {
		if _, err := g.Root().Plug(p.Name, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Root().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	prices, ok := graph.Lookup(g.Root().Realm(), llm.PricesKey)
	if !ok {
		t.Fatal("there are no prices")
	}
	return g, prices
}

func route(name, wire string) llm.Route {
	connection, model, _ := strings.Cut(name, "/")
	return llm.Route{Name: connection + "/" + model, Model: llm.Model{ID: model}, Wire: wire}
}

func TestAPriceIsKnownOrItIsNot(t *testing.T) {
	_, prices := priced(t, "prices:\n  models:\n    lab/qwen: {input: 1, output: 2}\n    gpt-5.1: {input: 3, output: 4}\n")
	for name, c := range map[string]struct {
		route llm.Route
		want  float64 // of input; -1 where it is unknown
	}{
		"of the table":                   {route("claude/claude-haiku-4-5", "messages/anthropic"), 1},
		"with the date of a version":     {route("claude/claude-haiku-4-5-20251001", "messages/anthropic"), 1},
		"another date":                   {route("openai/gpt-4.1-2025-04-14", "chat/openai"), 2},
		"a longer name is another":       {route("openai/gpt-4.1-nano", "chat/openai"), -1},
		"through a gateway":              {route("gate/claude-haiku-4-5", "chat"), -1},
		"the person's, by its route":     {route("lab/qwen", "chat"), 1},
		"not that of another route":      {route("other/qwen", "chat"), -1},
		"the person's, before the table": {route("openai/gpt-5.1", "chat/openai"), 3},
		"a local server":                 {llm.Route{Name: "ollama/x", Model: llm.Model{ID: "x"}, Wire: "chat/ollama", Local: true}, -1},
	} {
		got := -1.0
		if p, ok := prices.Price(c.route); ok {
			got = p.Input
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestAPersonSetsAPriceAndTakesItBack(t *testing.T) {
	g, prices := priced(t, "# mine\nlook: {theme: dark}\n")
	run := func(name, args string) error {
		t.Helper()
		c, ok := command.Find(t.Context(), g.Root().Realm(), name)
		if !ok {
			t.Fatalf("there is no command %s", name)
		}
		_, err := c.Run(t.Context(), command.Call{Args: json.RawMessage(args)})
		return err
	}
	lab := route("lab/qwen-2.5", "chat")
	if err := run("price.set", `{"model":"lab/qwen-2.5","input":0.5,"output":1.5,"cached":0.1}`); err != nil {
		t.Fatal(err)
	}
	if p, ok := prices.Price(lab); !ok || p != (llm.Price{Input: 0.5, Cached: 0.1, Output: 1.5}) {
		t.Errorf("price = %+v, %t", p, ok)
	}
	if err := run("price.set", `{"model":"lab/qwen-2.5","input":-1,"output":1}`); err == nil {
		t.Error("a price below zero was taken")
	}
	if err := run("price.forget", `{"model":"lab/qwen-2.5"}`); err != nil {
		t.Fatal(err)
	}
	if _, ok := prices.Price(lab); ok {
		t.Error("the price is still known")
	}
	if err := run("price.forget", `{"model":"lab/qwen-2.5"}`); err == nil {
		t.Error("a price that was not there was taken back")
	}
}

func TestADayKnowsWhatItCostAndWhatIsNotKnown(t *testing.T) {
	h := build(t)
	log, err := h.lib.Create(t.Context(), session.CreatedData{})
	if err != nil {
		t.Fatal(err)
	}
	cost, usage := llm.Dollars(0.25), &llm.Usage{Input: 10, Cached: -1, Output: 2, Reasoning: -1}
	_, err = log.Append(t.Context(),
		session.AssistantMessage.New(1, 1, session.AssistantMessageData{ID: "a", Model: "m/one", Usage: usage, Cost: &cost}),
		session.RequestAttempt.New(1, 2, session.RequestAttemptData{Model: "m/one", Usage: usage, Cost: &cost}),
		session.AssistantMessage.New(1, 2, session.AssistantMessageData{ID: "b", Model: "m/one", Usage: usage}),
		session.AssistantMessage.New(1, 3, session.AssistantMessageData{ID: "c", Model: "m/two", Usage: usage}))
	if err != nil {
		t.Fatal(err)
	}
	h.close(t, log)
	catchUp(t, h)
	days, err := h.Days(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, day := llm.Dollars(0.5), time.Now().Format(time.DateOnly)
	want := []catalog.Day{
		{Day: day, Model: "m/one", Requests: 3, Usage: llm.Usage{Input: 30, Cached: -1, Output: 6, Reasoning: -1}, Cost: &sum, Unpriced: 1},
		{Day: day, Model: "m/two", Requests: 1, Usage: llm.Usage{Input: 10, Cached: -1, Output: 2, Reasoning: -1}, Unpriced: 1},
	}
	if diff := cmp.Diff(want, days); diff != "" {
		t.Error(diff)
	}
}
