package configs

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/strict"
)

// textNode is the value of f as typed in a flag, a variable or --set. A word is taken as it is; a list may come
// with or without brackets: [9, 9, 4] or 9,9,4; none is the empty list.
func textNode(f field, text string) (*yaml.Node, error) {
	if strict.Own(f.typ) {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) != 1 || !plain(doc.Content[0]) {
			return nil, fmt.Errorf("%q: want %s", strict.Clip(text), strict.DescribeType(f.typ))
		}
		return doc.Content[0], nil
	}
	switch f.typ.Kind() {
	case reflect.String:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}, nil
	case reflect.Slice, reflect.Array:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		inner, open := strings.CutPrefix(strings.TrimSpace(text), "[")
		inner, closed := strings.CutSuffix(inner, "]")
		if open != closed {
			return nil, fmt.Errorf("%q: want %s", strict.Clip(text), strict.DescribeType(f.typ))
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

// scalar is a word as it is, with the tag that makes it look right in an error.
func scalar(word string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: word}
	if _, err := strconv.ParseFloat(word, 64); err == nil {
		n.Tag = "!!float"
	}
	return n
}
