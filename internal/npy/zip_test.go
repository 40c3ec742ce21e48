package npy

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// zipped is a file of arrays; what follows a name is its content.
func zipped(t testing.TB, method uint16, arrays ...any) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(arrays); i += 2 {
		m, err := w.CreateHeader(&zip.FileHeader{Name: arrays[i].(string), Method: method})
		if err == nil {
			_, err = m.Write(arrays[i+1].([]byte))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func head(kind, order, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", kind, order, shape)
}

// Each type, in both orders of axes: 0, 1, … 5 as (2, 3). The halves are numpy.float16's.
func TestZipTypes(t *testing.T) {
	for kind, raw := range map[string][]byte{
		"<f2": {0, 0, 0, 0x3c, 0, 0x40, 0, 0x42, 0, 0x44, 0, 0x45},
		"<f4": {0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40, 0, 0, 0xa0, 0x40},
		"<i4": {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0},
	} {
		for order, want := range map[string][]float64{"False": {0, 1, 2, 3, 4, 5}, "True": {0, 2, 4, 1, 3, 5}} {
			b := zipped(t, zip.Deflate, "a.npy", file(head(kind, order, "(2, 3)"), raw...))
			all, err := list(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			v, err := all[0].Read()
			if err != nil || !slices.Equal(v.Of(), want) || !slices.Equal(v.Of(1), want[3:]) ||
				!slices.Equal(v.Of(1, 2), want[5:]) {
				t.Errorf("%s %s: %v, %v, %v, %v", kind, order, v.Of(), v.Of(1), v.Of(1, 2), err)
			}
		}
	}
	for bits, want := range map[uint16]float64{0x3555: 0.333251953125, 1: math.Ldexp(1, -24),
		0x83ff: -math.Ldexp(1023, -24), 0x7bff: 65504,
		0xfc00: math.Inf(-1), 0x7c00: math.Inf(1), 0x0400: math.Ldexp(1, -14)} {
		if got := half(bits); got != want {
			t.Errorf("half %#x is %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(half(0x7e00)) {
		t.Error("NaN is lost")
	}
}

// What cannot be an array, or costs more than it may, is refused before it is read.
func TestZipRefuses(t *testing.T) {
	good := file(head("<f4", "False", "(2, 1)"), make([]byte, 8)...)
	change := func(kind, shape string, data int) []byte {
		return file(head(kind, "False", shape), make([]byte, data)...)
	}
	many := []any{}
	for i := range maxMembers + 1 {
		many = append(many, fmt.Sprint(i, ".npy"), good)
	}
	for _, tt := range []struct {
		want   string
		arrays []any
	}{
		{"0 arrays", nil},
		{"1025 arrays: want 1 to 1024", many},
		{"a.txt: want only arrays of NumPy", []any{"a.txt", good}},
		{"twice", []any{"a.npy", good, "a.npy", good}},
		{"not an array", []any{"a.npy", []byte("PK\x03\x04 0123456789")}},
		{`got "|O"`, []any{"a.npy", change("|O", "(2, 1)", 8)}},
		{`got ">f4"`, []any{"a.npy", change(">f4", "(2, 1)", 8)}},
		{"wants 8 bytes of elements, got 9", []any{"a.npy", change("<f4", "(2, 1)", 9)}},
		{"takes 400000000000 bytes: want 4294967296 at most", []any{"a.npy", change("<f4", "(100000000000,)", 8)}},
		{"too large", []any{"a.npy", change("<f4", "(9999999999, 9999999999)", 8)}},
		{"9 axes", []any{"a.npy", change("<f8", "(1,1,1,1,1,1,1,1,1)", 8)}},
		{`\u001b[2J: want only arrays`, []any{"\x1b[2J", good}},
	} {
		b := zipped(t, zip.Deflate, tt.arrays...)
		if _, err := list(bytes.NewReader(b), int64(len(b))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	if _, err := OpenZip(t.TempDir()); err == nil || !strings.Contains(err.Error(), "got a folder") {
		t.Error(err)
	}
}

// A file that was cut anywhere is an error; one that was changed in a byte never has other values.
func TestZipDamaged(t *testing.T) {
	data := make([]byte, 400)
	for i := range data {
		data[i] = byte(i * i)
	}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		whole := zipped(t, method, "a.npy", file(head("<f4", "False", "(100,)"), data...))
		read := func(b []byte) ([]float64, error) {
			all, err := list(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				return nil, err
			}
			v, err := all[0].Read()
			if err != nil {
				return nil, err
			}
			return v.Of(), nil
		}
		want, err := read(whole)
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(whole) {
			if _, err := read(whole[:n]); err == nil {
				t.Errorf("method %d: %d bytes of %d were taken", method, n, len(whole))
			}
		}
		for at := range whole {
			b := bytes.Clone(whole)
			b[at] ^= 1
			if got, err := read(b); err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("method %d: byte %d was changed, and the values are others", method, at)
			}
		}
	}
}

func FuzzZip(f *testing.F) {
	f.Add(zipped(f, zip.Deflate, "a.npy", file(head("<f2", "True", "(2, 1)"), make([]byte, 4)...)))
	f.Add(zipped(f, zip.Store, "a.npy", file(head("<f8", "False", "(1, 0)")), "b.npy",
		file(head("<i8", "False", "()"), make([]byte, 8)...)))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := list(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		for _, m := range all {
			if v, err := m.Read(); err == nil && m.Elements < 1<<16 && len(v.Of()) != int(m.Elements) {
				t.Errorf("shape %v has %d elements", m.Shape, len(v.Of()))
			}
		}
	})
}
