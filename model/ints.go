package model

// Ints is one number for every layer, or a list with one number per layer. In YAML and on the command line: 9 or [9, 9, 4].
type Ints []int
