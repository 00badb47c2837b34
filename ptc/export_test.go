package ptc

import "encoding/json"

// Arguments is the type that a schema is told as.
func Arguments(parameters string) string { return arguments(json.RawMessage(parameters)) }
