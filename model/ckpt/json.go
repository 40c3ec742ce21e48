package ckpt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A decoder reads JSON token by token: encoding/json accepts duplicate keys.
type decoder struct{ *json.Decoder }

// delim reads one of { } [ ].
func (d decoder) delim(want json.Delim) error {
	t, err := d.next()
	if err == nil && t != want {
		err = fmt.Errorf("want %s, got %.100v", want, t)
	}
	return err
}

func (d decoder) next() (json.Token, error) {
	t, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}

func (d decoder) string() (string, error) {
	t, err := d.next()
	s, ok := t.(string)
	if err == nil && !ok {
		err = fmt.Errorf("want a string, got %.100v", t)
	}
	return s, err
}

// object reads an object and calls value after each key. A duplicate key is an error.
func (d decoder) object(value func(key string) error) error {
	if err := d.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.string()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("duplicate key %.100q", key)
		}
		seen[key] = true
		if err := value(key); err != nil {
			return err
		}
	}
	return d.delim('}')
}

func (d decoder) strings() (map[string]string, error) {
	m := map[string]string{}
	err := d.object(func(key string) (err error) {
		if m[key], err = d.string(); err != nil {
			err = fmt.Errorf("metadata %.100q: %w", key, err)
		}
		return err
	})
	return m, err
}

// tensor reads {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}.
func (d decoder) tensor(t *Info) error {
	found := 0
	err := d.object(func(key string) (err error) {
		found++
		switch key {
		case "dtype":
			t.Type, err = d.string()
		case "shape":
			err = d.integers(maxRank, func(n int64) error {
				if int64(int(n)) != n {
					return fmt.Errorf("dimension %d is too large", n)
				}
				t.Shape = append(t.Shape, int(n))
				return nil
			})
		case "data_offsets":
			var at []int64
			err = d.integers(2, func(n int64) error { at = append(at, n); return nil })
			if err == nil && len(at) != 2 {
				err = errors.New("data_offsets: want [begin, end]")
			}
			if err == nil {
				t.begin, t.end = at[0], at[1]
			}
		default:
			err = fmt.Errorf("unknown key %.100q", key)
		}
		return err
	})
	if err == nil && found != 3 {
		err = errors.New("want dtype, shape and data_offsets")
	}
	return err
}

// integers reads an array of at most limit non-negative integers.
func (d decoder) integers(limit int, use func(int64) error) error {
	if err := d.delim('['); err != nil {
		return err
	}
	for i := 0; d.More(); i++ {
		t, err := d.next()
		if err != nil {
			return err
		}
		number, _ := t.(json.Number)
		n, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil || n < 0 || i == limit {
			return fmt.Errorf("want at most %d integers from 0, got %.100v", limit, t)
		}
		if err := use(n); err != nil {
			return err
		}
	}
	return d.delim(']')
}
