package pickle

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// batch is the value that testdata/pickles.py writes.
func batch() any {
	return &Dict{Items: map[string]any{
		"data":        &Array{Shape: []int{2, 3}, Data: []byte{0, 1, 127, 128, 254, 255}},
		"labels":      &List{Items: []any{int64(6), int64(300)}},
		"batch_label": "one of 5",
		"others":      &List{Items: []any{[]byte("a.png"), true, nil, int64(-1), int64(1) << 40}},
	}}
}

func TestParseTakesWhatPythonAndNumPyWrite(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pickle")
	if err != nil || len(files) != 12 {
		t.Fatalf("want the 12 files of testdata/pickles.py, got %v %v", files, err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(batch(), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// python2 is a batch of CIFAR-10 as the published archive has it: written by Python 2, protocol 2, its array with the
// first axis running fastest where fortran is 0x88. Its first bytes are those of data_batch_1.
func python2(fortran byte, content string) []byte {
	return []byte("\x80\x02}q\x01(U\x0bbatch_labelq\x02U\x08one of " +
		"5q\x03U\x06labelsq\x04]q\x05(K\x06M\x2c\x01eU\x04dataq\x06" +
		"cnumpy.core.multiarray\n_reconstruct\nq\x07cnumpy\nndarray\nq\x08K\x00\x85U\x01b\x87Rq\x09(K\x01K\x02K\x03\x86" +
		"cnumpy\ndtype\nq\x0aU\x02u1K\x00K\x01\x87Rq\x0b(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb" +
		string([]byte{fortran}) + "T" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content +
		"tbU\x06othersq\x0c]q\x0d(U\x05a.png\x88NJ\xff\xff\xff\xff\x8a\x06\x00\x00\x00\x00\x00\x01eu.")
}

func TestParseTakesPython2(t *testing.T) {
	want := batch().(*Dict)
	want.Items["others"].(*List).Items[0] = "a.png" // of one type with bytes, in Python 2
	for name, b := range map[string][]byte{
		"rows":    python2(0x89, "\x00\x01\x7f\x80\xfe\xff"),
		"columns": python2(0x88, "\x00\x80\x01\xfe\x7f\xff"),
	} {
		got, err := Parse(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(any(want), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestParseTakesValues(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     any
	}{
		{"nothing", "N.", nil},
		{"numbers of each size", "(J\xfe\xff\xff\xffK\xffM\xff\xffI-7\nL12345678901L\n\x8a\x00\x8a\x01\xff\x8a\x08" +
			"\xff\xff\xff\xff\xff\xff\xff\x7fl.",
			&List{Items: []any{int64(-2), int64(255), int64(65535), int64(-7), int64(12345678901), int64(0), int64(-1),
				int64(1<<63 - 1)}}},
		{"booleans of protocol 1", "(I00\nI01\nI1\nl.", &List{Items: []any{false, true, int64(1)}}},
		{"a repr", `S'a\n\x00\'b"'` + "\n.", "a\n\x00'b\""},
		{"a repr in double quotes", `S"it's"` + "\n.", "it's"},
		{"escapes", "Va\\u00e9\xe9\n.", "aéé"},
		{"a string popped", "U\x01aU\x01b0.", "a"},
		{"a value of the memo", "]p9\ng9\na.", nil}, // compared below: it contains itself
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if list, ok := got.(*List); ok && tt.want == nil {
				if len(list.Items) != 1 || list.Items[0] != got {
					t.Errorf("got %v: want a list in itself", list.Items)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// system is the classic hostile pickle: os.system("echo hello").
const system = "cos\nsystem\n(S'echo hello'\ntR."

func TestParseRefuses(t *testing.T) {
	bytesArray := "cnumpy.core.numeric\n_frombuffer\n(C\x02abcnumpy\ndtype\nU\x02u1\x85R"
	for _, tt := range []struct{ name, in, want string }{
		{"a function", system, `byte 0: the name "os.system" is refused: want data only`},
		{"a function by values", "\x8c\x08builtins\x8c\x04eval\x93.", `the name "builtins.eval" is refused`},
		{"a NumPy function that runs code", "cnumpy.testing._private.utils\nrunstring\n.", "is refused"},
		{"a class made new", "cnumpy\nndarray\n)\x81.", "the instruction NEWOBJ is refused"},
		{"an object of another kind", "(icollections\nOrderedDict\n.", "the instruction INST is refused"},
		{"a persistent id", "P1\n.", "the instruction PERSID is refused"},
		{"an extension", "\x82\x01.", "the instruction EXT1 is refused"},
		{"a float", "G\x00\x00\x00\x00\x00\x00\x00\x00.", "the instruction BINFLOAT is refused"},
		{"no instruction", "\xff.", "the instruction 0xff is refused"},
		{"a call of a string", "U\x01a(tR.", `it calls the string "a": want one of NumPy's functions`},
		{"a call of a class", "cnumpy\nndarray\n(tR.", "numpy.ndarray has arguments that NumPy does not write"},
		{"a function alone", "cnumpy\nndarray\n.", "its value is the function numpy.ndarray"},
		{"a later protocol", "\x80\x06N.", "protocol 6: want at most 5"},
		{"nothing at all", "", "byte 0: it ends early"},
		{"no end", "N", "byte 1: it ends early"},
		{"a string cut off", "U\x05ab", "it ends early: want 5 more bytes, got 2"},
		{"a string longer than memory", "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "it ends early"},
		{"a line without end", "I12", "a line has no end"},
		{"no string", "S'a\n.", "want a string in quotes"},
		{"no integer", "Ix\n.", `"x": want an integer of 64 bits`},
		{"an integer of 9 bytes", "\x8a\x09123456789.", "an integer of 9 bytes: want at most 8"},
		{"an empty stack", "0.", "it pops a value from an empty stack"},
		{"a mark as a value", "(0.", "it pops a value from an empty stack"},
		{"no mark", "Nt.", "it pops the values above a mark"},
		{"an append to an integer", "K\x01Na.", "it appends to the integer 1"},
		{"a key of a list", "]U\x01aNs.", "it puts a key into a list"},
		{"a key without value", "}(U\x01au.", "a key has no value"},
		{"a key that is an integer", "}K\x01Ns.", "the integer 1 is a key: want a string"},
		{"a value not in the memo", "h\x01.", "the memo has no value 1"},
		{"a state of a list", "]Nb.", "it gives a list a state: want an array"},
		{"an array of strings", "cnumpy\ndtype\nU\x02S1\x85R.", `an array of "S1": want u1, bytes`},
		{"an array of objects", "cnumpy\ndtype\nU\x01O\x85R.", `an array of "O": want u1, bytes`},
		{"an array without shape", bytesArray + "(tU\x01CtR.", "an array's shape is a list: want 1 to 4 integers"},
		{"an array of no rows", bytesArray + "K\x00\x85U\x01CtR.", "an axis of an array is the integer 0: want 1 to 2"},
		{"an array too large", bytesArray + "K\x03\x85U\x01CtR.", "is the integer 3: want 1 to 2, for 2 bytes"},
		{"an array too small", bytesArray + "K\x01\x85U\x01CtR.", "an array of shape [1] has 2 bytes: want 1"},
		{"an array larger than 64 bits can count", bytesArray +
			"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x40K\x04\x86U\x01CtR.",
			"an axis"},
		{"an array whose order is a string", bytesArray + "K\x02\x85U\x01KtR.", "has arguments"},
		{"text that is no bytes", "c_codecs\nencode\nX\x03\x00\x00\x00\xe2\x82\xacU\x06latin1\x86R.",
			"no byte in Latin-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.in))
			if want := (*Error)(nil); !errors.As(err, &want) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want an *Error with %q", got, err, tt.want)
			}
		})
	}
}

func TestParseTakesNoMoreMemoryThanItIsWorth(t *testing.T) {
	long := strings.Repeat("x", 1<<16)
	text := "X\x00\x00\x01\x00" + long
	for _, tt := range []struct{ name, in, want string }{
		{"values without end", strings.Repeat("N", maxValues+1) + ".", "it has more than 2097152 values"},
		{"a memo without end", "N" + strings.Repeat("\x94", maxValues), "it has more than 2097152 values"},
		{"one text encoded many times", text + "q\x00" +
			strings.Repeat("c_codecs\nencode\nh\x00U\x06latin1\x86R0", 9) + ".", "it repeats itself"},
		{"a key as long as a file", "}" + text + "Ns.", "want a string of at most 256 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// What torch.save writes next to tensors is accepted, and objects of any class are passed over.
func TestParseTorch(t *testing.T) {
	storage := "(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x06tQ"
	tensor := func(rest string) string { return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + rest + "\x89NtR" }
	for _, tt := range []struct{ name, in, want string }{
		{"a float", "G\x3f\xe0\x00\x00\x00\x00\x00\x00.", ""},
		{"an integer as a key", "}K\x07Ns.", ""},
		{"an ordered dictionary with attributes", "ccollections\nOrderedDict\n)R}U\x01a}sb.", ""},
		{"a NumPy scalar", "cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(U\x02f8\x89\x88tR(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb" +
			"c_codecs\nencode\nX\x01\x00\x00\x00aU\x06latin1\x86RtR.", ""},
		{"a tensor", tensor("K\x00K\x02K\x03\x86K\x03K\x01\x86") + ".", ""},
		{"a parameter", "ctorch._utils\n_rebuild_parameter\n(" + tensor("K\x00K\x06\x85K\x01\x85") + "\x88NtR.", ""},
		{"a tensor behind its storage", tensor("K\x01K\x02K\x03\x86K\x03K\x01\x86") + ".",
			"is not inside its storage of 6"},
		{"a tensor of strides that are too long", tensor("K\x00K\x02K\x03\x86K\x04K\x01\x86") + ".", "is not inside"},
		{"a tensor that repeats its storage", tensor("K\x00K\x07\x85K\x00\x85") + ".", "is not inside"},
		{"strides below 0", tensor("K\x05K\x02\x85J\xff\xff\xff\xff\x85") + ".", "want a tensor of a storage"},
		{"sizes that overflow", tensor("K\x00\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x86K\x01K\x01\x86") + ".",
			"is not inside"},
		{"an element right behind its storage", tensor("K\x06K\x01\x85K\x01\x85") + ".", "is not inside"},
		{"sizes whose product is 0", tensor("K\x00\x8a\x08\x00\x00\x00\x00\x01\x00\x00\x00\x8a\x08\x00\x00\x00\x00\x01\x00\x00\x00\x86K\x00K\x00\x86") + ".",
			"is not inside"},
		{"another persistent id", "U\x04fileQ.", "no storage of a tensor"},
		{"a view of a storage", "(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x06K\x01tQ.",
			"no storage of a tensor"},
		{"a function alone", "ctorch._utils\n_rebuild_parameter\n.", "its value is the function"},
		{"a tensor that an unknown function makes of another", "cmine\nf\n(" + tensor("K\x01K\x06\x85K\x01\x85") + "tR.",
			"is not inside its storage"},
		{"an extension", "\x82\x01.", "EXT1 is refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, n, err := ParseTorch([]byte(tt.in + "more"))
			if tt.want == "" && (err != nil || n != len(tt.in)) {
				t.Errorf("got %v behind %d bytes, want no error behind %d", err, n, len(tt.in))
			}
			if bad := (*Error)(nil); tt.want != "" && (!errors.As(err, &bad) ||
				!strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	two := Dict{map[string]any{"a": int64(2)}}
	made := "\n)\x81"                         // an object of the class before it
	for in, want := range map[string]*Object{ // none of which is called
		system: {Name: "os.system"},
		"cargparse\nNamespace" + made + "}U\x02lrK\x01sb.": {Name: "argparse.Namespace"},
		"ccollections\nCounter\n}K\x01K\x02s\x85R.":        {Name: "collections.Counter"},
		"cmine\nNet" + made + "}U\x0b_parameters}sb.":      {Name: "mine.Net", Module: true},
		"ccopy_reg\n_reconstructor\ncmine\nA\nNN\x87R.":    {Name: "mine.A"},
		"cmine\nA\n)}\x92(K\x01e.":                         {Name: "mine.A"},
		"cmine\nDict" + made + "(U\x01aK\x02u.":            {Name: "mine.Dict", Dict: two},
		"\x8f(K\x01\x90.":                                  {Name: "set"},
		"(K\x01\x91.":                                      {Name: "frozenset"},
		"\x8a\x09123456789.":                               {Name: "int"},
		"ctorch\nfloat32\n.":                               {Name: "torch.float32"},
	} {
		if got, _, _, err := ParseTorch([]byte(in)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v: want %+v", in, got, err, want)
		}
	}
	if _, err := Parse([]byte(tensor("K\x00K\x06\x85K\x01\x85") + ".")); err == nil {
		t.Error("Parse accepts tensors")
	}
}

func FuzzParseTorch(f *testing.F) {
	f.Add([]byte("\x80\x02ccollections\nOrderedDict\n)R(U\x01actorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nFloatStorage\n" +
		"U\x010U\x03cpuK\x06tQK\x00K\x02K\x03\x86K\x03K\x01\x86\x89NtRU\x01bG\x3f\xe0\x00\x00\x00\x00\x00\x00u."))
	f.Add([]byte(system))
	f.Add([]byte("}cmine\nA\n)\x81(K\x01K\x02u}U\x0b_parameters}sbs(\x8f(K\x01\x90\x8b\x01\x00\x00\x00at."))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, _, n, err := ParseTorch(b)
		if bad := (*Error)(nil); err != nil && !errors.As(err, &bad) || n > len(b) {
			t.Errorf("got %v behind %d bytes of %d", err, n, len(b))
		}
		d, ok := v.(*Dict)
		if !ok {
			return
		}
		for name, item := range d.Items {
			x, ok := item.(*Tensor)
			if !ok || x.Len() == 0 {
				continue
			}
			last := x.Offset
			for i, size := range x.Shape {
				last += (size - 1) * x.Stride[i]
			}
			if last < x.Offset || last >= x.Storage.Count || x.Len() > x.Storage.Count {
				t.Errorf("%s: %+v is not inside %+v", name, x, x.Storage)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pickle")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(python2(0x88, "\x00\x01\x7f\x80\xfe\xff"))
	f.Add([]byte(system))
	f.Fuzz(func(t *testing.T, b []byte) {
		before := slices.Clone(b)
		v, err := Parse(b)
		if !slices.Equal(before, b) {
			t.Error("the pickle was changed")
		}
		if wrong := (*Error)(nil); err != nil && (!errors.As(err, &wrong) || v != nil || wrong.At > len(b)) {
			t.Errorf("got %v, %v: want a value, or an *Error inside the pickle", v, err)
		}
		if a, ok := v.(*Array); ok {
			size := 1
			for _, n := range a.Shape {
				size *= n
			}
			if size != len(a.Data) {
				t.Errorf("an array of shape %v has %d bytes", a.Shape, len(a.Data))
			}
		}
	})
}
