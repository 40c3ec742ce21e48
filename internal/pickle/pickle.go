// Package pickle reads the few things of Python's pickle format that a file of images is made of: dictionaries, lists,
// tuples, words, bytes, whole numbers, and NumPy's arrays of bytes; and, of PyTorch's files, where in them the tensors
// are. A pickle is a program: it may name any function of Python and have it called. Here nothing is ever called. A few
// names are recognised and stand for what they would make; every other name, and every other instruction, is refused.
//
// Source: Python's Lib/pickletools.py, which describes the instructions, and numpy/core/multiarray, whose arrays
// describe themselves by _reconstruct and __setstate__.
package pickle

import "fmt"

// A List is a list or a tuple.
type List struct{ Items []any }

// A Dict is a dictionary whose keys are words, or bytes, which are taken for words.
type Dict struct{ Items map[string]any }

// An Array is an array of bytes, the last axis running fastest.
type Array struct {
	Shape []int
	Data  []byte
}

// An Error says what in a pickle cannot be taken.
type Error struct {
	At     int // the byte where the instruction is
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("pickle, byte %d: %s", e.At, e.Reason) }

// Parse reads one pickle of protocol 0 to 5. The result is nil, bool, int64, string, []byte, *List, *Dict or *Array;
// lists and dictionaries may hold themselves. Bytes belong to b. Whatever b holds, the memory that is taken is at most
// about 200 MB and twice len(b). The error is an *Error.
func Parse(b []byte) (any, error) {
	m := &machine{in: b, memo: map[uint64]any{}, budget: len(b)}
	return m.run()
}

// run follows the instructions up to the end of the pickle.
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
			if !plain(v) {
				return nil, m.errorf("it holds %s alone", describe(v))
			}
			return v, nil
		}
		do, known := instructions[code]
		if !known && m.torch {
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

// A machine is a pickle being read.
type machine struct {
	in     []byte
	pos    int // of the next byte
	at     int // of the instruction
	stack  []any
	memo   map[uint64]any
	budget int // bytes that may still be copied: a pickle must not grow by repeating itself
	values int // pushed or noted down so far
	torch  bool
}

// most is how many values a pickle may have: a file of CIFAR-100 has 300,000.
const most = 1 << 21

// mark is what the instruction MARK leaves on the stack.
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
	if m.values++; m.values > most {
		return m.errorf("it has over %d values", most)
	}
	return nil
}

func (m *machine) pop() (any, error) {
	if len(m.stack) == 0 {
		return nil, m.errorf("it takes a value, and there is none")
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	if _, isMark := v.(mark); isMark {
		return nil, m.errorf("it takes a value, and there is none")
	}
	return v, nil
}

// popMark takes what is above the last mark.
func (m *machine) popMark() ([]any, error) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, isMark := m.stack[i].(mark); isMark {
			items := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return items, nil
		}
	}
	return nil, m.errorf("it takes the values behind a mark, and there is none")
}

// top is the value that is to be changed.
func (m *machine) top() (any, error) {
	v, err := m.pop()
	if err != nil {
		return nil, err
	}
	return v, m.push(v)
}

// take takes the next n bytes.
func (m *machine) take(n uint64) ([]byte, error) {
	if n > uint64(len(m.in)-m.pos) {
		return nil, m.errorf("it ends early: %d bytes are to follow, and %d are left", n, len(m.in)-m.pos)
	}
	b := m.in[m.pos : m.pos+int(n) : m.pos+int(n)]
	m.pos += int(n)
	return b, nil
}

// number takes the next n bytes as a number, its lowest byte first.
func (m *machine) number(n int) (v uint64, err error) {
	b, err := m.take(uint64(n))
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v, err
}

// line takes the bytes up to the next end of a line.
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

// spend counts n bytes that are copied.
func (m *machine) spend(n int) error {
	if m.budget -= n; m.budget < 0 {
		return m.errorf("it repeats itself: it would take more memory than it has bytes")
	}
	return nil
}
