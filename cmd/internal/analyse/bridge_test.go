package analyse

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/session/trained"
)

// python runs files of Python in a folder with the bridge and the models of its tests. It skips the test if there is no
// PyTorch.
func python(t *testing.T) (run func(args ...string) (stdout, stderr string, err error), dir string) {
	t.Helper()
	path := "/usr/bin/python3" // Debian's, which has python3-torch
	if err := exec.Command(path, "-c", "import numpy, torch").Run(); err != nil {
		t.Skip("no Python with PyTorch and NumPy: on Debian, apt-get install python3-torch")
	}
	dir = t.TempDir()
	copied(t, "bridge.py", filepath.Join(dir, "bridge.py"))
	copied(t, "testdata/bridge/models.py", filepath.Join(dir, "models.py"))
	return func(args ...string) (string, string, error) {
		var stdout, stderr strings.Builder
		cmd := exec.Command(path, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
		err := cmd.Run()
		return stdout.String(), stderr.String(), err
	}, dir
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// What the bridge writes of models measures the same as their weights do directly, in dense operators of float64:
// LayerScale, class token and registers included.
func TestBridge(t *testing.T) {
	run, dir := python(t)
	names := []string{"vit", "facebook", "normed", "torchvision", "hf", "post", "gpsa"}
	var all map[string][]struct {
		Shares                       []float64
		Elsewhere, Content, Unbiased float64
	}
	if out, errs, err := run(append([]string{"models.py"}, names...)...); err != nil ||
		json.Unmarshal([]byte(out), &all) != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	for _, name := range names {
		out, errs, err := run("bridge.py", "models:"+name, "-o", name+".npz", "--size", "16", "16", "--images", "12")
		if err != nil || !strings.Contains(out, "2 layers of attention: 4 heads on 4 × 4 tokens and ") ||
			!strings.Contains(out, "12 images of noise, 0 untrained models\n") {
			t.Fatalf("%s: %v\n%s%s", name, err, out, errs)
		}
		d, err := network.Arrays(context.Background(), filepath.Join(dir, name+".npz"), network.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := all[name]
		if len(want) != len(d.Layers) {
			t.Fatalf("%s: %d layers, want %d", name, len(d.Layers), len(want))
		}
		for i, l := range d.Layers {
			got := append(l.Shares.List(), l.Content.Parts.Sample.Content, float64(l.Content.Share.Value))
			if l.Elsewhere != nil {
				got = append(got, float64(l.Elsewhere.Value))
			} else {
				got = append(got, 0)
			}
			for j, v := range append(want[i].Shares, want[i].Content, want[i].Unbiased, want[i].Elsewhere) {
				if !(math.Abs(got[j]-v) < 1e-6) {
					t.Errorf("%s: layer %d: value %d is %g, directly %g", name, i+1, j, got[j], v)
				}
			}
			if l.Canonical != (name != "post" || i > 0) || !strings.HasPrefix(l.Path, "blocks.") {
				t.Errorf("%s: layer %d: canonical %t, %s", name, i+1, l.Canonical, l.Path)
			}
		}
	}
}

// The bridge and the reader of weights say the same of the networks of other families, which are in the tests of the
// reader.
func TestBridgeAgreesWithTheReader(t *testing.T) {
	run, dir := python(t)
	reader := "../../../analyse/vision/testdata/"
	copied(t, reader+"families.py", filepath.Join(dir, "families.py"))
	copied(t, "testdata/bridge/family.py", filepath.Join(dir, "family.py"))
	if _, errs, err := run("family.py", "images"); err != nil {
		t.Fatal(errs)
	}
	noise, err := os.ReadFile(filepath.Join(dir, "images"))
	if err != nil {
		t.Fatal(err)
	}
	images := vision.Images{Count: 8, At: func(i int) []float32 {
		x := make([]float32, 3*16*16)
		for j := range x {
			x[j] = math.Float32frombits(binary.LittleEndian.Uint32(noise[4*(i*len(x)+j):]))
		}
		return x
	}}
	var all map[string]struct {
		Heads []int
		Files map[string]json.RawMessage
	}
	if b, err := os.ReadFile(reader + "networks.json"); err != nil || json.Unmarshal(b, &all) != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"timm_reg4", "timm_fc_norm", "deit3", "deit_distilled", "torchvision", "hf_dinov2",
		"cct"} {
		copied(t, reader+name+".pth", filepath.Join(dir, name+".pth"))
		os.Remove(filepath.Join(dir, "config.json"))
		os.Remove(filepath.Join(dir, "preprocessor_config.json"))
		for file, text := range all[name].Files {
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, errs, err := run("bridge.py", "family:"+name, "--size", "16", "16", "--images", "8"); err != nil {
			t.Errorf("%s: %s", name, errs)
			continue
		}
		d, err := network.Arrays(context.Background(), filepath.Join(dir, "layers.npz"), network.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		net, err := trained.OpenVision(filepath.Join(dir, name+".pth"), "", all[name].Heads[0])
		if err != nil {
			t.Fatal(err)
		}
		want, err := network.Vision(context.Background(), network.Subject{Name: name}, net, images, network.Options{})
		if err != nil || len(want.Layers) != len(d.Layers) {
			t.Fatalf("%s: %d layers, want %d: %v", name, len(d.Layers), len(want.Layers), err)
		}
		for i, w := range want.Layers {
			l := d.Layers[i]
			got, wants := l.Shares.List(), w.Shares.List()
			got, wants = append(got, float64(l.Content.Share.Value)), append(wants, float64(w.Content.Share.Value))
			if (l.Elsewhere == nil) != (w.Elsewhere == nil) {
				t.Fatalf("%s: layer %d: elsewhere %v, the reader has %v", name, i+1, l.Elsewhere, w.Elsewhere)
			} else if l.Elsewhere != nil {
				got, wants = append(got, float64(l.Elsewhere.Value)), append(wants, float64(w.Elsewhere.Value))
			}
			for j, v := range wants {
				if !(math.Abs(got[j]-v) < 1e-5) {
					t.Errorf("%s: layer %d: value %d is %g, the reader has %g", name, i+1, j, got[j], v)
				}
			}
		}
	}
}

// Untrained models are a baseline, and pictures are read.
func TestBridgeWithPicturesAndUntrainedModels(t *testing.T) {
	run, dir := python(t)
	if _, _, err := run("-c", "import PIL"); err != nil {
		t.Skip("no Pillow")
	}
	if _, errs, err := run("-c", "from PIL import Image\nfor i in range(5): "+
		"Image.effect_noise((40, 30 + i), 50).save(f'{i}.png')"); err != nil {
		t.Fatal(errs)
	}
	out, errs, err := run("bridge.py", "models:vit", ".", "--size", "16", "16", "--images", "4", "--untrained",
		"models:untrained", "--seeds", "3")
	if err != nil || !strings.Contains(out, "4 pictures, 3 untrained models\n") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	d, err := network.Arrays(context.Background(), filepath.Join(dir, "layers.npz"), network.Options{Kernel: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range d.Layers {
		if l.Null == nil || l.Null.Draws != 3 || l.Content.Share.Untrained == nil || l.Elsewhere.Untrained == nil ||
			!l.Size.Known() {
			t.Errorf("layer %d: null %+v, size %v", l.Layer, l.Null, l.Size)
		}
	}
}

// A layer that is not a sum over heads of P x W is refused, and so is a LayerScale that is not known: an almost right
// number is worse than none. Nothing is left behind.
func TestBridgeRefuses(t *testing.T) {
	run, dir := python(t)
	for name, want := range map[string]string{
		"gated":   "blocks.0.attn: the sum over heads of P x W differs from the layer's result by ",
		"window":  "blocks.0.attn: the sum over heads of P x W differs from the layer's result by ",
		"unknown": "blocks.0.attn: what its block adds to the tokens is not its result",
		"Self":    "no attention layer was found",
	} {
		source := "models:" + name
		if name == "Self" {
			source = "torch.nn:Identity"
		}
		_, errs, err := run("bridge.py", source, "--size", "16", "16", "--images", "2")
		if err == nil || !strings.HasPrefix(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %v\n%s", name, err, errs)
		}
	}
	copied(t, "../../../analyse/vision/testdata/families.py", filepath.Join(dir, "families.py"))
	out, errs, err := run("bridge.py", "families:ConViT", "--size", "16", "16", "-o",
		filepath.Join(t.TempDir(), "a.npz"))
	if err != nil || !strings.Contains(out, "left out, because they are not known: blocks.0.attn, blocks.1.attn\n") {
		t.Errorf("some layers are not known: %v\n%s%s", err, out, errs)
	}
	for _, args := range [][]string{{"models:vit", "--images", "1"}, {"models:vit", "--grid", "5", "5", "--size", "16",
		"16"}, {"models:vit", dir}} {
		_, errs, err := run(append([]string{"bridge.py"}, args...)...)
		if err == nil || strings.Contains(errs, "Traceback") {
			t.Errorf("%q: %v\n%s", args, err, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.npz*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
