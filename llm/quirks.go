package llm

// Quirks are what an endpoint was found to want of every request, beyond what its
// kind is known for: mostly learned from a refusal ([Error.Wants]). They are part
// of [Params], so the log keeps them and a request can be rebuilt. The zero value
// wants nothing.
type Quirks struct {
	// Thinking says whether the thinking of past replies goes back: "back", "leave",
	// or "" for what the endpoint's kind is known to want.
	Thinking string `json:"thinking,omitempty"`
	// Alternate merges messages of one role that follow each other.
	Alternate bool `json:"alternate,omitempty"`
	// TextOnly leaves pictures out; the normaliser puts marks in their place.
	TextOnly bool `json:"textOnly,omitempty"`
	// PlainSchemas takes the bounds and patterns out of tool schemas that grammars of
	// local servers cannot express. Arguments are still validated against the whole.
	PlainSchemas bool `json:"plainSchemas,omitempty"`
	// OutputLimit is the largest cap on a reply that the endpoint takes; 0 is unknown.
	OutputLimit int `json:"outputLimit,omitempty"`
	// CapField is the name of the field that caps a reply, where it is not the usual one.
	CapField string `json:"capField,omitempty"`
	// NoTools leaves the tools out: the model or its server cannot call any.
	NoTools bool `json:"noTools,omitempty"`
	// ShortIDs writes call ids as nine letters and digits.
	ShortIDs bool `json:"shortIds,omitempty"`
	// NoUsage leaves out the wish for token counts, NoEffort the level of thinking.
	NoUsage  bool `json:"noUsage,omitempty"`
	NoEffort bool `json:"noEffort,omitempty"`
}

// The values of [Quirks.Thinking].
const (
	ThinkingBack  = "back"
	ThinkingLeave = "leave"
)

// With adds what a refusal wants. Changed is false where q had it all already: the
// same request again would only be refused again.
func (q Quirks) With(wants Quirks) (merged Quirks, changed bool) {
	m := q
	if wants.Thinking != "" {
		m.Thinking = wants.Thinking
	}
	if wants.OutputLimit > 0 && (m.OutputLimit == 0 || wants.OutputLimit < m.OutputLimit) {
		m.OutputLimit = wants.OutputLimit
	}
	if wants.CapField != "" {
		m.CapField = wants.CapField
	}
	m.Alternate = m.Alternate || wants.Alternate
	m.TextOnly = m.TextOnly || wants.TextOnly
	m.PlainSchemas = m.PlainSchemas || wants.PlainSchemas
	m.NoTools = m.NoTools || wants.NoTools
	m.ShortIDs = m.ShortIDs || wants.ShortIDs
	m.NoUsage = m.NoUsage || wants.NoUsage
	m.NoEffort = m.NoEffort || wants.NoEffort
	return m, m != q
}
