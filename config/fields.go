package config

import (
	"encoding"
	"reflect"
	"strings"
	"time"
)

// Field is one key that a configuration struct understands.
type Field struct {
	// Key is the dotted path; "[]" stands for an item of a list, "*" for any key of a
	// map.
	Key string `json:"key"`
	// Type is "text", "number", "whole", "switch", "duration", "list", "map" or "any".
	Type string `json:"type"`
	// Default is what holds where nobody says otherwise; nil for the parts of lists
	// and maps.
	Default any `json:"default,omitempty"`
	// Doc is the field's doc tag; Options are the words it allows, from its enum tag.
	Doc     string   `json:"doc,omitempty"`
	Options []string `json:"options,omitempty"`
	// Go names the field in the source, "fairlead/store.Config.Dir", for catalogs that
	// show its comment.
	Go string `json:"-"`
}

// Fields lists the keys of a configuration, given a pointer to its struct with the
// defaults filled in, in the order of the struct.
func Fields(defaults any) []Field {
	var all []Field
	eachField("", reflect.ValueOf(defaults).Elem(), &all)
	return all
}

func eachField(prefix string, v reflect.Value, all *[]Field) {
	keys := fieldsOf(v.Type())
	for _, name := range keys.names {
		index := keys.index[name]
		field := v.Type().FieldByIndex(index)
		tag := field.Tag
		f := Field{Key: prefix + name, Type: typeName(field.Type), Doc: tag.Get("doc"), Go: v.Type().PkgPath() + "." + v.Type().Name() + "." + field.Name}
		if words := tag.Get("enum"); words != "" {
			f.Options = strings.Split(words, ",")
		}
		value := v.FieldByIndex(index)
		for value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		if value.Kind() == reflect.Struct && f.Type == "map" {
			eachField(f.Key+".", value, all)
			continue
		}
		if f.Default = value.Interface(); value.Type() == duration {
			f.Default = value.Interface().(time.Duration).String()
		}
		*all = append(*all, f)
		eachPart(f.Key, value.Type(), all)
	}
}

// eachPart lists the keys of the structs inside lists and maps.
func eachPart(key string, t reflect.Type, all *[]Field) {
	switch {
	case t.Kind() == reflect.Slice:
		key += "[]"
	case t.Kind() == reflect.Map:
		key += ".*"
	default:
		return
	}
	item := t.Elem()
	for item.Kind() == reflect.Pointer {
		item = item.Elem()
	}
	if item.Kind() != reflect.Struct || typeName(item) != "map" {
		eachPart(key, item, all)
		return
	}
	var parts []Field
	eachField(key+".", reflect.New(item).Elem(), &parts)
	for _, p := range parts {
		p.Default = nil
		*all = append(*all, p)
	}
}

func typeName(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == duration:
		return "duration"
	case reflect.PointerTo(t).Implements(unmarshal):
		return "text"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "switch"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list"
	case reflect.Map, reflect.Struct:
		return "map"
	case reflect.Interface:
		return "any"
	}
	return "whole"
}

// Plain gives a configuration struct as maps with its YAML keys, for JSON and pages.
// Durations are written as text.
func Plain(v any) any { return plainOf(reflect.ValueOf(v)) }

func plainOf(v reflect.Value) any {
	switch {
	case v.Type() == duration:
		return v.Interface().(time.Duration).String()
	case v.Type().Implements(marshal):
		return v.Interface() // encoding/json writes its text
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return plainOf(v.Elem())
	case reflect.Struct:
		keys := fieldsOf(v.Type())
		m := make(map[string]any, len(keys.names))
		for _, name := range keys.names {
			m[name] = plainOf(v.FieldByIndex(keys.index[name]))
		}
		return m
	case reflect.Map:
		m := make(map[string]any, v.Len())
		for key, item := range v.Seq2() {
			m[key.String()] = plainOf(item)
		}
		return m
	case reflect.Slice:
		s := make([]any, v.Len())
		for i := range s {
			s[i] = plainOf(v.Index(i))
		}
		return s
	}
	return v.Interface()
}

var marshal = reflect.TypeFor[encoding.TextMarshaler]()

// fields are the keys a struct understands.
type fields struct {
	names []string
	index map[string][]int
}

// fieldsOf reads the yaml tags of a struct; an untagged field has its name in lower
// case, "-" hides one, and embedded structs lend their fields.
func fieldsOf(t reflect.Type) fields {
	f := fields{index: map[string][]int{}}
	for _, field := range reflect.VisibleFields(t) {
		if !field.IsExported() || field.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch name {
		case "-":
			continue
		case "":
			name = strings.ToLower(field.Name)
		}
		f.names = append(f.names, name)
		f.index[name] = field.Index
	}
	return f
}
