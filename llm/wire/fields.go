package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"fairlead/fault"
	"fairlead/llm"
)

// AppendFields appends members to a JSON object that is being written, each behind a
// comma, in the order of their names. Ours come from the request's options, the
// person's from the connection's settings: where both name a field, the person's
// counts. Reserved names are those an adapter writes itself.
func AppendFields(b []byte, ours, persons map[string]any, reserved ...string) ([]byte, error) {
	all := make(map[string]any, len(ours)+len(persons))
	maps.Copy(all, ours)
	maps.Copy(all, persons)
	for _, name := range reserved {
		delete(all, name)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, err := json.Marshal(all[name])
		if err != nil {
			return b, fault.Wrap(fault.Invalid, "llm.encode", err,
				"The extra request field %q cannot be written as JSON. Nothing was sent. Correct it in the connection's settings.", name)
		}
		b = append(AppendString(append(b, ','), name), ':')
		b = append(b, value...)
	}
	return b, nil
}

// Options gives the fields of the options that every wire names alike; limit is the
// name of the one that caps a reply. A ceiling that was learned holds.
func Options(p llm.Params, limit string) map[string]any {
	fields := map[string]any{}
	if most := p.Quirks.OutputLimit; most > 0 && p.MaxTokens > most {
		p.MaxTokens = most
	}
	if p.MaxTokens > 0 {
		fields[limit] = p.MaxTokens
	}
	if p.Temperature != nil {
		fields["temperature"] = *p.Temperature
	}
	if p.TopP != nil {
		fields["top_p"] = *p.TopP
	}
	return fields
}

// Parameters gives the schema of a tool's arguments as it is sent: a tool without
// one takes none.
func Parameters(t llm.ToolSchema, quirks llm.Quirks) (json.RawMessage, error) {
	switch {
	case len(t.Parameters) == 0:
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	case !quirks.PlainSchemas:
		return t.Parameters, nil
	}
	plain, err := PlainSchema(t.Parameters)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, "llm.encode", err, "the schema of the tool %s is not JSON", t.Name)
	}
	return plain, nil
}
