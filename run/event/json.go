package event

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/attnconv/attnconv/null"
)

// Marshal encodes v as one line of JSON. Unlike encoding/json it writes NaN and infinities, which JSON does not have,
// as null, so that every reader can parse the files of a run that diverged.
func Marshal(v any) ([]byte, error) { return appendValue(nil, reflect.ValueOf(v)) }

func appendValue(b []byte, v reflect.Value) ([]byte, error) {
	if m, ok := v.Interface().(json.Marshaler); ok {
		text, err := m.MarshalJSON()
		return append(b, text...), err
	}
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return append(b, "null"...), nil
		}
	case reflect.Struct:
		b, err := appendFields(append(b, '{'), v)
		return append(b, '}'), err
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break // base64
		}
		return appendList(b, v)
	}
	text, err := json.Marshal(v.Interface())
	return append(b, text...), err
}

// appendFields appends "key":value for the exported fields of a struct, by their json tags, without the braces.
func appendFields(b []byte, v reflect.Value) (_ []byte, err error) {
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag.Get("json")
		name, opts, _ := strings.Cut(tag, ",")
		if name == "-" || name == "" || opts != "" && empty(v.Field(i)) {
			continue
		}
		if n := len(b); n > 0 && b[n-1] != '{' {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, name), ':')
		if b, err = appendValue(b, v.Field(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return b, nil
}

// empty reports whether a field marked omitempty or omitzero is left out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.String:
		return v.Len() == 0
	}
	return v.IsZero()
}

func appendList(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// Unmarshal decodes the output of marshal into the struct that p points to. Floats that are null or missing become NaN.
func Unmarshal(b []byte, p any) error {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Float64 && v.Type().Field(i).Tag.Get("json") != "-" {
			f.SetFloat(math.NaN())
		}
	}
	return json.Unmarshal(b, p)
}

// UnmarshalJSON decodes a layer's heads; null becomes NaN.
func (l *HeadLayer) UnmarshalJSON(b []byte) error {
	var raw struct {
		Centers   [][2]*float64    `json:"centers"`
		Alpha     []null.Float     `json:"alpha"`
		Precision [][2][2]*float64 `json:"precision"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*l = HeadLayer{Centers: make([][2]float64, len(raw.Centers))}
	for i, c := range raw.Centers {
		l.Centers[i] = pair(c)
	}
	for _, a := range raw.Alpha {
		l.Alpha = append(l.Alpha, float64(a))
	}
	for _, p := range raw.Precision {
		l.Precision = append(l.Precision, [2][2]float64{pair(p[0]), pair(p[1])})
	}
	return nil
}

// pair has NaN for what is null or missing.
func pair(p [2]*float64) (of [2]float64) {
	for i, v := range p {
		if of[i] = math.NaN(); v != nil {
			of[i] = *v
		}
	}
	return of
}
