package session

import (
	"encoding/json"
	"fmt"

	"fairlead/fault"
	"fairlead/llm"
)

// ID names a session: a UUIDv7 in lower case (RFC 9562 section 5.7).
type ID string

// Event is one line of the log. Seq counts from 1 without gaps; At is Unix time
// in milliseconds; Turn and Step are 0 outside one. Hash chains each line to the
// one before it.
type Event struct {
	Seq       int64           `json:"seq"`
	At        int64           `json:"at"`
	Type      string          `json:"type"`
	Turn      int             `json:"turn,omitempty"`
	Step      int             `json:"step,omitempty"`
	Ignorable bool            `json:"ignorable,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	// Blob stands for Data where the payload is over 16 KiB; readers get Data filled in.
	Blob *BlobRef `json:"blob,omitempty"`
	Hash string   `json:"h,omitempty"`
}

// BlobRef points at content beside the log by its SHA-256 (64 hex digits).
type BlobRef struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Draft is an event to be appended: a kind with its payload, and where it belongs.
type Draft struct {
	Type      string
	Turn      int
	Step      int
	Ignorable bool
	Data      any
}

// AnyKind is a [Kind] without its payload type.
type AnyKind interface {
	Describe() KindInfo
	// message gives what the model sees of an event of this kind.
	message(Event) (*llm.Message, error)
	span(Event) (Span, bool, error)
}

// KindInfo is what a catalog says of a kind.
type KindInfo struct {
	Name      string
	Doc       string
	Ignorable bool
	Visible   bool // the model sees it
	Shadows   bool // it hides a span of earlier visible events
}

// Span is a range of sequence numbers, both ends included.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Kind is an event kind with the type of its payload. A kind is declared once, as
// a package variable of the room that owns the payload, and listed in that room's
// Kinds function, from which app makes the table of all kinds.
type Kind[T any] struct {
	Name string
	Doc  string
	// Ignorable marks a kind that a reader who does not know it may skip.
	Ignorable bool
	// Message makes an event model-visible: it gives the message that stands in the
	// surface for it. A nil result leaves this one event out.
	Message func(T) *llm.Message
	// Shadow says which earlier visible events this event's Message stands for.
	Shadow func(T) Span
}

// New drafts an event of this kind.
func (k Kind[T]) New(turn, step int, data T) Draft {
	return Draft{Type: k.Name, Turn: turn, Step: step, Ignorable: k.Ignorable, Data: data}
}

// Of reports whether e is of this kind.
func (k Kind[T]) Of(e Event) bool { return e.Type == k.Name }

// Decode reads the payload of an event of this kind.
func (k Kind[T]) Decode(e Event) (T, error) {
	var v T
	if e.Type != k.Name {
		return v, fault.New(fault.Internal, "session.decode", "event %d is %s, not %s", e.Seq, e.Type, k.Name)
	}
	if len(e.Data) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return v, fault.Wrap(fault.Invalid, "session.decode", err, "event %d (%s) holds a payload that cannot be read", e.Seq, e.Type)
	}
	return v, nil
}

// Describe is for catalogs.
func (k Kind[T]) Describe() KindInfo {
	return KindInfo{Name: k.Name, Doc: k.Doc, Ignorable: k.Ignorable, Visible: k.Message != nil, Shadows: k.Shadow != nil}
}

func (k Kind[T]) message(e Event) (*llm.Message, error) {
	if k.Message == nil {
		return nil, nil
	}
	v, err := k.Decode(e)
	if err != nil {
		return nil, err
	}
	return k.Message(v), nil
}

func (k Kind[T]) span(e Event) (Span, bool, error) {
	if k.Shadow == nil {
		return Span{}, false, nil
	}
	v, err := k.Decode(e)
	if err != nil {
		return Span{}, false, err
	}
	return k.Shadow(v), true, nil
}

// KindTable is the set of kinds a reader knows, by name.
type KindTable map[string]AnyKind

// NewKindTable makes a table; it panics on a name declared twice, which is a defect.
func NewKindTable(kinds ...[]AnyKind) KindTable {
	t := KindTable{}
	for _, list := range kinds {
		for _, k := range list {
			name := k.Describe().Name
			if t[name] != nil {
				panic(fmt.Sprintf("session: event kind %q is declared twice", name))
			}
			t[name] = k
		}
	}
	return t
}
