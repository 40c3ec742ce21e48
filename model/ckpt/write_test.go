package ckpt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sample() *File {
	return &File{
		Meta: Meta{Kind: "mhsa", Config: "model: {}\n", Step: 7, Version: "0.1"}.Strings(),
		Tensors: []Tensor{
			{"model.w", []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}},
			{"model.b", []int{3}, []float32{-1, 0.5, 0}},
			{"optim.step", nil, []float32{7}},
			{"none", []int{0, 4}, nil},
		},
	}
}

// The layout is checked against the description of the format, without Read.
func TestWriteLayout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ckpt")
	if err := Write(path, sample()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var direct bytes.Buffer
	if err := sample().Encode(&direct); err != nil || !bytes.Equal(direct.Bytes(), b) {
		t.Errorf("Encode writes %d other bytes, %v", direct.Len(), err)
	}
	n := binary.LittleEndian.Uint64(b)
	head, data := b[8:8+n], b[8+n:]
	if head[0] != '{' || (8+n)%8 != 0 || len(data) != 4*10 {
		t.Fatalf("header %q of %d bytes, data of %d", head, n, len(data))
	}
	var meta map[string]string
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(head, &fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(fields["__metadata__"], &meta); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if got := meta["attnconv.tensor_sha256"]; got != hex.EncodeToString(sum[:]) {
		t.Errorf("digest %s, want %x", got, sum)
	}
	if meta["attnconv.format"] != "1" || meta["attnconv.step"] != "7" {
		t.Errorf("metadata %v", meta)
	}
	for name, want := range map[string]string{
		"model.b":    `{"dtype":"F32","shape":[3],"data_offsets":[0,12]}`,
		"model.w":    `{"dtype":"F32","shape":[2,3],"data_offsets":[12,36]}`,
		"none":       `{"dtype":"F32","shape":[0,4],"data_offsets":[36,36]}`,
		"optim.step": `{"dtype":"F32","shape":[],"data_offsets":[36,40]}`,
	} {
		if string(fields[name]) != want {
			t.Errorf("%s: %s, want %s", name, fields[name], want)
		}
	}
	for i, want := range []float32{-1, 0.5, 0, 1, 2, 3, 4, 5, 6, 7} {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		file File
		want string
	}{
		{"no name", File{Tensors: []Tensor{{"", nil, []float32{1}}}}, `""`},
		{"reserved name", File{Tensors: []Tensor{{"__metadata__", nil, []float32{1}}}}, "__metadata__"},
		{"same name", File{Tensors: []Tensor{{"a", nil, []float32{1}}, {"a", nil, []float32{1}}}},
			`two tensors are called "a"`},
		{"shape", File{Tensors: []Tensor{{"a", []int{2}, []float32{1}}}}, "shape [2] wants 2 elements, got 1"},
		{"negative", File{Tensors: []Tensor{{"a", []int{-1, -1}, []float32{1}}}}, "negative"},
		{"not UTF-8", File{Meta: map[string]string{"a": "\xff"}}, "UTF-8"},
	} {
		path := filepath.Join(t.TempDir(), "a.ckpt")
		if err := Write(path, &tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file was left", tt.name)
		}
	}
}

// A write that fails keeps the old file and leaves no other.
func TestWriteFails(t *testing.T) {
	full := errors.New("disk full")
	for _, tt := range []struct {
		name string
		fail func(path string) error
	}{
		{"disk full", func(path string) error {
			return replace(path, func(w io.Writer) error {
				if _, err := w.Write(make([]byte, 1000)); err != nil {
					return err
				}
				return full
			})
		}},
		{"read-only folder", func(path string) error {
			if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
				return err
			}
			defer os.Chmod(filepath.Dir(path), 0o755)
			return Write(path, &File{})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.HasPrefix(tt.name, "read-only") && (os.Geteuid() == 0 || runtime.GOOS == "windows") {
				t.Skip("root may write anywhere")
			}
			path := filepath.Join(t.TempDir(), "a.ckpt")
			if err := Write(path, sample()); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			if err := tt.fail(path); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want an error with the path", err)
			}
			after, _ := os.ReadFile(path)
			list, _ := os.ReadDir(filepath.Dir(path))
			if !bytes.Equal(before, after) || len(list) != 1 {
				t.Errorf("the file changed (%v) or something was left: %v", !bytes.Equal(before, after), list)
			}
		})
	}
}

func TestWriteOverFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a.ckpt", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "a.ckpt"), sample()); err == nil {
		t.Error("a folder was overwritten")
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringN(1, 12, 30), 0, 5, rapid.ID).Draw(t, "names")
		in := &File{Meta: rapid.MapOfN(rapid.String(), rapid.String(), 0, 4).Draw(t, "meta")}
		delete(in.Meta, keyFormat)
		for _, name := range names {
			shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(t, "shape")
			n, err := count(shape)
			if err != nil {
				t.Fatal(err)
			}
			data := rapid.SliceOfN(rapid.Float32(), int(n), int(n)).Draw(t, "data")
			in.Tensors = append(in.Tensors, Tensor{name, shape, data})
		}
		path := filepath.Join(dir, "a.ckpt")
		if err := Write(path, in); err != nil {
			t.Fatal(err)
		}
		first, _ := os.ReadFile(path)
		out, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range in.Tensors {
			got, ok := out.Lookup(want.Name)
			if !ok || !slices.Equal(got.Shape, want.Shape) || !slices.EqualFunc(got.Data, want.Data, sameBits) {
				t.Fatalf("%q: got %v, want %v", want.Name, got, want)
			}
		}
		for k, v := range in.Meta {
			if k != keyDigest && out.Meta[k] != v {
				t.Fatalf("metadata %q: got %q, want %q", k, out.Meta[k], v)
			}
		}
		slices.Reverse(in.Tensors) // the order of tensors must not matter
		if err := Write(path, in); err != nil {
			t.Fatal(err)
		}
		if second, _ := os.ReadFile(path); !bytes.Equal(first, second) {
			t.Fatal("the same tensors gave different bytes")
		}
	})
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// An epoch that was not evaluated has a loss and an accuracy of 0 in memory, and in files of earlier versions. Files
// have null.
func TestMetricsThatAreNotKnown(t *testing.T) {
	m := Meta{Config: "x", Metrics: map[string]float64{"train_loss": 2.25, "train_acc": 0, "val_loss": 0, "val_acc": 0}}
	s := m.Strings()
	if want := `{"train_acc":0,"train_loss":2.25,"val_acc":null,"val_loss":null}`; s["attnconv.metrics"] != want {
		t.Errorf("metrics %s, want %s", s["attnconv.metrics"], want)
	}
	for _, text := range []string{s["attnconv.metrics"], `{"train_acc":0,"train_loss":2.25,"val_acc":0,"val_loss":0}`} {
		s["attnconv.metrics"] = text
		got, err := ParseMeta(s)
		if diff := cmp.Diff(map[string]float64{"train_loss": 2.25, "train_acc": 0}, got.Metrics); err != nil ||
			diff != "" {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}
}

func TestMeta(t *testing.T) {
	in := Meta{
		Kind: "mhsa", Config: "model: {}", Step: 1061, Epoch: 2, RNG: "r", Cursor: "c", DataDigest: "d",
		Kernels: "avx2",
		Version: "0.4", Metrics: map[string]float64{"val_acc": 0.5, "loss": math.NaN()},
	}
	out, err := ParseMeta(in.Strings())
	if err != nil {
		t.Fatal(err)
	}
	want := in
	want.Metrics = map[string]float64{"val_acc": 0.5}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	if m, err := ParseMeta(map[string]string{"attnconv.config": "x"}); err != nil || m.Step != 0 {
		t.Errorf("config alone: %v, %v", m, err)
	}
	for key, text := range map[string]string{
		"attnconv.step": "-1", "attnconv.epoch": "x", "attnconv.metrics": "[1]", "attnconv.config": "",
	} {
		s := maps.Clone(in.Strings())
		s[key] = text
		if _, err := ParseMeta(s); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s = %q: %v", key, text, err)
		}
	}
}

// A writer that is killed at any moment leaves a complete file at the path. The test runs itself as the writer.
func TestWriteKilled(t *testing.T) {
	if path := os.Getenv("CKPT_TEST_WRITE"); path != "" {
		for i := 1; ; i++ {
			x := slices.Repeat([]float32{float32(i)}, 200_000)
			if err := Write(path, &File{Tensors: []Tensor{{"x", []int{len(x)}, x}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "a.ckpt")
	for i := range 12 {
		child := exec.Command(os.Args[0], "-test.run=^TestWriteKilled$")
		child.Env = append(os.Environ(), "CKPT_TEST_WRITE="+path)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 500; n++ { // until it has written once
			if _, err := os.Stat(path); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(20+7*i) * time.Millisecond)
		child.Process.Kill()
		child.Wait()
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if x := f.Tensors[0].Data; len(x) != 200_000 || x[0] != x[len(x)-1] {
			t.Fatal("a mixture of two files")
		}
	}
}

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "ckpt")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "small.ckpt")
	err = Write(path, &File{
		Meta:    Meta{Kind: "mhsa", Config: "model: {kind: mhsa}", Step: 10}.Strings(),
		Tensors: []Tensor{{Name: "model.classifier.bias", Shape: []int{2}, Data: []float32{0.5, -0.5}}},
	})
	if err != nil {
		panic(err)
	}
	f, err := Read(path)
	if err != nil {
		panic(err)
	}
	bias, _ := f.Lookup("model.classifier.bias")
	fmt.Println(bias.Shape, bias.Data, f.Meta["attnconv.step"])
	// Output: [2] [0.5 -0.5] 10
}
