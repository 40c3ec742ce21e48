package predict_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/train"
)

// The values of an array reach the network unchanged, and its logits come back unrounded, also those of a second,
// smaller batch.
func TestPredictArray(t *testing.T) {
	const n, pixels = 103, 32 * 32
	config := configs.Default()
	config.Data.Name = "shapes32"
	m := &config.Model
	m.Layers, m.Dim, m.FFN, m.Pool, m.Heads = model.Equal(1), 8, 8, 8, model.Ints{2}
	net, err := model.New(config.Model, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	meta := ckpt.Meta{Kind: "mhsa", Config: string(config.YAML())}
	checkpoint := filepath.Join(dir, "x.ckpt")
	if err := ckpt.Write(checkpoint, &ckpt.File{Meta: meta.Strings(), Tensors: net.Tensors()}); err != nil {
		t.Fatal(err)
	}
	first, last := make([]float32, n*3*pixels), make([]float32, n*3*pixels) // channels
	for i := range n {
		for ch := range 3 {
			for p := range pixels {
				v := float32(math.Sin(float64(i + 7*ch + 3*p)))
				first[(i*3+ch)*pixels+p], last[(i*pixels+p)*3+ch] = v, v
			}
		}
	}
	array := filepath.Join(dir, "x.npy")
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3, 32, 32), }\n", n)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	for b = append(b, head...); len(first) > 0; first = first[1:] {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(first[0]))
	}
	if err := os.WriteFile(array, b, 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, errs := clitest.Run("predict", checkpoint, "--array", array, "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var d struct{ Predictions []struct{ Logits []float32 } }
	if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.Predictions) != n {
		t.Fatalf("%d predictions, %v", len(d.Predictions), err)
	}
	e, err := train.NewEvaluator(net, train.Shape{n, 32, 32, 3}, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	want, err := e.Logits(&data.Batch{X: last, Labels: make([]int32, n), N: n})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range d.Predictions {
		for k, got := range p.Logits {
			if diff := math.Abs(float64(got - want[i*10+k])); diff > 1e-6 {
				t.Fatalf("image %d, class %d: logit %v, want %v", i, k, got, want[i*10+k])
			}
		}
	}
}
