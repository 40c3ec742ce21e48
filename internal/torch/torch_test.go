package torch

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/model/ckpt"
)

// The same checkpoint in today's format and in the old one gives the same tensors; Skipped names the other entries.
func TestBothFormats(t *testing.T) {
	one, err := Read("testdata/quadratic.checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	other, err := Read("testdata/quadratic.legacy")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one.Tensors, other.Tensors); diff != "" {
		t.Error(diff)
	}
	var skipped []string
	for _, s := range one.Skipped {
		skipped = append(skipped, s.Name)
	}
	if want := []string{"epoch", "optimizer_state_dict", "test_accuracy"}; !slices.Equal(skipped, want) ||
		len(one.Tensors) != 33 {
		t.Errorf("%d tensors, skipped %v; want 33 and %v", len(one.Tensors), skipped, want)
	}
	if !Is("testdata/quadratic.checkpoint") || !Is("testdata/quadratic.legacy") || Is("testdata/logits.json") ||
		Is("testdata") {
		t.Error("the formats are not recognized")
	}
}

// Transposed views and slices of a storage are read in their own order. tuple.pth has the weights of
// quadratic.checkpoint, most of them rounded to half precision, as views.
func TestViews(t *testing.T) {
	whole, err := Read("testdata/quadratic.checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	views, err := Read("testdata/tuple.pth")
	if err != nil {
		t.Fatal(err)
	}
	if len(views.Tensors) != len(whole.Tensors) {
		t.Fatalf("%d tensors, want %d", len(views.Tensors), len(whole.Tensors))
	}
	for _, w := range whole.Tensors {
		v, ok := views.Lookup("module." + w.Name)
		if !ok || !slices.Equal(v.Shape, w.Shape) {
			t.Fatalf("%s: shape %v, want %v", w.Name, v.Shape, w.Shape)
		}
		exact := strings.HasPrefix(w.Name, "classifier") || w.Name == "features_upscale.bias"
		for i, x := range w.Data {
			if d := x - v.Data[i]; exact && d != 0 || d > 2e-3 || d < -2e-3 {
				t.Fatalf("%s[%d] is %v, want %v", w.Name, i, v.Data[i], x)
			}
		}
	}
}

// repack returns a copy of a zip file with some members changed; a change that returns nil removes the member.
func repack(t testing.TB, file string, method uint16, change map[string]func([]byte) []byte) []byte {
	t.Helper()
	r, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(f.Name, "/")
		if c := change[name]; c != nil {
			if b = c(b); b == nil {
				continue
			}
		}
		m, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: method})
		if err == nil {
			_, err = m.Write(b)
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

func TestReadRefuses(t *testing.T) {
	const file = "testdata/qr.pt"
	pickled := func(b string) func([]byte) []byte { return func([]byte) []byte { return []byte(b) } }
	swap := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte {
			if !bytes.Contains(b, []byte(old)) {
				t.Fatalf("%q is not in the pickle", old)
			}
			return bytes.Replace(b, []byte(old), []byte(new), 1)
		}
	}
	old, err := os.ReadFile("testdata/quadratic.legacy")
	if err != nil {
		t.Fatal(err)
	}
	zipped := func(name string, c func([]byte) []byte) []byte {
		return repack(t, file, zip.Store, map[string]func([]byte) []byte{name: c})
	}
	for name, tt := range map[string]struct {
		b    []byte
		want string
	}{
		"a function": {zipped("data.pkl", pickled("cos\nsystem\n(S'echo hello'\ntR.")),
			`the name "os.system" is refused`},
		"a whole network": {zipped("data.pkl", pickled("cmodels.bert\nBertImage\n.")),
			`the name "models.bert.BertImage" is refused`},
		"no dictionary": {zipped("data.pkl", pickled("].")), " want a state dict"},
		"no tensors":    {zipped("data.pkl", pickled("}U\x01aK\x01s.")), "no tensors in it"},
		"no pickle": {zipped("data.pkl", func([]byte) []byte { return nil }),
			"no data.pkl is in it"},
		"a storage not there": {zipped("data/0", func([]byte) []byte { return nil }),
			`its storage "0" is not there`},
		"a storage cut off": {zipped("data/0", func(b []byte) []byte { return b[4:] }),
			"its storage has 60 bytes"},
		"compressed": {repack(t, file, zip.Deflate, nil), "not compressed"},
		"another byte order": {append([]byte(nil), withMember(t, file, "byteorder", "big")...),
			`byte order "big": want little`},
		"another protocol of storages": {zipped("data.pkl", swap("storageq", "stowageq")), "no storage of a tensor"},
		"outside its storage": {zipped("data.pkl", swap("K\x10tq", "K\x0ftq")),
			"is not inside its storage of 15"},
		"a storage larger than the file": {zipped("data.pkl", swap("K\x10tq", "J\x00\x00\x00\x7ftq")),
			"a storage of 2130706432 elements in a file of"},
		"old, cut short": {old[:len(old)-1], "cut short"},
		"old, without a storage": {bytes.Replace(old, []byte(`storageq`), []byte(`stowageq`), 1),
			"no storage of a tensor"},
		"old, half": {old[:len(old)/8], "it ends early"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.pt")
			if err := os.WriteFile(path, tt.b, 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Read(path)
			if bad := (*ckpt.CorruptError)(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a *ckpt.CorruptError with %q", err, tt.want)
			}
		})
	}
}

