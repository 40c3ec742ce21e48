// Package report has the JSON documents that commands write to standard output with --json, and that some write to files.
// A value that is unknown, NaN or infinite is null. Accuracies are fractions in 0..1, times are seconds, sizes are bytes.
//
// Stable: every key. A later version may add keys, and changes no meaning without a higher v.
package report

import "math"

// A Document is one kind of document, and the command that writes it.
type Document struct {
	Command string // runs ls
	If      string // the flag, or the flag and its value, with which the command writes this document in place of its usual one, or ""
	Value   any    // a zero value of its type
	Or      any    // of the type that it has for other networks; nil: it has one type
}

// Finite returns a pointer to x, or nil, which is null in JSON, for NaN and infinities.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
