package openai

import (
	"context"
	"encoding/json"

	"fairlead/llm"
	"fairlead/llm/wire"
)

// Models lists the endpoint's models by its /models list.
func (a *Chat) Models(ctx context.Context) ([]llm.Model, error) { return a.opt.models(ctx) }

func (o *Options) models(ctx context.Context) ([]llm.Model, error) {
	text, err := wire.Ask(ctx, o.Client, o.BaseURL+"/models", o.header(o.key()), nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			ID     string `json:"id"`
			Name   string `json:"name"`
			Window int    `json:"context_length"` // OpenRouter
			Length int    `json:"max_model_len"`  // vLLM
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, &llm.Error{Code: llm.CodeNotAPI, RetryAfter: -1, Message: "the model list is not JSON", Err: err}
	}
	models := make([]llm.Model, 0, len(list.Data))
	for _, m := range list.Data {
		model := llm.Model{ID: m.ID, Name: m.Name, Window: max(m.Window, m.Length)}
		if model.Window > 0 {
			model.Source = "server"
		}
		models = append(models, model)
	}
	return models, nil
}
