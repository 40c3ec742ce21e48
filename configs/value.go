package configs

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/model"
)

// set puts the value of n into v. It is stricter than YAML: a number is written as a decimal number without quotes, and
// a truth is true or false, so that nothing is read as something else than it looks like. The error says what came
// and what was wanted.
func set(v reflect.Value, n *yaml.Node) error {
	bad := func() error { return fmt.Errorf("%s: want %s", shown(n), wanted(v.Type())) }
	switch v.Kind() {
	case reflect.Slice:
		items := []*yaml.Node{n} // one value is a list of one
		if n.Kind == yaml.SequenceNode {
			items = n.Content
		}
		if len(items) > maxList {
			return fmt.Errorf("a list of %d: want at most %d values", len(items), maxList)
		}
		v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
		for i, item := range items {
			if set(v.Index(i), item) != nil {
				return bad()
			}
		}
		return nil
	case reflect.Array:
		if n.Kind != yaml.SequenceNode || len(n.Content) != v.Len() {
			return bad()
		}
		for i, item := range n.Content {
			if set(v.Index(i), item) != nil {
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
	panic("configs: no values of type " + v.Type().String())
}

// wanted says what a value of type t looks like.
func wanted(t reflect.Type) string {
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

// shown is the value of n as the user wrote it, shortened.
func shown(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a group of keys"
	case n.Kind == yaml.SequenceNode:
		parts := make([]string, len(n.Content))
		for i, c := range n.Content {
			parts[i] = c.Value
		}
		return clipped("[" + strings.Join(parts, ", ") + "]")
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!str":
		return strconv.Quote(clipped(n.Value))
	}
	return clipped(n.Value)
}

func clipped(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// textNode is the value of f as typed in a flag, a variable or --set. A word is taken as it is; a list may come
// with or without brackets: [9, 9, 4] or 9,9,4; none is the empty list.
func textNode(f field, text string) (*yaml.Node, error) {
	switch f.typ.Kind() {
	case reflect.String:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}, nil
	case reflect.Slice, reflect.Array:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		inner, open := strings.CutPrefix(strings.TrimSpace(text), "[")
		inner, closed := strings.CutSuffix(inner, "]")
		if open != closed {
			return nil, fmt.Errorf("%q: want %s", clipped(text), wanted(f.typ))
		}
		if inner = strings.TrimSpace(inner); inner == "" || inner == "none" {
			return list, nil
		}
		for word := range strings.SplitSeq(inner, ",") {
			list.Content = append(list.Content, scalar(strings.TrimSpace(word)))
		}
		return list, nil
	}
	return scalar(strings.TrimSpace(text)), nil
}

// scalar is a word as it stands, with the tag that makes it look right in an error.
func scalar(word string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: word}
	if _, err := strconv.ParseFloat(word, 64); err == nil {
		n.Tag = "!!float"
	}
	return n
}

// node is the YAML of a value: lists on one line, a list of one head count as the number.
func node(v reflect.Value) *yaml.Node {
	if ints, ok := v.Interface().(model.Ints); ok && len(ints) == 1 {
		v = v.Index(0)
	}
	if k := v.Kind(); k == reflect.Slice || k == reflect.Array {
		list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for i := range v.Len() {
			list.Content = append(list.Content, node(v.Index(i)))
		}
		return list
	}
	n := new(yaml.Node)
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
