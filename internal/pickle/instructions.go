package pickle

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const stop = '.'

// instructions are those that are taken, by their byte.
var instructions = map[byte]func(*machine) error{
	0x80: func(m *machine) error { // PROTO
		v, err := m.number(1)
		if err == nil && v > 5 {
			err = m.errorf("protocol %d: want at most 5", v)
		}
		return err
	},
	0x95: func(m *machine) error { // FRAME: how many bytes belong together, which only matters to a stream
		_, err := m.number(8)
		return err
	},
	'(': func(m *machine) error { return m.push(mark{}) },
	'0': func(m *machine) error { // POP
		_, err := m.pop()
		return err
	},

	'N':  func(m *machine) error { return m.push(nil) },
	0x88: func(m *machine) error { return m.push(true) },
	0x89: func(m *machine) error { return m.push(false) },
	'I':  decimal,
	'L':  decimal,
	'J': func(m *machine) error {
		v, err := m.number(4)
		return m.with(int64(int32(v)), err)
	},
	'K': func(m *machine) error {
		v, err := m.number(1)
		return m.with(int64(v), err)
	},
	'M': func(m *machine) error {
		v, err := m.number(2)
		return m.with(int64(v), err)
	},
	0x8a: long,

	'S':  quoted,
	'V':  escaped,
	'T':  sized(4, true),  // BINSTRING
	'U':  sized(1, true),  // SHORT_BINSTRING
	'X':  sized(4, true),  // BINUNICODE
	0x8c: sized(1, true),  // SHORT_BINUNICODE
	0x8d: sized(8, true),  // BINUNICODE8
	'B':  sized(4, false), // BINBYTES
	'C':  sized(1, false), // SHORT_BINBYTES
	0x8e: sized(8, false), // BINBYTES8
	0x96: sized(8, false), // BYTEARRAY8

	']':  func(m *machine) error { return m.push(&List{}) },
	')':  func(m *machine) error { return m.push(&List{}) },
	'l':  marked,
	't':  marked,
	0x85: tuple(1),
	0x86: tuple(2),
	0x87: tuple(3),
	'a':  func(m *machine) error { return m.extend(1) },
	'e':  func(m *machine) error { return m.extend(-1) },
	'}':  func(m *machine) error { return m.push(&Dict{Items: map[string]any{}}) },
	'd': func(m *machine) error {
		items, err := m.popMark()
		if err != nil {
			return err
		}
		d := &Dict{Items: map[string]any{}}
		if err := m.enter(d, items); err != nil {
			return err
		}
		return m.push(d)
	},
	's': func(m *machine) error { return m.update(2) },
	'u': func(m *machine) error { return m.update(-1) },

	'p':  func(m *machine) error { return m.textMemo(m.put) },
	'q':  func(m *machine) error { return m.binaryMemo(1, m.put) },
	'r':  func(m *machine) error { return m.binaryMemo(4, m.put) },
	0x94: func(m *machine) error { return m.put(uint64(len(m.memo))) },
	'g':  func(m *machine) error { return m.textMemo(m.get) },
	'h':  func(m *machine) error { return m.binaryMemo(1, m.get) },
	'j':  func(m *machine) error { return m.binaryMemo(4, m.get) },

	'c': func(m *machine) error { // GLOBAL
		module, err := m.line()
		if err != nil {
			return err
		}
		name, err := m.line()
		if err != nil {
			return err
		}
		return m.name(module, name)
	},
	0x93: func(m *machine) error { // STACK_GLOBAL
		name, err := m.pop()
		if err != nil {
			return err
		}
		module, err := m.pop()
		if err != nil {
			return err
		}
		n, ok := name.(string)
		mod, okMod := module.(string)
		if !ok || !okMod {
			return m.errorf("it names something by %s and %s", describe(module), describe(name))
		}
		return m.name(mod, n)
	},
	'R': reduce,
	'b': build,
}

// with pushes v unless it could not be read.
func (m *machine) with(v any, err error) error {
	if err != nil {
		return err
	}
	return m.push(v)
}

// decimal reads a whole number in decimal. 00 and 01 are how protocol 1 writes false and true, L ends a long one.
func decimal(m *machine) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	if m.in[m.at] == 'I' && (s == "00" || s == "01") {
		return m.push(s == "01")
	}
	v, err := strconv.ParseInt(strings.TrimSuffix(s, "L"), 10, 64)
	if err != nil {
		return m.errorf("%.40q: want a whole number of 64 bits", s)
	}
	return m.push(v)
}

// long reads a whole number of up to 8 bytes, in two's complement.
func long(m *machine) error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	if n > 8 {
		return m.errorf("a number of %d bytes: want at most 8", n)
	}
	v, err := m.number(int(n))
	if n > 0 && n < 8 && v>>(8*n-1) == 1 {
		v |= math.MaxUint64 << (8 * n)
	}
	return m.with(int64(v), err)
}

// sized reads bytes whose number comes first, in size bytes.
func sized(size int, word bool) func(*machine) error {
	return func(m *machine) error {
		n, err := m.number(size)
		if err != nil {
			return err
		}
		b, err := m.take(n)
		if word {
			return m.with(string(b), err)
		}
		return m.with(b, err)
	}
}

