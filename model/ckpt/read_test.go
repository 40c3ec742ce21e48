package ckpt

import (
	"bytes"
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
)

// raw builds a file of a header and data, without Write.
func raw(head string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return append(append(b, head...), data...)
}

func save(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.ckpt")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadTypes(t *testing.T) {
	for _, tt := range []struct { // bits: IEEE 754, by hand; F16 and BF16 also from their formats' standard tables
		kind string
		data []byte
		want []float32
	}{
		{"F32", []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, []float32{1, -2}},
		{"F64", []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x80},
			[]float32{1.5, float32(math.Copysign(0, -1))}},
		{"BF16", []byte{0x80, 0x3f, 0x49, 0x40}, []float32{1, 3.140625}},
		{"F16", []byte{0x00, 0x3c, 0x00, 0xc0}, []float32{1, -2}},
		{"F16", []byte{0xff, 0x7b, 0x01, 0x00}, []float32{65504, 0x1p-24}}, // largest, smallest subnormal
		{"F16", []byte{0x00, 0xfc, 0x55, 0x35}, []float32{float32(math.Inf(-1)), 0.333251953125}},
	} {
		head := fmt.Sprintf(`{"a":{"dtype":%q,"shape":[2],"data_offsets":[0,%d]}}`, tt.kind, len(tt.data))
		f, err := Read(save(t, raw(head, tt.data)))
		if err != nil {
			t.Fatal(tt.kind, err)
		}
		if a, _ := f.Lookup("a"); !slices.Equal(a.Data, tt.want) || !slices.Equal(a.Shape, []int{2}) {
			t.Errorf("%s % x: got %v, want %v", tt.kind, tt.data, a.Data, tt.want)
		}
	}
}

func TestReadSkipsIntegers(t *testing.T) {
	f, err := Read(save(t, raw(`{"n":{"dtype":"I64","shape":[],"data_offsets":[4,12]},`+
		`"w":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`, make([]byte, 12))))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Tensors) != 1 || len(f.Skipped) != 1 || f.Skipped[0].Name != "n" || f.Skipped[0].Type != "I64" {
		t.Errorf("tensors %v, skipped %v", f.Tensors, f.Skipped)
	}
	if _, ok := f.Lookup("n"); ok {
		t.Error("Lookup found an integer tensor")
	}
}

