package model

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Ints is one number for every layer, or a list with one number per layer. In YAML and on the command line: 9 or [9, 9,
// 4].
type Ints []int

// Each returns the numbers of n layers.
func (v Ints) Each(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = v[min(i, len(v)-1)]
	}
	return all
}

// String returns "9" or "9,9,4".
func (v Ints) String() string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]int(v))), ","), "[]")
}

// UnmarshalYAML takes a number or a list of numbers.
func (v *Ints) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		var one int
		if err := n.Decode(&one); err != nil {
			return err
		}
		*v = Ints{one}
		return nil
	}
	var list []int
	if err := n.Decode(&list); err != nil {
		return err
	}
	*v = list
	return nil
}

// MarshalYAML writes a single number as such.
func (v Ints) MarshalYAML() (any, error) {
	if len(v) == 1 {
		return v[0], nil
	}
	n := &yaml.Node{}
	err := n.Encode([]int(v))
	n.Style = yaml.FlowStyle
	return n, err
}

// short makes a list of equal numbers one number.
func (v Ints) short() Ints {
	for _, n := range v {
		if n != v[0] {
			return v
		}
	}
	return v[:min(1, len(v))]
}
