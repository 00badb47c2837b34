package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"fairlead/fault"
	"fairlead/llm"
)

// ID names a session: a UUIDv7 in lower case (RFC 9562 section 5.7).
type ID string

// NewID makes the id of a session that begins now.
func NewID() ID { return ID(uuid.Must(uuid.NewV7()).String()) }

// Valid reports whether id has the shape of a UUID in lower case. Nothing else is
// ever used as a name in a store.
func (id ID) Valid() bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

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

	// decoded lets the folds of one event share one decoding; nil outside a fold.
	decoded *any
}

// Equal compares what is written of two events.
func (e Event) Equal(o Event) bool {
	return e.Seq == o.Seq && e.At == o.At && e.Type == o.Type && e.Turn == o.Turn && e.Step == o.Step &&
		e.Ignorable == o.Ignorable && e.Hash == o.Hash && bytes.Equal(e.Data, o.Data) &&
		(e.Blob == o.Blob || e.Blob != nil && o.Blob != nil && *e.Blob == *o.Blob)
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
	// At is when it happened, Unix milliseconds, for what is brought in from
	// elsewhere; 0 means now.
	At int64
}

// AnyKind is a [Kind] without its payload type.
type AnyKind interface {
	Describe() KindInfo
	visible() bool
	shadows() bool
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
	if e.decoded != nil {
		if shared, ok := (*e.decoded).(T); ok {
			return shared, nil
		}
	}
	if len(e.Data) == 0 {
		if e.Blob != nil {
			return v, fault.New(fault.NotFound, "session.decode", "the payload of event %d (%s) is missing beside the log", e.Seq, e.Type)
		}
		return v, nil
	}
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return v, fault.Wrap(fault.Invalid, "session.decode", err, "event %d (%s) holds a payload that cannot be read", e.Seq, e.Type)
	}
	if e.decoded != nil {
		*e.decoded = v
	}
	return v, nil
}

// Describe is for catalogs.
func (k Kind[T]) Describe() KindInfo {
	return KindInfo{Name: k.Name, Doc: k.Doc, Ignorable: k.Ignorable, Visible: k.Message != nil, Shadows: k.Shadow != nil}
}

func (k Kind[T]) visible() bool { return k.Message != nil || k.Shadow != nil }
func (k Kind[T]) shadows() bool { return k.Shadow != nil }

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

// isName reports whether a kind may have this name: it is written into lines as it is.
func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789/-._") == ""
}

// NewKindTable makes a table; it panics on a name declared twice and on one that
// is not lower-case letters, digits and "/-._", which are defects.
func NewKindTable(kinds ...[]AnyKind) KindTable {
	t := KindTable{}
	for _, list := range kinds {
		for _, k := range list {
			name := k.Describe().Name
			if !isName(name) {
				panic(fmt.Sprintf("session: %q is not a name for an event kind", name))
			}
			if t[name] != nil {
				panic(fmt.Sprintf("session: event kind %q is declared twice", name))
			}
			t[name] = k
		}
	}
	return t
}