func TestReadRefuses(t *testing.T) {
	one := `"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`
	four := make([]byte, 4)
	for _, tt := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "cut short"},
		{"seven bytes", make([]byte, 7), "cut short"},
		{"header length alone", raw("{}", nil)[:8], "cut short"},
		{"huge header", append(bytes.Repeat([]byte{0xff}, 8), '{', '}'), "at most 4194304"},
		{"header beyond the file", append([]byte{9, 0, 0, 0, 0, 0, 0, 0}, "{}"...),
			"a header of 9 bytes in a file of 10"},
		{"no header", raw("", nil), "does not start with {"},
		{"list", raw("[]", nil), "does not start with {"},
		{"open end", raw(`{"a":`, nil), "cut short"},
		{"two values", raw(`{}{}`, nil), "more than one"},
		{"not UTF-8", raw("{\"\xff\":1}", nil), "not UTF-8"},
		{"not JSON", raw(`{"a" 1}`, nil), "header"},
		{"tensor twice", raw(`{`+one+`,`+one+`}`, four), `duplicate key "a"`},
		{"metadata twice", raw(`{"__metadata__":{"a":"1","a":"2"}}`, nil), `duplicate key "a"`},
		{"number as metadata", raw(`{"__metadata__":{"a":1}}`, nil), `metadata "a": want a string`},
		{"metadata not an object", raw(`{"__metadata__":"a"}`, nil), "want {"},
		{"a key too many", raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":0}}`, four),
			`unknown key "x"`},
		{"no offsets", raw(`{"a":{"dtype":"F32","shape":[1]}}`, four), "want dtype, shape and data_offsets"},
		{"one offset", raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, four), "want [begin, end]"},
		{"three offsets", raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}`, four), "at most 2"},
		{"negative", raw(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, four), "got -1"},
		{"fraction", raw(`{"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}`, four), "got 1.0"},
		{"string", raw(`{"a":{"dtype":"F32","shape":["1"],"data_offsets":[0,4]}}`, four), "got 1"},
		{"unknown type", raw(`{"a":{"dtype":"F4","shape":[8],"data_offsets":[0,4]}}`, four), `type "F4" is not known`},
		{"wrong size", raw(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, four),
			"do not fit shape [2] of F32"},
		{"end before begin", raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, four), "do not fit"},
		{"product overflows", raw(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, nil),
			"too large"},
		{"bytes overflow", raw(`{"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}}`, nil),
			"do not fit"},
		{"offset over int64", raw(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551616]}}`, four),
			"integers"},
		{"33 dimensions", raw(`{"a":{"dtype":"F32","shape":[1`+strings.Repeat(",1", 32)+`],"data_offsets":[0,4]}}`,
			four),
			"at most 32"},
		{"overlap", raw(`{`+one+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}`, make([]byte, 6)), "overlaps"},
		{"same place", raw(`{`+one+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, four), "overlaps"},
		{"gap", raw(`{`+one+`,"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}`, make([]byte, 12)), "a gap of 4"},
		{"gap in front", raw(`{"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, make([]byte, 8)), "a gap of 4"},
		{"data cut", raw(`{`+one+`}`, four[:3]), "cut short: the header wants 4 bytes of data, got 3"},
		{"huge claim", raw(`{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}`, four),
			"wants 4398046511104 bytes"},
		{"data behind", raw(`{`+one+`}`, make([]byte, 5)), "1 bytes behind"},
		{"later format", raw(`{"__metadata__":{"attnconv.format":"2","attnconv.version":"9.1"}}`, nil),
			"written by attnconv 9.1 (format 2); this is format 1"},
		{"format before layout", raw(`{"__metadata__":{"attnconv.format":"7"},`+
			`"a":{"dtype":"Z","shape":[],"data_offsets":[0,1]}}`, nil), "(format 7)"},
		{"no format", raw(`{"__metadata__":{"attnconv.format":"one"}}`, nil), `attnconv.format is "one"`},
		{"digest", raw(`{"__metadata__":{"attnconv.tensor_sha256":"00"},`+one+`}`, four), "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := save(t, tt.file)
			_, err := Read(path)
			var bad *CorruptError
			if !errors.As(err, &bad) || bad.Path != path || !strings.Contains(bad.Reason, tt.want) {
				t.Errorf("got %v, want a CorruptError with %q", err, tt.want)
			}
			if _, err := ReadHeader(path); err == nil && tt.name != "digest" {
				t.Error("no error of ReadHeader")
			}
		})
	}
}

func TestReadMissing(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "no.ckpt")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	var bad *CorruptError
	if _, err := Read(t.TempDir()); !errors.As(err, &bad) || !strings.Contains(bad.Reason, "folder") {
		t.Errorf("a folder: got %v", err)
	}
}

// Read detects truncation to any length, and a flip of any bit of the data.
func TestReadDetectsDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ckpt")
	if err := Write(path, sample()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := decode(bytes.NewReader(whole[:n]), int64(n)); err == nil {
			t.Fatalf("cut to %d of %d bytes: no error", n, len(whole))
		}
	}
	data := 8 + int(binary.LittleEndian.Uint64(whole))
	for i := data; i < len(whole); i++ {
		b := slices.Clone(whole)
		b[i] ^= 1 << (i % 8)
		if _, err := decode(bytes.NewReader(b), int64(len(b))); err == nil ||
			!strings.Contains(err.Error(), "damaged") {
			t.Fatalf("bit %d of byte %d flipped: %v", i%8, i, err)
		}
	}
}

// A header cannot make Read allocate more memory than the file has bytes for.
func TestReadAllocatesLittle(t *testing.T) {
	b := raw(`{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4398046511104]}}`, nil)
	if r := testing.Benchmark(func(tb *testing.B) {
		for range 10 {
			if _, err := decode(bytes.NewReader(b), int64(len(b))); err == nil {
				tb.Fatal("no error")
			}
		}
	}); r.AllocedBytesPerOp() > 1<<20 {
		t.Errorf("%d bytes allocated", r.AllocedBytesPerOp())
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(raw(`{}`, nil))
	f.Add(raw(`{"__metadata__":{"attnconv.format":"1"},"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}`,
		make([]byte, 4)))
	f.Add(raw(`{"a":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[0],"data_offsets":[8,8]}}`,
		make([]byte, 8)))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decode(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		n := 0 // elements; they must fit the file, and survive another round trip
		for _, x := range got.Tensors {
			n += len(x.Data)
		}
		if 2*n > len(b) {
			t.Fatalf("%d elements in %d bytes", n, len(b))
		}
		if len(got.Tensors) > 0 && got.Tensors[0].Name == "" {
			return // Read accepts a tensor without a name, Encode does not
		}
		var again bytes.Buffer
		if err := got.Encode(&again); err != nil { // Write would wait for the disk
			t.Fatal(err)
		}
		second, err := decode(&again, int64(again.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if len(second.Tensors) != len(got.Tensors) {
			t.Fatalf("%d tensors, then %d", len(got.Tensors), len(second.Tensors))
		}
	})
}
