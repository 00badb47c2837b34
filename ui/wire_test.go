package ui_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fairlead/permission"
	"fairlead/session"
	"fairlead/tool"
	"fairlead/toolbox"
	"fairlead/turnguard"
	"fairlead/undo"
	"fairlead/window"
)

var update = flag.Bool("update", false, "write the generated files anew")

// kinds are the event kinds the page folds, each room's own list.
func kinds() []session.AnyKind {
	return slices.Concat(session.Kinds(), tool.Kinds(), permission.Kinds(), toolbox.Kinds(), turnguard.Kinds(), window.Kinds(), undo.Kinds())
}

// shapes travel inside a payload or a snapshot without being a kind of their own.
func shapes() []any { return []any{session.Event{}, tool.Card{}} }

func TestWireTypesAreFresh(t *testing.T) {
	const path = "src/wire.gen.ts"
	want := wire()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; run `make gen`", path)
	}
}

// wire writes the Go types that travel to the page as TypeScript.
func wire() []byte {
	w := &typescript{types: map[string]string{}}
	var payloads strings.Builder
	for _, k := range kinds() {
		info := k.Describe()
		fmt.Fprintf(&payloads, "  /** %s */\n  '%s': %s\n", info.Doc, info.Name, w.name(payloadOf(k)))
	}
	for _, s := range shapes() {
		w.name(reflect.TypeOf(s))
	}
	var out bytes.Buffer
	out.WriteString("// Code generated from the Go types by `make gen`; DO NOT EDIT.\n\n")
	out.WriteString("/** The payload of every event kind. */\nexport interface Payloads {\n" + payloads.String() + "}\n")
	for _, name := range slices.Sorted(maps.Keys(w.types)) {
		out.WriteString("\n" + w.types[name])
	}
	return out.Bytes()
}

// payloadOf is T of a session.Kind[T].
func payloadOf(k session.AnyKind) reflect.Type {
	decode, ok := reflect.TypeOf(k).MethodByName("Decode")
	if !ok {
		panic("a kind without Decode")
	}
	return decode.Type.Out(0)
}

// typescript collects declarations by name.
type typescript struct{ types map[string]string }

var (
	rawMessage = reflect.TypeFor[json.RawMessage]()
	number     = reflect.TypeFor[json.Number]()
)

// name gives the TypeScript for t and declares the structs it is made of.
func (w *typescript) name(t reflect.Type) string {
	switch {
	case t == rawMessage:
		return "unknown"
	case t == number:
		return "number | string"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Float64:
		return "number"
	case reflect.Pointer:
		return w.name(t.Elem())
	case reflect.Slice:
		return w.name(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + w.name(t.Elem()) + ">"
	case reflect.Interface:
		return "unknown"
	case reflect.Struct:
		if t.Name() == "" {
			return "Record<string, never>"
		}
		w.declare(t)
		return t.Name()
	default:
		panic("no TypeScript for " + t.String())
	}
}

func (w *typescript) declare(t reflect.Type) {
	if _, done := w.types[t.Name()]; done {
		return
	}
	w.types[t.Name()] = ""
	var b strings.Builder
	fmt.Fprintf(&b, "export interface %s {\n", t.Name())
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "-" || !field.IsExported() {
			continue
		}
		if name == "" {
			name = field.Name
		}
		typ := w.name(field.Type)
		kind := field.Type.Kind()
		switch {
		case strings.Contains(options, "omitempty"):
			name += "?"
		case (kind == reflect.Slice && field.Type != rawMessage) || kind == reflect.Map || kind == reflect.Pointer:
			typ += " | null"
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, typ)
	}
	b.WriteString("}\n")
	w.types[t.Name()] = b.String()
}
