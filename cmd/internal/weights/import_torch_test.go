package weights_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/weights"
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

func torchLogits(t *testing.T) (logits map[string][][]float64) {
	t.Helper()
	b, err := os.ReadFile(torchFiles + "logits.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &logits); err != nil {
		t.Fatal(err)
	}
	return logits
}

// checkLogits compares what a checkpoint says about two images with logits of PyTorch.
func checkLogits(t *testing.T, file, images string, want [][]float64, most float64) {
	t.Helper()
	code, out, log := clitest.Run("predict", file, "--array", images, "--json", "--data-dir", t.TempDir())
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, log)
	}
	var got struct{ Predictions []struct{ Logits []float32 } }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Predictions) != 2 {
		t.Fatalf("%v: %s", err, out)
	}
	for i, p := range got.Predictions {
		for j, x := range p.Logits {
			if d := math.Abs(float64(x) - want[i][j]); !(d < most) {
				t.Errorf("image %d, class %d: %v, PyTorch says %v", i, j, x, want[i][j])
			}
		}
	}
}

// Networks imported from PyTorch files have the logits that PyTorch computes in float64.
func TestNetworksOfPyTorchComputeTheSame(t *testing.T) {
	images, want := torchImages(t), torchLogits(t)
	for file, name := range map[string]string{
		"quadratic.checkpoint": "quadratic", "quadratic.legacy": "quadratic", "tuple.pth": "tuple.pth", "qr.pt": "qr",
		"vector.pt": "vector",
	} {
		t.Run(file, func(t *testing.T) {
			as := filepath.Join(t.TempDir(), "x.ckpt")
			if code, _, log := clitest.Run("import", torchFiles+file, "--data", "cifar10", "-o", as); code != 0 {
				t.Fatalf("exit code %d: %s", code, log)
			}
			checkLogits(t, as, images, want[name], 3e-6)
		})
	}
}

// resnet20 writes the weights of internal/torch/testdata/torch_files.py's resnet20 as safetensors. Names of the plain
// network become those that rename says.
func resnet20(t *testing.T, projected bool, rename *strings.Replacer, prefix string) string {
	t.Helper()
	shapes := map[string][]int{"conv1.weight": {16, 3, 3, 3}, "fc.weight": {10, 64}, "fc.bias": {10}}
	norm := func(name string, channels int) {
		for _, part := range []string{"weight", "bias", "running_mean", "running_var"} {
			shapes[name+"."+part] = []int{channels}
		}
	}
	norm("bn1", 16)
	for stage := range 3 {
		in, out := 8<<stage, 16<<stage
		if stage == 0 {
			in = out
		}
		for block := range 3 {
			at := fmt.Sprintf("layer%d.%d.", stage+1, block)
			shapes[at+"conv1.weight"], shapes[at+"conv2.weight"] = []int{out, in, 3, 3}, []int{out, out, 3, 3}
			norm(at+"bn1", out)
			norm(at+"bn2", out)
			if projected && in != out {
				shapes[at+"downsample.0.weight"] = []int{out, in, 1, 1}
				norm(at+"downsample.1", out)
			}
			in = out
		}
	}
	f := &ckpt.File{}
	for k, name := range slices.Sorted(maps.Keys(shapes)) {
		x := ckpt.Tensor{Name: prefix + rename.Replace(name), Shape: shapes[name]}
		n, fan := 1, 1
		for i, d := range x.Shape {
			n *= d
			if i > 0 {
				fan *= d
			}
		}
		for i := range n {
			u := float64((i*7919+k*104729)%257-128) / 128
			switch {
			case len(x.Shape) > 1:
				u /= float64(int(1) << (int(math.Log2(float64(fan))) / 2))
			case strings.HasSuffix(name, "running_var"):
				u = 1 + math.Abs(u)/2
			case strings.HasSuffix(name, "weight"):
				u = 1 + u/4
			default:
				u /= 4
			}
			x.Data = append(x.Data, float32(u))
		}
		f.Tensors = append(f.Tensors, x)
	}
	path := filepath.Join(t.TempDir(), "resnet20.safetensors")
	if err := ckpt.Write(path, f); err != nil {
		t.Fatal(err)
	}
	return path
}