// A flipped bit in a storage is an error.
func TestChecksum(t *testing.T) {
	b := repack(t, "testdata/qr.pt", zip.Store, nil)
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/data/0") {
			continue
		}
		at, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		b[at] ^= 1
	}
	if _, err := decode(bytes.NewReader(b), int64(len(b))); !errors.Is(err, zip.ErrChecksum) {
		t.Errorf("got %v, want %v", err, zip.ErrChecksum)
	}
}

// withMember returns a copy of a zip file with one more member.
func withMember(t testing.TB, file, name, content string) []byte {
	t.Helper()
	b := repack(t, file, zip.Store, nil)
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	folder, _, _ := strings.Cut(r.File[0].Name, "/")
	for _, f := range r.File {
		if err := w.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Create(folder + "/" + name)
	if err == nil {
		_, err = io.WriteString(m, content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// tensor is the pickle of a tensor: a view of the storage whose key has one letter. The pickles of the storage's number
// of elements, and of the view's offset, shape and strides, are as given.
func tensor(kind, key, count, view string) string {
	return "ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\n" + kind + "Storage\nU\x01" + key + "U\x03cpu" +
		count + "tQ" + view + "\x89NtR"
}

// A few bytes of a pickle suffice for another view of one large storage.
func TestManyViewsOfOneStorage(t *testing.T) {
	pickled := "}("
	for i := range 200 {
		pickled += "U\x02" + string([]byte{'a' + byte(i%20), 'a' + byte(i/20)}) +
			tensor("Float", "0", "M\x00\x40", "K\x00M\x00\x40\x85K\x01\x85")
	}
	b := repack(t, "testdata/qr.pt", zip.Store, map[string]func([]byte) []byte{
		"data.pkl": func([]byte) []byte { return []byte(pickled + "u.") },
		"data/0":   func([]byte) []byte { return make([]byte, 4<<14) },
	})
	if _, err := decode(bytes.NewReader(b), int64(len(b))); err == nil ||
		!strings.Contains(err.Error(), "many views of few values") {
		t.Errorf("got %v, want that there are too many views", err)
	}
}

// checkpoint is the pickle of a state dict with two tensors, under one of the usual keys and next to other entries.
var checkpoint = "\x80\x02ccollections\nOrderedDict\nq\x00)Rr\x01\x00\x00\x00(X\x05\x00\x00\x00epochq\x02M\x00\x01U\x05modelh\x00)R(" +
	"U\x01a" + tensor("Float", "0", "K\x04", "K\x00K\x02K\x02\x86K\x01K\x02\x86") + // the transpose of a matrix
	"U\x01b" + tensor("Half", "1", "K\x03", "K\x01K\x02\x85K\x01\x85") + // the last two of three elements
	"u}U\x09_metadatah\x00)RsbU\x02lr]G\x3f\xe0\x00\x00\x00\x00\x00\x00aU\x04selfj\x01\x00\x00\x00u."

// stored makes a zip file of members that are given by name and content, and not compressed.
func stored(t testing.TB, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for ; len(members) > 0; members = members[2:] {
		m, err := w.CreateHeader(&zip.FileHeader{Name: "a/" + members[0], Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(m, members[1])
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

// The seeds are as small as a file can be: real ones have tens of kB, and a run of seconds tried a handful of changes.
func FuzzRead(f *testing.F) {
	elements := [2]string{string(make([]byte, 16)), "\x00\x00\x00\x3c\x00\xbc"}
	for _, b := range [][]byte{
		stored(f, "data.pkl", checkpoint, "byteorder", "little", "data/0", elements[0], "data/1", elements[1]),
		stored(f, "data.pkl", "}(U\x01c"+tensor("Double", "0", "K\x02", "K\x00))")+"U\x01n"+tensor("Long", "1", "K\x09",
			"K\x00K\x09\x85K\x01\x85")+
			"U\x01d"+tensor("BFloat16", "1", "K\x03", "K\x00K\x03\x85K\x01\x85")+"u.", "data/0", elements[0], "data/1",
			elements[1]),
		[]byte(start + "}U\x0dlittle_endian\x88s." + checkpoint + "](U\x010U\x011e." +
			"\x04" + string(make([]byte, 7)) + elements[0] + "\x03" + string(make([]byte, 7)) + elements[1]),
	} {
		if w, err := decode(bytes.NewReader(b), int64(len(b))); err != nil || len(w.Tensors) != 2 {
			f.Fatalf("%v: want two tensors", err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := decode(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		total := 0
		for _, x := range w.Tensors {
			n := 1
			for _, d := range x.Shape {
				n *= d
			}
			if n != len(x.Data) {
				t.Errorf("%s: shape %v, %d values", x.Name, x.Shape, len(x.Data))
			}
			total += len(x.Data)
		}
		if total > 4*len(b) {
			t.Errorf("%d values in a file of %d bytes", total, len(b))
		}
	})
}
