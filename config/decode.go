package config

import (
	"encoding"
	"fmt"
	"reflect"
	"time"
)

// Checker is implemented by a plugin's configuration that can be wrong as a whole.
// It is asked after decoding; the error is shown at the row's config.
type Checker interface{ Check() error }

// Decode fills the struct that into points to, as a row's config fills a plugin's;
// name is what messages call it. The problems name every key that is unknown or has
// a wrong value; those fields keep what they had.
func (v *Value) Decode(into any, name string) Problems {
	var problems Problems
	decode(v, into, name, &problems)
	return problems
}

// decode fills the struct that into points to; name is what messages call it. Every
// key must be one of its fields; what is absent or null keeps the default that is
// there.
func decode(v *Value, into any, name string, problems *Problems) {
	found := len(*problems)
	decodeInto(v, reflect.ValueOf(into).Elem(), name, problems)
	if c, ok := into.(Checker); ok && len(*problems) == found {
		if err := c.Check(); err != nil {
			problems.add(v.At, "%s", err)
		}
	}
}

var (
	duration  = reflect.TypeFor[time.Duration]()
	unmarshal = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func decodeInto(v *Value, into reflect.Value, name string, problems *Problems) {
	wrong := func(wants string) {
		problems.add(v.At, "%s wants %s, not %s", name, wants, v.describe())
	}
	switch {
	case v.IsNull():
		return
	case into.Type() == duration:
		d, err := time.ParseDuration(fmt.Sprint(v.Scalar))
		if v.Kind != Scalar || err != nil {
			wrong(`a duration such as "500ms" or "10s"`)
			return
		}
		into.SetInt(int64(d))
		return
	case into.CanAddr() && into.Addr().Type().Implements(unmarshal):
		s, ok := v.Scalar.(string)
		if !ok {
			wrong("a text")
		} else if err := into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
			problems.add(v.At, "%s: %s", name, err)
		}
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(into.Type().Elem())
		if !into.IsNil() {
			fresh.Elem().Set(into.Elem())
		}
		decodeInto(v, fresh.Elem(), name, problems)
		into.Set(fresh)
	case reflect.Struct:
		if v.Kind != Map {
			wrong("a map")
			return
		}
		fields := fieldsOf(into.Type())
		for _, e := range v.Keys {
			index, ok := fields.index[e.Name]
			if !ok {
				problems.add(e.At, "unknown key %q in %s%s", e.Name, name, suggest(e.Name, fields.names))
				continue
			}
			decodeInto(e.Value, into.FieldByIndex(index), e.Name, problems)
		}
	case reflect.Map:
		if v.Kind != Map {
			wrong("a map")
			return
		}
		m := reflect.MakeMapWithSize(into.Type(), len(v.Keys))
		for _, e := range v.Keys {
			item := reflect.New(into.Type().Elem()).Elem()
			decodeInto(e.Value, item, e.Name, problems)
			m.SetMapIndex(reflect.ValueOf(e.Name).Convert(into.Type().Key()), item)
		}
		into.Set(m)
	case reflect.Slice:
		if v.Kind != List {
			wrong("a list")
			return
		}
		s := reflect.MakeSlice(into.Type(), len(v.Items), len(v.Items))
		for i, item := range v.Items {
			decodeInto(item, s.Index(i), fmt.Sprintf("%s[%d]", name, i), problems)
		}
		into.Set(s)
	case reflect.Interface:
		into.Set(reflect.ValueOf(v.plain()))
	default:
		decodeScalar(v, into, wrong)
	}
}

func decodeScalar(v *Value, into reflect.Value, wrong func(string)) {
	switch into.Kind() {
	case reflect.String:
		if s, ok := v.Scalar.(string); ok {
			into.SetString(s)
			return
		}
		wrong("a text")
	case reflect.Bool:
		if b, ok := v.Scalar.(bool); ok {
			into.SetBool(b)
			return
		}
		wrong("true or false")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n, ok := v.Scalar.(int64); ok && !into.OverflowInt(n) {
			into.SetInt(n)
			return
		}
		wrong("a whole number")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, ok := v.Scalar.(uint64)
		if i, signed := v.Scalar.(int64); signed && i >= 0 {
			n, ok = uint64(i), true
		}
		if ok && !into.OverflowUint(n) {
			into.SetUint(n)
			return
		}
		wrong("a whole number from 0 up")
	case reflect.Float32, reflect.Float64:
		switch n := v.Scalar.(type) {
		case float64:
			into.SetFloat(n)
		case int64:
			into.SetFloat(float64(n))
		default:
			wrong("a number")
		}
	default:
		wrong("something this build cannot read (" + into.Type().String() + ")")
	}
}

// describe names what is there, for a message.
func (v *Value) describe() string {
	switch v.Kind {
	case Map:
		return "a map"
	case List:
		return "a list"
	}
	if s, ok := v.Scalar.(string); ok {
		return fmt.Sprintf("the text %q", s)
	}
	return fmt.Sprint(v.Scalar)
}

// plain gives v as maps, slices and scalars.
func (v *Value) plain() any {
	switch v.Kind {
	case Map:
		m := make(map[string]any, len(v.Keys))
		for _, e := range v.Keys {
			m[e.Name] = e.Value.plain()
		}
		return m
	case List:
		s := make([]any, len(v.Items))
		for i := range v.Items {
			s[i] = v.Items[i].plain()
		}
		return s
	}
	return v.Scalar
}
