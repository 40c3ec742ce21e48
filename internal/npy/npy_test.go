package npy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/memory"
)

// file returns an array file of version 1.0.
func file(head string, data ...byte) []byte {
	return slices.Concat([]byte(magic), []byte{1, 0, byte(len(head)), byte(len(head) >> 8)}, []byte(head), data)
}

const pair = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }      \n"

// The bytes of numpy.save("a.npy", numpy.array([[1], [-0.5]], "float32")), NumPy 1.24, except for the padding.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, file(pair, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf), 0o666); err != nil {
		t.Fatal(err)
	}
	a, err := Read(path)
	if err != nil || !slices.Equal(a.Shape, []int{2, 1}) || !slices.Equal(a.Data, []float32{1, -0.5}) {
		t.Fatalf("%+v, %v", a, err)
	}
	second := slices.Concat([]byte(magic), []byte{2, 0, byte(len(pair)), 0, 0, 0}, []byte(pair), make([]byte, 8))
	if a, err = decode(bytes.NewReader(second), int64(len(second))); err != nil || len(a.Data) != 2 {
		t.Errorf("version 2: %+v, %v", a, err)
	}
	scalar := strings.Replace(pair, "(2, 1)", "()", 1)
	one := file(scalar, 0, 0, 0xc0, 0x7f)
	if a, err = decode(bytes.NewReader(one), int64(len(one))); err != nil || len(a.Shape) > 0 ||
		!math.IsNaN(float64(a.Data[0])) {
		t.Errorf("a scalar: %+v, %v", a, err)
	}
}

func TestReadRefuses(t *testing.T) {
	change := func(old, new string) []byte { return file(strings.Replace(pair, old, new, 1), make([]byte, 8)...) }
	for _, tt := range []struct {
		want string
		b    []byte
	}{
		{"not an array", []byte("PK\x03\x04")},
		{"not an array", []byte(magic + "\x01")},
		{"cut short", []byte(magic + "\x01\x00\xff\xff{}")},
		{"want 1 to 3, and at most 65536", []byte(magic + "\x02\x00\xff\xff\xff\xff{}")},
		{"version 4 with", []byte(magic + "\x04\x00\x02\x00\x00\x00{}")},
		{"cut short", []byte(magic + "\x02\x00\x02\x00")},
		{"want float32 (<f4), got \"<f8\"", change("<f4", "<f8")},
		{"ascontiguousarray", change("False", "True")},
		{"want a header", change("shape", "form")},
		{"wants 12 bytes of elements, got 8", change("(2, 1)", "(3, 1)")},
		{"too large", change("(2, 1)", "(9999999999, 9999999999)")},
		{"wants 400000000000 bytes of elements, got 8", change("(2, 1)", "(100000000000,)")},
		{"too large", change("(2, 1)", "(99999999999999999999,)")},
	} {
		if _, err := decode(bytes.NewReader(tt.b), int64(len(tt.b))); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.b, err, tt.want)
		}
	}
}

// A sparse file can declare more elements than the machine has memory for, without taking any disk.
func TestReadAllocatesNoMoreThanTheMachineHas(t *testing.T) {
	have := memory.Total()
	if have == 0 {
		t.Skip("the size of the memory is unknown on this system")
	}
	n := have/4 + 1
	head := file(strings.Replace(pair, "(2, 1)", fmt.Sprintf("(%d,)", n), 1))
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := errors.Join(os.WriteFile(path, head, 0o666), os.Truncate(path, int64(len(head))+4*n)); err != nil {
		t.Skip(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "GB of memory; this machine has") {
		t.Errorf("got %v, want that there is too little memory", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file(pair, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf))
	f.Add(file(strings.Replace(pair, "(2, 1)", "(0, 7)", 1)))
	f.Add([]byte(magic + "\x03\x00\x02\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := decode(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		n := 1
		for _, s := range a.Shape {
			n *= s
		}
		if n != len(a.Data) {
			t.Errorf("shape %v has %d elements", a.Shape, len(a.Data))
		}
	})
}
