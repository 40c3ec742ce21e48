package option

import (
	"slices"
)

// Named is what has its name, by which the user picks it, and its help: half a sentence, or "".
type Named interface{ Entry() (name, help string) }

// A List holds its choices in the order in which help shows them.
type List[T Named] []T

// A Word is a choice that is nothing but its name.
type Word string

// Entry implements Named.
func (w Word) Entry() (name, help string) { return string(w), "" }

// An Item is a choice that is nothing but its name and its help.
type Item struct{ Name, Help string }

// Entry implements Named.
func (o Item) Entry() (name, help string) { return o.Name, o.Help }

// Names returns the names, in the order of the list, in a slice of the caller's own.
func (l List[T]) Names() []string {
	names := make([]string, len(l))
	for i, c := range l {
		names[i], _ = c.Entry()
	}
	return names
}

// Default returns the name of the first choice, which is the usual one.
func (l List[T]) Default() string {
	name, _ := l[0].Entry()
	return name
}

// Find returns the choice of that name, or nil. The pointer is into the list.
func (l List[T]) Find(name string) *T {
	i := slices.IndexFunc(l, func(c T) bool { n, _ := c.Entry(); return n == name })
	if i < 0 {
		return nil
	}
	return &l[i]
}

// Has reports whether a choice has that name.
func (l List[T]) Has(name string) bool { return l.Find(name) != nil }

// Check returns nil for the name of a choice, else an *Error that says what the option key may be. The names of
// other are allowed in addition to the list's own.
func (l List[T]) Check(key, name string, other ...string) error {
	if l.Has(name) || slices.Contains(other, name) {
		return nil
	}
	return Choice(key, name, append(l.Names(), other...))
}

// Completions returns a line for each choice as a shell's completion takes it: the name, and behind a tab its help.
func (l List[T]) Completions() []string {
	lines := make([]string, len(l))
	for i, c := range l {
		name, help := c.Entry()
		if lines[i] = name; help != "" {
			lines[i] += "\t" + help
		}
	}
	return lines
}
