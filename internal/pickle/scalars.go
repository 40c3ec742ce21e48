package pickle

import (
	"math"
	"strconv"
	"strings"
)

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
