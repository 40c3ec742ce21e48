package pickle

import (
	"math"
	"strconv"
	"strings"
)

// decimal reads a decimal integer. Protocol 1 writes false and true as 00 and 01, and L behind a long integer.
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
		return m.errorf("%.40q: want an integer of 64 bits", s)
	}
	return m.push(v)
}

// long reads an integer of up to 8 bytes, in two's complement.
func long(m *machine) error {
	n, err := m.readUint(1)
	if err != nil {
		return err
	}
	if n > 8 && m.torch() {
		_, err := m.take(n)
		return m.pushRead(&Object{Name: "int"}, err)
	}
	if n > 8 {
		return m.errorf("an integer of %d bytes: want at most 8", n)
	}
	v, err := m.readUint(int(n))
	if n > 0 && n < 8 && v>>(8*n-1) == 1 {
		v |= math.MaxUint64 << (8 * n)
	}
	return m.pushRead(int64(v), err)
}

// readSized reads a string or bytes, preceded by their length in size bytes.
func readSized(size int, isString bool) func(*machine) error {
	return func(m *machine) error {
		n, err := m.readUint(size)
		if err != nil {
			return err
		}
		b, err := m.take(n)
		if isString {
			return m.pushRead(string(b), err)
		}
		return m.pushRead(b, err)
	}
}

// readQuoted reads a string of Python 2 written as its repr: 'a\x00b'.
func readQuoted(m *machine) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	n := len(s)
	if n < 2 || s[0] != s[n-1] || s[0] != '\'' && s[0] != '"' {
		return m.errorf("%.40q: want a string in quotes", s)
	}
	var out []byte
	for rest := s[1 : n-1]; rest != ""; {
		r, wide, tail, err := strconv.UnquoteChar(rest, s[0])
		if err != nil || wide && rest[0] == '\\' && len(rest) > 1 && rest[1] != 'x' {
			return m.errorf("%.40q: want a string in quotes", s)
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

// readEscaped reads a string in Latin-1 with escapes of the form \u1234.
func readEscaped(m *machine) error {
	s, err := m.line()
	if err != nil {
		return err
	}
	var out strings.Builder
	for rest := s; rest != ""; {
		if !strings.HasPrefix(rest, `\u`) && !strings.HasPrefix(rest, `\U`) {
			r := rest[0]
			out.WriteRune(rune(r)) // a byte is a character of Latin-1
			rest = rest[1:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return m.errorf("%.40q: want a string with escapes", s)
		}
		out.WriteRune(r)
		rest = tail
	}
	return m.push(out.String())
}
