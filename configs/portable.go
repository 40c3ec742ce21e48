package configs

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// other matches words that YAML 1.1 does not read as words, as PyYAML has it, whose readers are many: truths, numbers
// with underscores, colons and leading zeros, times, and the marks of merged and of default values.
var other = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|~|=|<<|` +
	`[-+]?0b[01_]+|[-+]?0x[0-9a-f_]+|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])*(\.[0-9_]*)?(e[-+][0-9]+)?|` +
	`[-+]?\.[0-9][0-9_]*(e[-+][0-9]+)?|[-+]?\.inf|\.nan|` +
	`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t \t].*)?)$`)

// portable makes YAML 1.1 and 1.2 read a tree as the same values: a float has a dot, since 1e-05 is a word of YAML 1.1,
// and words that only one of them reads as words are in quotes.
func portable(n *yaml.Node) {
	for _, c := range n.Content {
		portable(c)
	}
	if n.Kind != yaml.ScalarNode {
		return
	}
	switch n.ShortTag() {
	case "!!float":
		if digits, exponent, ok := strings.Cut(n.Value, "e"); ok && !strings.Contains(digits, ".") {
			n.Value = digits + ".0e" + exponent
		}
	case "!!str":
		if other.MatchString(n.Value) {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
}
