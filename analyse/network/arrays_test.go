package network

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/data"
)

// The file is NumPy's: layer1 is nine taps with replicated edges, in float32; layer2 the attention of five images, in
// float16 and column-major order, on 2 × 3 tokens.
func TestArrays(t *testing.T) {
	d, err := Arrays(context.Background(), "testdata/arrays.npz", Options{Draws: 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, two := d.Layers[0], d.Layers[1]
	if math.Abs(float64(one.Interior.K3)-1) > 1e-12 || one.TapScore != 1 ||
		one.Grid != (analyse.Grid{Rows: 4, Cols: 4}) || one.Channels != [2]int{3, 2} || one.Heads[3].Content.Known() {
		t.Errorf("taps: %+v", one)
	}
	if two.Grid != (analyse.Grid{Rows: 2, Cols: 3}) || two.Channels != [2]int{3, 4} || !two.ByImage ||
		!(two.Heads[1].Content > 0.3) || d.Images.Attention != 5 {
		t.Errorf("images: %+v", two)
	}
	for _, l := range d.Layers {
		if s := *l.Shares; math.Abs(s.K1+s.K3+s.K5+s.K7+s.Larger+s.Place-1) > 1e-12 || l.Null != nil ||
			len(l.Nulls) != 2 || l.Nulls[1].Name != tokensNull {
			t.Errorf("layer %d: %+v, nulls %+v", l.Layer, s, l.Nulls)
		}
	}
	if !strings.Contains(one.Sentence, "(permuted tokens ") ||
		!strings.HasSuffix(one.Sentence, "tap score 1.00; content not measured; one convolution of any size has 77 % "+
			"with zeros around the grid and 100 % with its edge repeated; mean shift 0.8 tokens; 9 of 9 heads are taps of "+
			"9 shifts, 31 % of whose reads are clamped to the border") {
		t.Error(one.Sentence)
	}
	// Maps that NumPy has in column-major order are read as such: those of the fourth head that the file's script
	// draws.
	if *two.K90 != 5 || math.Abs(two.Shares.K1-0.12119326550473587) > 1e-9 {
		t.Errorf("shares %+v", two.Shares)
	}
}

// An array is a name, a shape, and values, of float64.
type array struct {
	name   string
	shape  string
	values []float64
}

func savez(t *testing.T, arrays ...array) string {
	t.Helper()
	var members []member
	for _, a := range arrays {
		members = append(members, member{a.name, "'<f8', 'fortran_order': False", a.shape, a.values})
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, zipped(t, members...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A member is an array in a file: its name, the type and the order in its header, its shape, and its elements in that
// order.
type member struct {
	name, header, shape string
	elements            any
}

func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, a := range members {
		m, err := w.Create(a.name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("{'descr': %s, 'shape': %s, }\n", a.header, a.shape)
		_, err = m.Write(append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(head)), 0}, head...))
		if err = errors.Join(err, binary.Write(m, binary.LittleEndian, a.elements)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What cannot be measured is an error that says which array, and what is wanted.
func TestArraysRefuses(t *testing.T) {
	p, w := array{"attention", "(1, 4, 4)", uniform(16, 0.25)}, array{"maps", "(1, 1, 1)", []float64{2}}
	other := func(a array, shape string, values ...float64) array { a.shape, a.values = shape, values; return a }
	changed := func(values []float64, at int, v float64) []float64 { values[at] = v; return values }
	for _, tt := range []struct {
		want   string
		arrays []array
	}{
		{"no array maps", []array{p}},
		{"no array attention", []array{w}},
		{"weights\": want attention, maps, grid", []array{p, w, {"weights", "(1,)", []float64{1}}}},
		{"called by", []array{p, w, {"a b\x1b.maps", "(1,)", []float64{1}}}},
		{"b: no array maps", []array{p, w, {"b.attention", "(1, 1, 1)", []float64{1}}}},
		{"attention [16]: want (heads", []array{other(p, "(16,)", p.values...), w}},
		{"attention [0 4 4]: want (heads", []array{other(p, "(0, 4, 4)"), w}},
		{"attention [1 2 8]: want (heads", []array{other(p, "(1, 2, 8)", p.values...), w}},
		{"maps [2 1 1] are of 2 heads", []array{p, other(w, "(2, 1, 1)", 1, 2)}},
		{"maps [1]: want (heads, in, out)", []array{p, other(w, "(1,)", 1)}},
		{"2 tokens are no square: want an array grid", []array{other(p, "(1, 2, 2)", 1, 0, 0, 1), w}},
		{"grid [3]: want (2)", []array{p, w, {"grid", "(3,)", []float64{1, 2, 2}}}},
		{"want rows and columns of 4 tokens", []array{p, w, {"grid", "(2,)", []float64{3, 2}}}},
		{"want rows and columns of 4 tokens", []array{p, w, {"grid", "(2,)", []float64{-2, -2}}}},
		{"want rows and columns of 4 tokens", []array{p, w, {"grid", "(2,)", []float64{8, 0.5}}}},
		{"want rows and columns of 4 tokens", []array{p, w, {"grid", "(2,)", []float64{math.Inf(1), math.NaN()}}}},
		{"head 1, query 1: the row adds up to 1.05", []array{other(p, p.shape, changed(uniform(16, 0.25), 4, 0.3)...),
			w}},
		{"NaN is no probability", []array{other(p, p.shape, changed(uniform(16, 0.25), 4, math.NaN())...), w}},
		{"-0.25 is no probability", []array{other(p, p.shape, changed(uniform(16, 0.25), 4, -0.25)...), w}},
		{"image 2: attention: head 1, query 0", []array{other(p, "(2, 1, 4, 4)", changed(uniform(32, 0.25), 16, 0)...),
			w}},
		{"element 0 is +Inf", []array{p, other(w, w.shape, math.Inf(1))}},
		{"operator is zero", []array{p, other(w, w.shape, 0)}},
		{"want 4096 tokens at most", []array{other(p, "(1, 4097, 4097)", make([]float64, 4097*4097)...), w}},
	} {
		path := savez(t, tt.arrays...)
		_, err := Arrays(context.Background(), path, Options{Draws: 2}, nil)
		if bad := (*data.CorruptError)(nil); !errors.As(err, &bad) || bad.Path != path ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	if _, err := Arrays(context.Background(), filepath.Join(t.TempDir(), "none.npz"), Options{}, nil); !errors.Is(err,
		fs.ErrNotExist) {
		t.Error(err)
	}
}

func uniform(n int, v float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = v
	}
	return values
}

// A file that a fuzzer changes is measured or refused, and is never a panic. The seeds are as small as a file can be:
// one layer, two in other types and orders, of which the first depends on the image, one with zeros around the grid,
// inputs and an untrained layer, and one with a token that is not on the grid.
func FuzzArrays(f *testing.F) {
	const rows, columns = "'fortran_order': False", "'fortran_order': True"
	f.Add(zipped(f, member{"attention", "'<f8', " + rows, "(1, 4, 4)", uniform(16, 0.25)},
		member{"maps", "'<f4', " + columns, "(1, 2, 1)", []float32{1, 2}}))
	f.Add(zipped(f, member{"a.attention", "'<f2', " + columns, "(2, 2, 2, 2)",
		append(slices.Repeat([]uint16{0x3c00}, 8), make([]uint16, 8)...)}, // 1 for the first key, 0 for the second
		member{"a.maps", "'<f8', " + rows, "(2, 1, 1)", []float64{1, 2}},
		member{"a.grid", "'<i8', " + rows, "(2,)", []int64{1, 2}},
		member{"b.attention", "'<f4', " + rows, "(1, 1, 1)", []float32{1}},
		member{"b.maps", "'<i4', " + rows, "(1, 1, 1)", []int32{3}}))
	f.Add(zipped(f, member{"attention", "'<f4', " + rows, "(1, 3, 3)", []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}},
		member{"maps", "'<f4', " + rows, "(1, 1, 1)", []float32{1}},
		member{"grid", "'<i4', " + rows, "(2,)", []int32{3, 1}},
		member{"inputs", "'<f2', " + rows, "(4, 3, 1)",
			[]uint16{0x3c00, 0, 0, 0, 0x3c00, 0, 0, 0, 0x3c00, 0x3c00, 1, 2}},
		member{"untrained_attention", "'<f8', " + columns, "(1, 3, 3)", uniform(9, 1./3)},
		member{"untrained_maps", "'<f8', " + rows, "(1, 1, 1)", []float64{2}}))
	f.Add(zipped(f, member{"attention", "'<f8', " + rows, "(2, 1, 4, 4)", uniform(32, 0.2)},
		member{"elsewhere", "'<f4', " + rows, "(2, 1, 4)", []float32{0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2}},
		member{"maps", "'<f8', " + rows, "(1, 1, 1)", []float64{2}},
		member{"gamma", "'<f8', " + rows, "(1,)", []float64{1}},
		member{"inputs", "'<f8', " + rows, "(2, 4, 1)", uniform(8, 1)},
		member{"stream", "'<f8', " + columns, "(2, 4, 1)", uniform(8, 2)}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, fmt.Sprint(os.Getpid(), ".npz"))
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Arrays(context.Background(), path, Options{Draws: 1, Kernel: 1}, nil)
		if bad := (*data.CorruptError)(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("got %v, want a *data.CorruptError", err)
		}
		if err == nil && len(d.Layers) == 0 {
			t.Error("no layer was measured")
		}
	})
}
