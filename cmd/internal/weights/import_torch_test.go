package weights_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model/ckpt"
)

const torchFiles = "../../../internal/torch/testdata/"

// torchImages writes the two images of internal/torch/testdata/torch_files.py as numpy.save does.
func torchImages(t *testing.T) string {
	t.Helper()
	head := fmt.Sprintf("%-117s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 32, 32), }")
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	b = append(b, head...)
	for n := range 2 * 3 * 32 * 32 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(n*7919%257-128)/64))
	}
	path := filepath.Join(t.TempDir(), "images.npy")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Networks imported from PyTorch files have the logits that PyTorch computes in float64.
func TestNetworksOfPyTorchComputeTheSame(t *testing.T) {
	images := torchImages(t)
	b, err := os.ReadFile(torchFiles + "logits.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][][]float64
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	for file, name := range map[string]string{
		"quadratic.checkpoint": "quadratic", "quadratic.legacy": "quadratic", "tuple.pth": "tuple.pth", "qr.pt": "qr",
		"vector.pt": "vector",
	} {
		t.Run(file, func(t *testing.T) {
			as := filepath.Join(t.TempDir(), "x.ckpt")
			if code, _, log := clitest.Run("import", torchFiles+file, "--data", "cifar10", "-o", as); code != 0 {
				t.Fatalf("exit code %d: %s", code, log)
			}
			code, out, log := clitest.Run("predict", as, "--array", images, "--json", "--data-dir", t.TempDir())
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, log)
			}
			var got struct{ Predictions []struct{ Logits []float32 } }
			if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Predictions) != 2 {
				t.Fatalf("%v: %s", err, out)
			}
			for i, p := range got.Predictions {
				for j, x := range p.Logits {
					if d := math.Abs(float64(x) - want[name][i][j]); !(d < 3e-6) {
						t.Errorf("image %d, class %d: %v, PyTorch says %v", i, j, x, want[name][i][j])
					}
				}
			}
		})
	}
}

// import asks for what the weights do not determine, and suggests corrections of wrong metadata.
func TestImportAsksAndNames(t *testing.T) {
	dir := t.TempDir()
	withConfig := func(name, config string) string {
		path := filepath.Join(dir, name)
		f := &ckpt.File{Meta: map[string]string{"attnconv.config": config},
			Tensors: []ckpt.Tensor{{Name: "model.w", Shape: []int{1}, Data: []float32{1}}}}
		if err := ckpt.Write(path, f); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, kind := withConfig("key.ckpt", "model: {encodign: quadratic}\n"),
		withConfig("kind.ckpt", "model: {kind: resnet81}\n")
	section := withConfig("section.ckpt", "modle: {kind: mhsa}\n")
	for name, tt := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"image size": {[]string{"import", torchFiles + "qr.pt"}, fault.Usage,
			[]string{"do not determine the image size", "--data NAME", "--set model.image=[32,32,3]"}},
		"image size of another": {[]string{"import", torchFiles + "qr.pt", "--set", "model.image=[28,28,1]"},
			fault.Corrupt, []string{"features_upscale.weight"}},
		"key": {[]string{"import", key}, fault.Corrupt,
			[]string{`unknown key "model.encodign"`, `did you mean "model.encoding"?`}},
		"kind": {[]string{"import", kind}, fault.Corrupt,
			[]string{`"resnet81": not one of`, `did you mean "resnet18"?`}},
		"section": {[]string{"import", section}, fault.Corrupt, []string{`unknown key "modle"`}},
		"key of eval": {[]string{"inspect", key}, fault.Corrupt,
			[]string{`unknown key "model.encodign"`, `did you mean "model.encoding"?`}},
		"kind of eval": {[]string{"inspect", kind}, fault.Missing,
			[]string{`model.kind "resnet81", a registered kind`, `did you mean "resnet18"?`}},
	} {
		t.Run(name, func(t *testing.T) {
			args := tt.args
			if args[0] == "import" {
				args = append(args, "-o", filepath.Join(t.TempDir(), "x.ckpt"))
			}
			code, _, log := clitest.Run(args...)
			for _, want := range tt.want {
				if code != tt.code || !strings.Contains(log, want) {
					t.Errorf("exit code %d, want %d and %q:\n%s", code, tt.code, want, log)
				}
			}
		})
	}
}
