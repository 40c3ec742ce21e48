// Package option has lists of things that a user picks by name, and the error that says which option is wrong. Whoever
// declares a List adds a thing to it in one line; validation, help, completion and documentation range over the list.
// An Error names the option by its key, as in the YAML file. The reader of the options adds where the user set it: a
// flag, a variable or a line of a file.
//
// Stable: List, Word, Item, Error and Errorf.
package option

import (
	"fmt"
	"strings"

	"github.com/attnconv/attnconv/internal/fault"
)

// An Error is one option that cannot be used.
type Error struct {
	Key   string   // dotted, as in YAML: model.heads
	Msg   string   // what is wanted and what came; empty when Known is set
	Got   string   // the value that is not in Known
	Known []string // what the value may be
}

// Errorf returns an Error for key.
func Errorf(key, format string, args ...any) error {
	return &Error{Key: key, Msg: fmt.Sprintf(format, args...)}
}

// Choice returns an Error that says what key may be.
func Choice(key, got string, known []string) error {
	return &Error{Key: key, Got: got, Known: known}
}

func (e *Error) Error() string { return e.Key + " " + e.Complaint() }
func (e *Error) ExitCode() int { return fault.Usage }

// Complaint is the message without the key.
func (e *Error) Complaint() string {
	if e.Known == nil {
		return e.Msg
	}
	s := fmt.Sprintf("%q: not one of %s", e.Got, strings.Join(e.Known, ", "))
	if near := Nearest(e.Got, e.Known); near != "" {
		s += fmt.Sprintf("\n  did you mean %q?", near)
	}
	return s
}

// Nearest returns the name in known that got was most likely meant to be, or "" when none is near.
func Nearest(got string, known []string) string {
	best, least := "", 1+max(1, len(got)/3)
	for _, k := range known {
		d := distance(strings.ToLower(got), strings.ToLower(k))
		if len(got) >= 3 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(got)) {
			d = 1
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with their neighbor to turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Between returns an Error for a number that is not lo to hi.
func Between(key string, n, lo, hi int) error {
	if n < lo || n > hi {
		return Errorf(key, "%d: want %d to %d", n, lo, hi)
	}
	return nil
}

// Rate returns an Error for p that is not a rate of dropout, 0 ≤ p < 1.
func Rate(key string, p float64) error {
	if !(p >= 0 && float32(p) < 1) { // layers know it as a float32
		return Errorf(key, "%v: want a rate from 0 to less than 1", p)
	}
	return nil
}