// ResNet20 with shortcuts of zeros, under the names of akamaster's pytorch_resnet_cifar10, and with convolutions, under
// those of chenyaofo's pytorch-cifar-models and of kuangliu's pytorch-cifar, has the logits of PyTorch.
func TestResNet20OfPyTorch(t *testing.T) {
	images, want := torchImages(t), torchLogits(t)
	for name, tt := range map[string]struct {
		projected bool
		rename    *strings.Replacer
		prefix    string
		params    string
		logits    string
	}{
		"akamaster": {false, strings.NewReplacer("fc.", "linear."), "module.", "269,722 parameters", "resnet20 zeros"},
		"chenyaofo": {true, strings.NewReplacer(), "", "272,474 parameters", "resnet20 conv"},
		"kuangliu": {true, strings.NewReplacer("fc.", "linear.", "downsample.", "shortcut."), "net.module.",
			"272,474 parameters", "resnet20 conv"},
	} {
		as := filepath.Join(t.TempDir(), "x.ckpt")
		file := resnet20(t, tt.projected, tt.rename, tt.prefix)
		code, out, log := clitest.Run("import", file, "--data", "cifar10", "-o", as)
		if code != 0 || !strings.Contains(out, "resnet20   "+tt.params) {
			t.Fatalf("%s: exit code %d, want %s: %s%s", name, code, tt.params, out, log)
		}
		checkLogits(t, as, images, want[tt.logits], 1e-5)
	}
}

// import says which weights it took and why, what it left, and how it reads pixels; --weights takes others.
func TestImportSaysWhatItTook(t *testing.T) {
	as := filepath.Join(t.TempDir(), "x.ckpt")
	file := torchFiles + "trainer.pt"
	code, _, log := clitest.Run("import", file, "--data", "cifar10", "-o", as)
	for _, want := range []string{
		"took   ema: averaged weights are the ones that programs evaluate\n",
		"left   1 set of weights (state_dict): another one was taken; --weights state_dict takes it\n",
		"left   30 objects: not weights\n", "left   6 tensors: not weights\n",
		"mean 0.4914 0.4822 0.4465, std 0.2023 0.1994 0.201; if ",
	} {
		if code != 0 || !strings.Contains(log, want) {
			t.Errorf("exit code %d, want %q in:\n%s", code, want, log)
		}
	}
	code, out, log := clitest.Run("import", file, "--data", "cifar10", "-o", as, "--force", "--weights", "state_dict",
		"--json")
	var got weights.Import
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, log)
	}
	if got.Weights != "state_dict" || got.Inventory.Taken != 32 || got.Inventory.Left[0].Names[0] != "ema" ||
		!slices.Contains(got.LeftOut, "args") || got.Mean[0] != 0.4914 {
		t.Errorf("%s", out)
	}
	code, _, log = clitest.Run("import", file, "--data", "cifar10", "-o", as, "--force",
		"--set", "data.mean=[0.5,0.4,0.5]", "--set", "data.std=[0.25,0.25,0.25]")
	want := "pixels read as (byte/255 - mean)/std, mean 0.5 0.4 0.5, std 0.25\n"
	if code != 0 || !strings.Contains(log, want) {
		t.Errorf("exit code %d, want %q:\n%s", code, want, log)
	}
	code, _, log = clitest.Run("import", file, "--data", "cifar10", "-o", as, "--force", "--weights", "state_dcit")
	if want := "--weights \"state_dcit\": not one of ema, state_dict\n  did you mean \"state_dict\"?"; code != fault.Usage ||
		!strings.Contains(log, want) {
		t.Errorf("exit code %d, want %q:\n%s", code, want, log)
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
