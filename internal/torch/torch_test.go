package torch

import (
	"archive/zip"
	"bytes"
	"encoding/json"
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

// all takes every tensor.
func all([]string) (map[string]bool, error) { return nil, nil }

// weights reads all that decode finds.
func weights(b []byte) (*ckpt.File, error) {
	c, err := decode(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return c.load(setOf(c.names()))
}

// Everything in a checkpoint of a training program is found under its path, which trainer.json has from Python: tensors
// with their values, and objects of any class, of which nothing is called.
func TestEverythingIsFound(t *testing.T) {
	b, err := os.ReadFile("testdata/trainer.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	average, err := Read("testdata/quadratic.checkpoint", all)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"testdata/trainer.pt", "testdata/trainer.legacy"} {
		f, err := Read(file, func(names []string) (map[string]bool, error) { return setOf(names), nil })
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, s := range f.Skipped {
			got[s.Name] = "object"
			if s.Type != "" {
				got[s.Name] = "tensor"
			}
		}
		for _, x := range f.Tensors {
			got[x.Name] = "tensor"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		for _, x := range average.Tensors {
			same, _ := f.Lookup("ema.module.module." + strings.TrimPrefix(x.Name, "model_state_dict."))
			if !slices.Equal(x.Data, same.Data) {
				t.Errorf("%s: %s is not %s", file, same.Name, x.Name)
			}
		}
	}
}

// A whole network is refused with what to type in Python, also where it is an entry of a checkpoint.
func TestWholeNetworks(t *testing.T) {
	for name, tt := range map[string]struct {
		pickle string
		want   []string
	}{
		"alone": {"cmodels.bert\nBertImage\n)\x81}U\x0b_parameters}sb.", []string{"the file is an object of the class " +
			"models.bert.BertImage", "net = torch.load(", "weights_only=False)\n  torch.save(net.state_dict(), "}},
		"as an entry": {"}U\x05modelcmodels.bert\nBertImage\n)\x81}U\x0b_parameters}sbs.",
			[]string{`"model" is an object of the class models.bert.BertImage`, `weights_only=False)["model"]`}},
		"TorchScript": {"c__torch__.net\nNet\n)\x81}U\x01aK\x01sb.", []string{"class net.Net", "torch.jit.load("}},
	} {
		path := filepath.Join(t.TempDir(), "x.pt")
		if err := os.WriteFile(path, stored(t, "data.pkl", tt.pickle), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path, all)
		bad := (*ModuleError)(nil)
		if !errors.As(err, &bad) {
			t.Errorf("%s: got %v, want a *ModuleError", name, err)
			continue
		}
		for _, want := range tt.want {
			if text := bad.Error() + "\n" + bad.Hint(); !strings.Contains(text, want) {
				t.Errorf("%s: want %q in %s", name, want, text)
			}
		}
	}
}

// A list in many others costs no more than its names.
func TestListsInLists(t *testing.T) {
	deep := "}U\x01a" + tensor("Float", "0", "K\x04", "K\x00K\x04\x85K\x01\x85") + "s" // a dictionary with a tensor
	for range 19 {
		deep += "q\x01]h\x01ah\x01a" // in a list twice
	}
	b := stored(t, "data.pkl", deep+".", "data/0", string(make([]byte, 16)))
	if _, err := weights(b); err == nil || !strings.Contains(err.Error(), "in one another") {
		t.Errorf("got %v, want that the lists are in one another too many times", err)
	}
}

// The same checkpoint in today's format and in the old one gives the same tensors; Skipped names the other entries.
func TestBothFormats(t *testing.T) {
	one, err := Read("testdata/quadratic.checkpoint", all)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Read("testdata/quadratic.legacy", all)
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
	whole, err := Read("testdata/quadratic.checkpoint", all)
	if err != nil {
		t.Fatal(err)
	}
	views, err := Read("testdata/tuple.pth", all)
	if err != nil {
		t.Fatal(err)
	}
	if len(views.Tensors) != len(whole.Tensors) {
		t.Fatalf("%d tensors, want %d", len(views.Tensors), len(whole.Tensors))
	}
	for _, w := range whole.Tensors {
		v, ok := views.Lookup("module." + strings.TrimPrefix(w.Name, "model_state_dict."))
		if !ok || !slices.Equal(v.Shape, w.Shape) {
			t.Fatalf("%s: shape %v, want %v", w.Name, v.Shape, w.Shape)
		}
		exact := strings.Contains(w.Name, "classifier") || strings.HasSuffix(w.Name, "features_upscale.bias")
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
		"no dictionary": {zipped("data.pkl", pickled("].")), " want a state dict"},
		"one tensor": {zipped("data.pkl", pickled(tensor("Float", "0", "K\x10", "K\x00K\x10\x85K\x01\x85")+".")),
			"one tensor of shape [16]: want a state dict"},
		"no tensors": {zipped("data.pkl", pickled("}U\x01aK\x01s.")), "no tensors in it"},
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
			_, err := Read(path, all)
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
	if _, err := weights(b); !errors.Is(err, zip.ErrChecksum) {
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
	if _, err := weights(b); err == nil ||
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
		stored(f, "data.pkl", "}(U\x01x"+tensor("Float", "0", "K\x04", "K\x00K\x04\x85K\x01\x85")+"U\x01ycmodels\nNet\n)\x81}U\x01a"+
			tensor("Half", "1", "K\x03", "K\x00K\x03\x85K\x01\x85")+"sbU\x01z](\x8f(K\x01\x90"+
			tensor("Half", "1", "K\x03", "K\x00K\x03\x85K\x01\x85")+"eu.", "data/0", elements[0], "data/1", elements[1]),
		[]byte(start + "}U\x0dlittle_endian\x88s." + checkpoint + "](U\x010U\x011e." +
			"\x04" + string(make([]byte, 7)) + elements[0] + "\x03" + string(make([]byte, 7)) + elements[1]),
	} {
		if w, err := weights(b); err != nil || len(w.Tensors) != 2 {
			f.Fatalf("%v: want two tensors", err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := weights(b)
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
