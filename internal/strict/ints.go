package strict

import (
	"fmt"
	"strings"
)

// Ints is one number for every layer, or a list with one number per layer. In YAML and on the command line: 9 or [9, 9,
// 4].
type Ints []int

// String returns "9" or "9,9,4".
func (v Ints) String() string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint([]int(v))), ","), "[]")
}

// MarshalYAML writes a single number as such.
func (v Ints) MarshalYAML() (any, error) {
	if len(v) == 1 {
		return v[0], nil
	}
	return []int(v), nil
}

// Short makes a list of equal numbers one number.
func (v Ints) Short() Ints {
	for _, n := range v {
		if n != v[0] {
			return v
		}
	}
	return v[:min(1, len(v))]
}
