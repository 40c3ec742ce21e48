// Package document lists the JSON documents that commands write to standard output with --json, and that some write to
// files. A document is a type of the package that makes its values; here are those that only commands make. A value
// that is unknown, NaN or infinite is null. Accuracies are fractions in 0..1, times are seconds, sizes are bytes.
//
// Stable: every key. A later version may add keys, and changes no meaning without a higher v.
package document

// A Document is one kind of document, and the command that writes it.
type Document struct {
	Command string // runs ls
	// the flag, or the flag and its value, with which the command writes this document instead of its usual one, or ""
	If    string
	Value any // a zero value of its type
	// zero values of the types that it has for other networks, or for several runs; nil: it has one type
	Or []any
}
