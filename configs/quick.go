package configs

import (
	"bytes"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// quick reads text as YAML writes it: keys with plain words, numbers and lists of them on one line each. A list of a
// thousand runs reads a thousand such texts; this takes a sixth of the time of readLayer, to which all other text is
// left, what is wrong above all.
func quick(text []byte) (r Run, ok bool) {
	if len(text) > maxFile {
		return r, false
	}
	r = Default()
	v := reflect.ValueOf(&r).Elem()
	known := current().byKey
	seen := make(map[string]bool, len(known))
	section := ""
	for line := range bytes.Lines(text) {
		key, value, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":")
		if !found {
			return r, false
		}
		name, inner := strings.CutPrefix(key, "  ")
		switch {
		case value == "" && !inner && isSection(key) && !seen[key+"."]:
			section = key + "."
			seen[section] = true
			continue
		case inner && section != "":
			key = section + name
		case inner:
			return r, false
		default:
			section = "" // what follows and is indented belongs to nothing
		}
		f, ours := known[key]
		n, plain := plainNode(strings.TrimPrefix(value, " "))
		if !ours || !plain || value[0] != ' ' || strings.Contains(name, ".") || seen[key] {
			return r, false
		}
		seen[key] = true
		canonical(f.key, n)
		if f.set(v, n) != nil {
			return r, false
		}
	}
	return r, true
}

// plainNode is the node of a word, of nothing in quotes, of a number, or of a list or a group of keys whose values are
// words, numbers, lists and groups, all of which YAML reads as they stand.
func plainNode(text string) (*yaml.Node, bool) {
	if text == `""` {
		return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle}, true
	}
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: text}, isPlain(text)
	}
	n, rest, ok := flowNode(text)
	return n, ok && rest == ""
}

// flowNode is the node that text begins with, as YAML writes it on one line, and what follows it.
func flowNode(text string) (n *yaml.Node, rest string, ok bool) {
	list, group := strings.HasPrefix(text, "["), strings.HasPrefix(text, "{")
	if !list && !group {
		end := strings.IndexAny(text, ",]}")
		if end < 0 {
			return nil, "", false
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Value: text[:end]}, text[end:], isPlain(text[:end])
	}
	n, rest = &yaml.Node{Kind: yaml.SequenceNode}, text[1:]
	end := "]"
	if group {
		n.Kind, end = yaml.MappingNode, "}"
	}
	for rest != "" && !strings.HasPrefix(rest, end) {
		if len(n.Content) > 0 {
			if rest, ok = strings.CutPrefix(rest, ", "); !ok {
				return n, "", false
			}
		}
		if group {
			key, value, found := strings.Cut(rest, ": ")
			if !found || !isPlain(key) {
				return n, "", false
			}
			n.Content, rest = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}), value
		}
		var inner *yaml.Node
		if inner, rest, ok = flowNode(rest); !ok {
			return n, "", false
		}
		n.Content = append(n.Content, inner)
	}
	rest, ok = strings.CutPrefix(rest, end)
	return n, rest, ok
}

// isPlain reports whether YAML reads a word as that word: it begins with a letter or a digit and is not its null. A
// number may have a sign.
func isPlain(word string) bool {
	if rest, signed := strings.CutPrefix(word, "-"); signed {
		word = rest
		if word == "" || word[0] < '0' || word[0] > '9' {
			return false
		}
	}
	for i, c := range []byte(word) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || strings.IndexByte("_-./+", c) < 0) {
			return false
		}
	}
	return word != "" && !strings.EqualFold(word, "null")
}