// quoted reads a word of Python 2 as its repr: 'a\x00b'.
func quoted(m *machine) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	n := len(s)
	if n < 2 || s[0] != s[n-1] || s[0] != '\'' && s[0] != '"' {
		return m.errorf("%.40q: want a word in quotes", s)
	}
	var out []byte
	for rest := s[1 : n-1]; rest != ""; {
		r, wide, tail, err := strconv.UnquoteChar(rest, s[0])
		if err != nil || wide && rest[0] == '\\' && len(rest) > 1 && rest[1] != 'x' {
			return m.errorf("%.40q: want a word in quotes", s)
		}
		if rest[0] == '\\' || r < 0x80 {
			out = append(out, byte(r))
		} else {
			out = append(out, rest[:len(rest)-len(tail)]...)
		}
		rest = tail
	}
	return m.push(string(out))
}

// escaped reads a word in which \u and four digits stand for a character.
func escaped(m *machine) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	var out strings.Builder
	for rest := s; rest != ""; {
		if !strings.HasPrefix(rest, `\u`) && !strings.HasPrefix(rest, `\U`) {
			r := rest[0]
			out.WriteRune(rune(r)) // one byte, one character of Latin-1
			rest = rest[1:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return m.errorf("%.40q: want a word with escapes", s)
		}
		out.WriteRune(r)
		rest = tail
	}
	return m.push(out.String())
}

// marked makes a list of what is behind the mark.
func marked(m *machine) error {
	items, err := m.popMark()
	return m.with(&List{Items: items}, err)
}

func tuple(n int) func(*machine) error {
	return func(m *machine) error {
		items := make([]any, n)
		for i := n - 1; i >= 0; i-- {
			v, err := m.pop()
			if err != nil {
				return err
			}
			items[i] = v
		}
		return m.push(&List{Items: items})
	}
}

// behind takes n values, or those behind the mark where n is -1.
func (m *machine) behind(n int) ([]any, error) {
	if n < 0 {
		return m.popMark()
	}
	if err := tuple(n)(m); err != nil {
		return nil, err
	}
	v, err := m.pop()
	if err != nil {
		return nil, err
	}
	return v.(*List).Items, nil
}

// extend appends to the list below.
func (m *machine) extend(n int) error {
	items, err := m.behind(n)
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	list, ok := v.(*List)
	if !ok {
		return m.errorf("it appends to %s", describe(v))
	}
	list.Items = append(list.Items, items...)
	return nil
}

// update puts keys and values into the dictionary below.
func (m *machine) update(n int) error {
	items, err := m.behind(n)
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	d, ok := v.(*Dict)
	if !ok {
		return m.errorf("it puts a key into %s", describe(v))
	}
	return m.enter(d, items)
}

func (m *machine) enter(d *Dict, items []any) error {
	if len(items)%2 != 0 {
		return m.errorf("a key has no value")
	}
	for i := 0; i < len(items); i += 2 {
		key, ok := text(items[i])
		if !ok {
			return m.errorf("%s is a key: want a word of at most %d bytes", describe(items[i]), longest)
		}
		d.Items[key] = items[i+1]
	}
	return nil
}

func (m *machine) textMemo(do func(uint64) error) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	i, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return m.errorf("%.40q: want the number of a value", s)
	}
	return do(i)
}

func (m *machine) binaryMemo(size int, do func(uint64) error) error {
	i, err := m.number(size)
	if err != nil {
		return err
	}
	return do(i)
}

func (m *machine) put(i uint64) error {
	v, err := m.top()
	if err != nil {
		return err
	}
	m.memo[i] = v
	return m.count()
}

func (m *machine) get(i uint64) error {
	v, ok := m.memo[i]
	if !ok {
		return m.errorf("value %d is asked for, and there is none", i)
	}
	if b, isBlank := v.(blank); isBlank && b.array.Shape != nil { // it was noted down before it was filled
		v = b.array
	}
	return m.push(v)
}

// describe names what v is.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a truth"
	case int64:
		return fmt.Sprintf("the number %d", v)
	case string:
		return fmt.Sprintf("the word %.40q", v)
	case []byte:
		return "bytes"
	case *List:
		return "a list"
	case *Dict:
		return "a dictionary"
	case *Array:
		return "an array"
	case function:
		return "the function " + string(v)
	}
	return "something unfinished"
}

// plain reports whether v is a value rather than a part of one.
func plain(v any) bool {
	switch v.(type) {
	case nil, bool, int64, string, []byte, *List, *Dict, *Array:
		return true
	}
	return false
}

// refused are the names of instructions that other pickles hold, for the error.
var refused = map[byte]string{
	'G': "BINFLOAT", 'F': "FLOAT", 'o': "OBJ", 'i': "INST", 0x81: "NEWOBJ", 0x92: "NEWOBJ_EX", 'P': "PERSID",
	'Q': "BINPERSID", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x8b: "LONG4", 0x8f: "EMPTY_SET", 0x90: "ADDITEMS",
	0x91: "FROZENSET", 0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER", '2': "DUP", '1': "POP_MARK",
}

func spell(code byte) string {
	if name, ok := refused[code]; ok {
		return name
	}
	return fmt.Sprintf("0x%02x", code)
}
