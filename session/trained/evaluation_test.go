package trained_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/run"
	"github.com/attnconv/attnconv/session"
	"github.com/attnconv/attnconv/session/trained"
)

// shortRun returns the network of a short run, and its data with few test images.
func shortRun(t *testing.T) (*trained.Model, *data.Set) {
	o := tiny(t, "data.val_size=50", "train.epochs=1")
	if _, err := session.Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	m, err := trained.Open(filepath.Join(o.Root, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	set := *shapes()
	set.Test.Pixels, set.Test.Labels = set.Test.Pixels[:100*set.Test.Size()], set.Test.Labels[:100]
	return m, &set
}

// Images and the values that they are normalized to have the same predictions, and maps are titled with them.
func TestPredict(t *testing.T) {
	m, set := shortRun(t)
	images := set.Test
	images.Pixels, images.Labels = images.Pixels[:3*images.Size()], images.Labels[:3]
	o := trained.PredictOptions{Top: 2}
	p, err := m.Predict(t.Context(), images, []string{"a/x.png", "y", "z"}, o)
	if err != nil || len(p) != 3 || p[1].Image != "y" || len(p[0].Classes) != 2 || len(p[0].Logits) != 10 ||
		p[0].Classes[0].P < p[0].Classes[1].P {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := m.Predict(t.Context(), images, nil, o); err == nil {
		t.Error("images without names are taken")
	}
	if _, err := m.Predict(t.Context(), images, []string{"x", "y", "z"},
		trained.PredictOptions{Classes: []string{"cat"}}); err == nil {
		t.Error("one name for ten classes is taken")
	}
	inputs, err := images.Inputs(3)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.npy")
	writeArray(t, path, inputs, "(3, 3, 32, 32)")
	values, err := m.PredictArray(t.Context(), path, o)
	if err != nil || len(values) != 3 {
		t.Fatal(values, err)
	}
	for i := range values {
		if values[i].Classes[0] != p[i].Classes[0] || values[i].Image != fmt.Sprintf("%s[%d]", path, i) {
			t.Errorf("image %d: %+v, want %+v", i, values[i].Classes, p[i].Classes)
		}
	}
	writeArray(t, path, inputs, "(9, 32, 32)")
	wrong, none := (*option.Error)(nil), (*run.NotFoundError)(nil)
	if _, err := m.PredictArray(t.Context(), path, o); !errors.As(err, &wrong) || wrong.Key != "array" {
		t.Errorf("another shape: %v", err)
	}
	if _, err := m.PredictArray(t.Context(), path+".gone", o); !errors.As(err, &none) {
		t.Errorf("no file: %v", err)
	}
}

// writeArray writes images of 32 × 32, channels last, as a NumPy file with channels first.
func writeArray(t *testing.T, path string, images [][]float32, shape string) {
	head := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	b = append(b, head...)
	for _, x := range images {
		for ch := range 3 {
			for p := range 32 * 32 {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x[3*p+ch]))
			}
		}
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
