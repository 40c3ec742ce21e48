package sets

import (
	"archive/tar"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// python is the Python layout of a set of this test.
func python(l layout, folder, labels string) layout {
	l.title, l.folder, l.archive, l.labels, l.coarse = l.name+" python", folder, folder, labels, 0
	l.train, l.test = slices.Clone(l.train), strings.TrimSuffix(l.test, ".bin")
	for i, name := range l.train {
		l.train[i] = strings.TrimSuffix(name, ".bin")
	}
	return l
}

var (
	smallPython = python(small, "small-py", "labels")
	finePython  = python(smallFine, "fine-py", "fine_labels")
)

// pickled makes file i of a set in its Python layout, with the images of the binary layout of, as Python 2 writes it.
func pickled(of layout, i int, labels string) []byte {
	r, records := newReader(of), content(of, i)
	n, size := r.records(i), of.format.Size()
	step := r.labelBytes() + size
	var pixels, list []byte
	for k := range n {
		record := records[k*step : (k+1)*step]
		list = append(list, 'K', record[r.labelBytes()-1])
		pixels = append(pixels, record[r.labelBytes():]...)
	}
	short := func(s string) string { return "U" + string([]byte{byte(len(s))}) + s }
	number := func(n int) string { return "M" + string(binary.LittleEndian.AppendUint16(nil, uint16(n))) }
	return []byte("\x80\x02}q\x01(" + short("batch_label") + short("training batch") + short(labels) + "]q\x02(" +
		string(list) + "e" + short("data") +
		"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R" +
		"(K\x01" + number(n) + number(size) + "\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R" +
		"(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89" +
		"T" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(pixels)))) + string(pixels) + "tb" + "u.")
}

func TestPythonLayoutHoldsTheSameImages(t *testing.T) {
	for _, tt := range []struct{ binary, python layout }{{small, smallPython}, {smallFine, finePython}} {
		want := filled(t, tt.binary).Digest
		files := map[string][]byte{}
		var list []entry
		for i, name := range tt.python.files() {
			files[name] = pickled(tt.binary, i, tt.python.labels)
			list = append(list, entry{name: tt.python.folder + "/" + name, kind: tar.TypeReg, body: files[name]})
		}
		list = append(list, entry{name: tt.python.folder + "/batches.meta", kind: tar.TypeReg, body: []byte("...")})
		for place, write := range map[string]func(dir string){
			"the archive's folder": func(dir string) {
				for name, b := range files {
					write(t, filepath.Join(dir, tt.python.folder, name), b)
				}
			},
			"tar.gz": func(dir string) {
				write(t, filepath.Join(dir, tt.python.archive+".tar.gz"),
					gzipped(pack(list...)))
			},
		} {
			t.Run(tt.python.name+" in "+place, func(t *testing.T) {
				dir := t.TempDir()
				write(dir)
				s, err := layouts{tt.binary, tt.python}.open(dir)
				if err != nil {
					t.Fatal(err)
				}
				if s.Digest != want || s.Name != tt.binary.name {
					t.Errorf("got %s with digests %v, want %s with %v", s.Name, s.Digest, tt.binary.name, want)
				}
			})
		}
	}
}

func TestCorruptPickles(t *testing.T) {
	good := string(pickled(small, 0, "labels"))
	for _, tt := range []struct{ name, b, want string }{
		{"a program", "cos\nsystem\n(S'echo hello'\ntR.", `the name "os.system" is refused`},
		{"cut off", good[:len(good)-100], "it ends early"},
		{"a list", "].", "want a dictionary with data and labels"},
		{"no images", "}.", "want an array called data, 3 × 3072 bytes"},
		{"no labels", strings.Replace(good, "labels", "lapels", 1), "want a list called labels, of 3 integers"},
		{"a label out of range", strings.Replace(good, "(K\x00K\x01", "(K\x00K\x04", 1),
			"image 2: want a label below 4, got 4"},
		{"a label that is none", strings.Replace(good, "(K\x00K\x01", "(K\x00NN", 1), "want a list called labels"},
		{"far too long", good + strings.Repeat("x", 1<<17), "want at most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := newReader(smallPython).read(0, "one", strings.NewReader(tt.b), int64(len(tt.b)))
			wantCorrupt(t, err, tt.want)
		})
	}
	err := newReader(smallPython).read(0, "one", strings.NewReader(good), int64(len(good))+9)
	wantCorrupt(t, err, fmt.Sprintf("want %d bytes, and the file ends after %d", len(good)+9, len(good)))
}
