package tool

// Leaver says what a call sends to the web, so that policy can ask a person for the
// web once in a chat, show what leaves, and ask again where that is more than the
// words of a question. A tool that reaches the web and does not say so is judged as
// one that could do anything.
type Leaver interface {
	// Leaves is false where this call reaches nothing outside.
	Leaves(call *Call) (what Leaving, ok bool)
}

// Leaving is what a call sends out. It is worked out by the tool's own code from
// the arguments.
type Leaving struct {
	// Host gets it: the host of an address, the name of a search provider.
	Host string
	// Text is everything in it that the model chose: the words of a search; of an
	// address, everything behind its host.
	Text string
	// Near is the host and port of an address that means this machine or its own
	// network; "" for the open web. It is asked for by itself, in every chat.
	Near string
}
