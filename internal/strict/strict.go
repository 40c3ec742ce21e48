// Package strict reads one value from YAML, more strictly than YAML does: a number is written as a decimal number
// without quotes, and a truth is true or false, so that nothing is read as something else than it looks like.
package strict

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxList is the longest list, of a value for each layer: writing one takes time that grows with the square of its
// length.
const MaxList = 1000

// A Setter is a value that reads itself from YAML, and says what it looks like.
type Setter interface {
	yaml.Unmarshaler
	Wanted() string
}

// Own reports whether values of type t are Setters.
func Own(t reflect.Type) bool { return reflect.PointerTo(t).Implements(reflect.TypeFor[Setter]()) }

// Set puts the value of n into v. The error says what came and what was wanted.
func Set(v reflect.Value, n *yaml.Node) error {
	if s, ok := v.Addr().Interface().(Setter); ok {
		return s.UnmarshalYAML(n)
	}
	bad := func() error { return fmt.Errorf("%s: want %s", QuoteNode(n), DescribeType(v.Type())) }
	switch v.Kind() {
	case reflect.Slice:
		items := []*yaml.Node{n} // one value is a list of one
		if n.Kind == yaml.SequenceNode {
			items = n.Content
		}
		if len(items) > MaxList {
			return fmt.Errorf("a list of %d: want at most %d values", len(items), MaxList)
		}
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if Set(v.Index(i), item) != nil {
				return bad()
			}
		}
		return nil
	case reflect.Array:
		if n.Kind != yaml.SequenceNode || len(n.Content) != v.Len() {
			return bad()
		}
		for i, item := range n.Content {
			if Set(v.Index(i), item) != nil {
				return bad()
			}
		}
		return nil
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return bad()
	}
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	if !setScalar(v, n.Value, quoted) {
		return bad()
	}
	return nil
}

func setScalar(v reflect.Value, text string, quoted bool) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return utf8.ValidString(text) // YAML can hold nothing else
	case reflect.Bool:
		v.SetBool(text == "true")
		return !quoted && (text == "true" || text == "false")
	case reflect.Int:
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(i)
		return !quoted && err == nil
	case reflect.Uint64:
		u, err := strconv.ParseUint(text, 10, 64)
		v.SetUint(u)
		return !quoted && err == nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		v.SetFloat(f)
		return !quoted && err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && !strings.ContainsAny(text, "xX")
	}
	panic("strict: no values of type " + v.Type().String())
}

// DescribeType says what a value of type t looks like.
func DescribeType(t reflect.Type) string {
	if s, ok := reflect.New(t).Interface().(Setter); ok {
		return s.Wanted()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number from 0"
	case reflect.Float64:
		return "a number"
	case reflect.Array:
		return fmt.Sprintf("a list of %d numbers", t.Len())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Int {
			return "a whole number or a list such as [9, 9, 4]"
		}
		return "a list of words"
	}
	return "a word"
}

// QuoteNode is the value of n as the user wrote it, shortened.
func QuoteNode(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a group of keys"
	case n.Kind == yaml.SequenceNode:
		parts := make([]string, len(n.Content))
		for i, c := range n.Content {
			parts[i] = c.Value
		}
		return Clip("[" + strings.Join(parts, ", ") + "]")
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!str":
		return strconv.Quote(Clip(n.Value))
	}
	return Clip(n.Value)
}

// Clip is s, shortened.
func Clip(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// number returns the YAML of a truth or a finite number of a predeclared type, as Encode writes it, which makes an
// encoder and a parser for each.
func number(v reflect.Value) (text string, ok bool) {
	if v.Type().PkgPath() != "" { // it may have methods that say how it is written
		return "", false
	}
	switch {
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), true
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), true
	case v.CanFloat() && !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0):
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()), true
	}
	return "", false
}

// Node returns the YAML of a value, on one line.
func Node(v reflect.Value) *yaml.Node {
	if m, ok := v.Interface().(yaml.Marshaler); ok {
		x, err := m.MarshalYAML()
		if n, done := x.(*yaml.Node); done && err == nil {
			return n
		}
		v = reflect.ValueOf(x)
	}
	if k := v.Kind(); k == reflect.Slice || k == reflect.Array {
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range v.Len() {
			list.Content = append(list.Content, Node(v.Index(i)))
		}
		return list
	}
	n := new(yaml.Node)
	if text, ok := number(v); ok {
		n.Kind, n.Value = yaml.ScalarNode, text
		n.Tag = n.ShortTag()
		return n
	}
	if v.Kind() == reflect.String && strings.ContainsFunc(v.String(), unicode.IsControl) {
		// Encode writes such a word as a block of lines, which a tab in front makes unreadable.
		n.Kind, n.Tag, n.Style, n.Value = yaml.ScalarNode, "!!str", yaml.DoubleQuotedStyle, v.String()
		return n
	}
	if err := n.Encode(v.Interface()); err != nil {
		panic(err) // numbers, truths and words can always be written
	}
	return n
}
