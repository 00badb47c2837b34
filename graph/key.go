package graph

// Key names a service and fixes its type. Keys are made once, as package variables
// of the room that declares the service type, and are compared by identity: two
// keys with the same name are two keys.
type Key[T any] struct{ *key }

// AnyKey is a [Key] of whatever type, for lists of them.
type AnyKey interface {
	Name() string
	Doc() string
	ident() *key
}

type key struct{ name, doc string }

// NewKey makes a key. The name is "room.service"; doc is one sentence for the
// catalog of services.
func NewKey[T any](name, doc string) Key[T] { return Key[T]{&key{name, doc}} }

// Name gives the name the key was made with.
func (k *key) Name() string { return k.name }

// Doc says in one sentence what the service does.
func (k *key) Doc() string { return k.doc }

func (k *key) ident() *key { return k }
