// Package pickle reads the subset of Python's pickle format that data sets of images use: dictionaries, lists, tuples,
// strings, bytes, integers, and NumPy's arrays of bytes; and, in PyTorch's files, the descriptions of tensors. A pickle
// is a program, which may have any function of Python called. This package calls nothing: it recognizes a few names,
// for which it builds their results itself. It refuses every other name or, in PyTorch's files, which have training
// programs' own objects next to the weights, keeps nothing of the value but the name.
//
// Source: Python's Lib/pickletools.py, which describes the instructions, and numpy/core/multiarray, which pickles
// arrays by _reconstruct and __setstate__.
package pickle

import "fmt"

// A List is a list or a tuple.
type List struct{ Items []any }

// A Dict is a dictionary whose keys are strings, or bytes, which are read as strings.
type Dict struct{ Items map[string]any }

// An Array is an array of bytes in row-major order.
type Array struct {
	Shape []int
	Data  []byte
}

// An Error says what in a pickle is invalid or refused.
type Error struct {
	At     int // offset of the instruction
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("pickle, byte %d: %s", e.At, e.Reason) }

// Parse reads one pickle of protocol 0 to 5. The result is nil, bool, int64, string, []byte, *List, *Dict or *Array;
// lists and dictionaries may contain themselves. []byte and Array.Data may alias b. Whatever b contains, Parse takes at
// most about 200 MB + 2·len(b) of memory. The error is an *Error.
func Parse(b []byte) (any, error) {
	m := &machine{in: b, memo: map[uint64]any{}, budget: len(b)}
	return m.run()
}

// run executes the instructions up to the end of the pickle.
func (m *machine) run() (any, error) {
	for {
		m.at = m.pos
		if m.pos >= len(m.in) {
			return nil, m.errorf("it ends early")
		}
		code := m.in[m.pos]
		m.pos++
		if code == stop {
			v, err := m.pop()
			if err != nil {
				return nil, err
			}
			if !complete(v) {
				return nil, m.errorf("its value is %s", describe(v))
			}
			return v, nil
		}
		do, known := instructions[code]
		if !known && m.torch() {
			do, known = torchInstructions[code]
		}
		if !known {
			return nil, m.errorf("the instruction %s is refused", spell(code))
		}
		if err := do(m); err != nil {
			return nil, err
		}
	}
}

// A machine executes a pickle.
type machine struct {
	in       []byte
	pos      int // offset of the next byte
	at       int // offset of the current instruction
	stack    []any
	memo     map[uint64]any
	budget   int                 // bytes that may still be copied: a pickle may refer to one value many times
	values   int                 // pushed or put into the memo so far
	storages map[string]*Storage // by key; nil: the pickle is not one of PyTorch's
}

// torch reports whether the pickle is one of PyTorch's, whose names and instructions are allowed.
func (m *machine) torch() bool { return m.storages != nil }

// maxValues is how many values a pickle may have: a file of CIFAR-100 has 300,000.
const maxValues = 1 << 21

// mark is what the instruction MARK pushes.
type mark struct{}

func (m *machine) errorf(format string, args ...any) error {
	return &Error{At: m.at, Reason: fmt.Sprintf(format, args...)}
}

func (m *machine) push(v any) error {
	m.stack = append(m.stack, v)
	return m.count()
}

// count counts a value that takes memory.
func (m *machine) count() error {
	if m.values++; m.values > maxValues {
		return m.errorf("it has more than %d values", maxValues)
	}
	return nil
}

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, m.errorf("it pops a value from an empty stack")
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	if _, isMark := v.(mark); isMark {
		return nil, m.errorf("it pops a value from an empty stack")
	}
	return v, nil
}

// popMark pops the last mark and returns the values above it.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, isMark := m.stack[i].(mark); isMark {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, m.errorf("it pops the values above a mark, and there is none")
}

// top returns the value on top of the stack without popping it.
func (m *machine) top() (any, error) {
	v, err := m.pop()
	if err != nil {
		return nil, err
	}
	return v, m.push(v)
}

// take reads the next n bytes.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(len(m.in)-m.pos) {
		return nil, m.errorf("it ends early: want %d more bytes, got %d", n, len(m.in)-m.pos)
	}
	b := m.in[m.pos : m.pos+int(n) : m.pos+int(n)]
	m.pos += int(n)
	return b, nil
}

// readUint reads a little-endian unsigned integer of n bytes.
func (m *machine) readUint(n int) (v uint64, err error) {
	b, err := m.take(uint64(n))
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v, err
}

// line reads up to the next newline.
func (m *machine) line() (string, error) {
	for i := m.pos; i < len(m.in); i++ {
		if m.in[i] == '\n' {
			s := string(m.in[m.pos:i])
			m.pos = i + 1
			return s, nil
		}
	}
	return "", m.errorf("it ends early: a line has no end")
}

// spend takes n bytes from the budget for copies.
func (m *machine) spend(n int) error {
	if m.budget -= n; m.budget < 0 {
		return m.errorf("it repeats itself: its values take more memory than it has bytes")
	}
	return nil
}
