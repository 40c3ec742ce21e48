package weights_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/session/trained"
)

// The module of docs/tutorial-pytorch.md reads what convert and export write, and has the logits of predict.
func TestModuleOfThePageReadsConvertedWeights(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import numpy, torch").Run(); err != nil {
		t.Skip("no PyTorch: ", err)
	}
	page, err := os.ReadFile("../../../docs/tutorial-pytorch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```python\n# converted.py\n")
	program, _, found := strings.Cut(program, "```")
	if !found {
		t.Fatal("the page has no converted.py")
	}
	r := configs.Default()
	r.Model.Kind, r.Model.Width, r.Model.Classes = "resnet10", 4, 10
	r.Data.Name = "cifar10" // which is not there: nothing is compared with Go
	net, err := model.New(r.Model, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range net.Params { // no norm leaves anything as it is
		for i := range p.Data {
			if len(p.Shape) == 1 {
				p.Data[i] += float32(i%3) / 8
			}
		}
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := trained.Save(in("net.ckpt"), net, r); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		code, out, log := clitest.Run(args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, log)
		}
		return out
	}
	run("convert", in("net.ckpt"), "--alpha", "0.5", "-o", in("heads.ckpt"), "--data-dir", in("none"))
	run("export", in("heads.ckpt"), "-o", in("heads.safetensors"))
	cmd := exec.Command(python, "-c", program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Count(out, []byte("class ")) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct{ Predictions []struct{ Logits []float32 } }
	out := run("predict", in("heads.ckpt"), "--array", in("images.npy"), "--json", "--data-dir", in("none"))
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Predictions) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	want, err := os.ReadFile(in("logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	want = want[len(want)-4*2*10:]
	for i, p := range got.Predictions {
		for j, x := range p.Logits {
			y := math.Float32frombits(binary.LittleEndian.Uint32(want[4*(10*i+j):]))
			if d := math.Abs(float64(x - y)); !(d < 1e-4) {
				t.Errorf("image %d, class %d: %v, PyTorch says %v", i, j, x, y)
			}
		}
	}
}
