package configs

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/strict"
)

// A leaf is one value and where it was set.
type leaf struct {
	node   *yaml.Node
	origin Origin
}

// A layer holds the values that one file, preset, or group of flags sets.
type layer map[string]leaf

// over puts the values of l over those of base, and returns base.
func (l layer) over(base layer) layer {
	for key, v := range l {
		base[key] = v
	}
	return base
}

// maxFile is the largest configuration file, in bytes: fifty times the size of one with every setting.
const maxFile = 1 << 16

// readLayer reads the one YAML document in text, strictly: a key that no Run has, a key given twice, an anchor, a
// second document and a value of the wrong type are errors that name the line. The error has all of a file.
func readLayer(text []byte, from Origin) (layer, error) {
	if len(text) > maxFile {
		return nil, errorf(from.place(), "want a YAML file of at most 64 KiB, got %d bytes", len(text))
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	l := layer{}
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return l, nil
	} else if err != nil {
		return nil, cmp.Or(spaceError(from, text), syntaxError(from, err))
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		from.Line = second.Line
		return nil, errorf(from.place(), "want one YAML document, got a second one")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(from, err)
	}
	if err := l.read(doc.Content[0], "", from); err != nil {
		return nil, cmp.Or(spaceError(from, text), err)
	}
	return l, nil
}

// strangeSpace matches the line of a key or an entry with a tab in front, or with a space of typography in front or
// behind the mark. An editor shows it as spaces, which YAML wants.
var strangeSpace = regexp.MustCompile(`^ *(?:(\t)|(?:- *)?(?:[^#:\s]+:)? *` +
	`([\x{a0}\x{1680}\x{2000}-\x{200b}\x{202f}\x{205f}\x{3000}]))`)

// spaceError is the error of a text that cannot be read, if a character that looks like spaces is why; else nil.
func spaceError(from Origin, text []byte) error {
	if !utf8.Valid(text) {
		return nil
	}
	for i, line := range strings.Split(lineEnds.Replace(string(text)), "\n") {
		m := strangeSpace.FindStringSubmatch(line)
		switch from.Line = i + 1; {
		case m == nil:
		case m[1] != "":
			return errorf(from.place(), "a tab in front of %.40q: want spaces", strings.TrimSpace(line))
		default:
			r, _ := utf8.DecodeRuneInString(m[2])
			return errorf(from.place(), "the character %U, which looks like a space: want a space", r)
		}
	}
	return nil
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// read adds the values of mapping n, whose keys begin with prefix.
func (l layer) read(n *yaml.Node, prefix string, from Origin) error {
	from.Line = n.Line
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null" && n.Anchor == "": // "train:" with nothing below
		return nil
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return errorf(from.place(), "anchors and aliases (& and *) are not used here: write the value out")
	case n.Kind != yaml.MappingNode && prefix == "":
		return errorf(from.place(), "want keys such as \"train:\", got %s", strict.QuoteNode(n))
	case n.Kind != yaml.MappingNode:
		return errorf(from.place(), "%s: want keys below it, got %s", strings.TrimSuffix(prefix, "."),
			strict.QuoteNode(n))
	}
	seen, errs := map[string]int{}, []error(nil)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		from.Line = name.Line
		key := prefix + name.Value
		first, twice := seen[key]
		switch {
		case name.Kind != yaml.ScalarNode:
			errs = append(errs, errorf(from.place(), "want a word as key, got %s", strict.QuoteNode(name)))
		case twice:
			errs = append(errs, errorf(from.place(), "key %q is given twice, first on line %d", key, first))
		default:
			seen[key] = name.Line
			errs = append(errs, l.readKey(key, value, from))
		}
	}
	return joinErrors(errs)
}

func (l layer) readKey(key string, value *yaml.Node, from Origin) error {
	if isSection(key) {
		return l.read(value, key+".", from)
	}
	f, known := current().byKey[key]
	if !known {
		e := errorf(from.place(), "unknown key %q", key)
		e.Hint = suggest(key, value.Kind == yaml.MappingNode)
		return e
	}
	if old, twice := l[key]; twice { // once as train.lr, once as lr below train
		return errorf(from.place(), "key %q is given twice, first on line %d", key, old.origin.Line)
	}
	if plain(value) {
		return l.put(f, value, from)
	}
	from.Line = value.Line
	return errorf(from.place(), "%s: anchors, aliases and tags (&, * and !) are not used here: write it out", key)
}

// plain reports whether n has no anchor, alias or explicit tag in it.
func plain(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return false
	}
	for _, c := range n.Content {
		if !plain(c) {
			return false
		}
	}
	return true
}

// put sets one value, after a look at its type.
func (l layer) put(f field, n *yaml.Node, from Origin) error {
	canonical(f.key, n)
	if err := strict.Set(reflect.New(f.typ).Elem(), n); err != nil {
		return valueError(from, f.key, err)
	}
	l[f.key] = leaf{node: n, origin: from}
	return nil
}

// putText sets one value from what was typed in a flag, a variable or --set.
func (l layer) putText(f field, text string, from Origin) error {
	n, err := textNode(f, text)
	if err != nil {
		return valueError(from, f.key, err)
	}
	return l.put(f, n, from)
}

var (
	yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	fromZero = regexp.MustCompile(`^did not find expected (['<]|key|node)`)
)

// syntaxError words an error of the YAML parser like ours: file, line, complaint. The parser counts lines from 1 where
// it reads words, and from 0, which it leaves out, where it puts them together.
func syntaxError(from Origin, err error) error {
	msg := err.Error()
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		from.Line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	if fromZero.MatchString(msg) {
		from.Line++
	}
	return errorf(from.place(), "not YAML: %s", msg)
}

// decodeRun is the run with the values of l over the defaults.
func decodeRun(l layer) (Run, error) {
	r := Default()
	v := reflect.ValueOf(&r).Elem()
	for _, f := range current().fields {
		at, ok := l[f.key]
		if !ok {
			continue
		}
		if err := f.set(v, at.node); err != nil {
			return Run{}, valueError(at.origin, f.key, err)
		}
	}
	return r, nil
}

// encodeRun is the YAML tree of r: the single values first, then a mapping for each section.
func encodeRun(r Run) *yaml.Node {
	v := reflect.ValueOf(r)
	root := &yaml.Node{Kind: yaml.MappingNode}
	sections := map[string]*yaml.Node{"": root}
	for _, f := range current().fields {
		if !r.uses(f) {
			continue
		}
		section, name, nested := strings.Cut(f.key, ".")
		if !nested {
			section, name = "", f.key
		}
		if sections[section] == nil {
			sections[section] = &yaml.Node{Kind: yaml.MappingNode}
			root.Content = append(root.Content, scalar(section), sections[section])
		}
		to := sections[section]
		to.Content = append(to.Content, scalar(name), strict.Node(f.in(v)))
	}
	return root
}
