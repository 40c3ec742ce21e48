package pickle

import (
	"fmt"
	"strconv"
)

const stop = '.'

// instructions are the supported ones by opcode.
var instructions = map[byte]func(*machine) error{
	0x80: func(m *machine) error { // PROTO
		v, err := m.readUint(1)
		if err == nil && v > 5 {
			err = m.errorf("protocol %d: want at most 5", v)
		}
		return err
	},
	0x95: func(m *machine) error { // FRAME: a size for the buffers of a stream
		_, err := m.readUint(8)
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
		v, err := m.readUint(4)
		return m.pushRead(int64(int32(v)), err)
	},
	'K': func(m *machine) error {
		v, err := m.readUint(1)
		return m.pushRead(int64(v), err)
	},
	'M': func(m *machine) error {
		v, err := m.readUint(2)
		return m.pushRead(int64(v), err)
	},
	0x8a: long,

	'S':  readQuoted,
	'V':  readEscaped,
	'T':  readSized(4, true),  // BINSTRING
	'U':  readSized(1, true),  // SHORT_BINSTRING
	'X':  readSized(4, true),  // BINUNICODE
	0x8c: readSized(1, true),  // SHORT_BINUNICODE
	0x8d: readSized(8, true),  // BINUNICODE8
	'B':  readSized(4, false), // BINBYTES
	'C':  readSized(1, false), // SHORT_BINBYTES
	0x8e: readSized(8, false), // BINBYTES8
	0x96: readSized(8, false), // BYTEARRAY8

	']':  func(m *machine) error { return m.push(&List{}) },
	')':  func(m *machine) error { return m.push(&List{}) },
	'l':  listFromMark,
	't':  listFromMark,
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
		if err := m.set(d, items); err != nil {
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
			return m.errorf("a name is given by %s and %s: want strings", describe(module), describe(name))
		}
		return m.name(mod, n)
	},
	'R': reduce,
	'b': build,
}

// pushRead pushes v, unless reading it failed.
func (m *machine) pushRead(v any, err error) error {
	if err != nil {
		return err
	}
	return m.push(v)
}

// listFromMark pushes the list of the values above the last mark.
func listFromMark(m *machine) error {
	items, err := m.popMark()
	return m.pushRead(&List{Items: items}, err)
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

// popItems pops n values or, if n is -1, those above the last mark.
func (m *machine) popItems(n int) ([]any, error) {
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

// extend pops items and appends them to the list below.
func (m *machine) extend(n int) error {
	items, err := m.popItems(n)
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *List:
		v.Items = append(v.Items, items...)
	case *Object:
	default:
		return m.errorf("it appends to %s", describe(v))
	}
	return nil
}

// update pops keys and values and adds them to the dictionary below.
func (m *machine) update(n int) error {
	items, err := m.popItems(n)
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *Dict:
		return m.set(v, items)
	case *Object:
		return m.set(&v.Dict, items)
	}
	return m.errorf("it puts a key into %s", describe(v))
}

func (m *machine) set(d *Dict, items []any) error {
	if len(items)%2 != 0 {
		return m.errorf("a key has no value")
	}
	if d.Items == nil {
		d.Items = map[string]any{}
	}
	for i := 0; i < len(items); i += 2 {
		key, ok := text(items[i])
		if !ok && !m.torch() {
			return m.errorf("%s is a key: want a string of at most %d bytes", describe(items[i]), maxText)
		}
		if !ok {
			key = torchKey(items[i], len(d.Items))
		}
		d.Items[key] = items[i+1]
	}
	return nil
}

// torchKey is the text for the nth key of a dictionary, which is not a short string.
func torchKey(key any, n int) string {
	switch key := key.(type) {
	case int64:
		return strconv.FormatInt(key, 10)
	case string:
		return key
	}
	return fmt.Sprintf("%s (entry %d)", describe(key), n)
}

func (m *machine) textMemo(do func(uint64) error) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	i, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return m.errorf("%.40q: want an index of the memo", s)
	}
	return do(i)
}

func (m *machine) binaryMemo(size int, do func(uint64) error) error {
	i, err := m.readUint(size)
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
		return m.errorf("the memo has no value %d", i)
	}
	if p, ok := v.(placeholder); ok && p.array.Shape != nil { // it entered the memo before build filled it
		v = p.array
	}
	return m.push(v)
}
