package vision_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/analyse/vision"
	"github.com/attnconv/attnconv/internal/npy"
	"github.com/attnconv/attnconv/session/trained"
)

// expected is an entry of testdata/networks.json.
type expected struct {
	Family, Weights, Expect, Logits string
	Heads, Grid, Prefix             []int
	Parameters                      int
	Files                           map[string]json.RawMessage
}

func networks(t *testing.T) map[string]expected {
	text, err := os.ReadFile("testdata/networks.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]expected
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// open reads a file of weights, with the files next to it, and with the number of heads where no file has it.
func open(t *testing.T, e expected) (*vision.Network, error) {
	dir := t.TempDir()
	for name, text := range e.Files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	weights, err := os.ReadFile(filepath.Join("testdata", e.Weights))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, e.Weights)
	if err := os.WriteFile(path, weights, 0o600); err != nil {
		t.Fatal(err)
	}
	heads := 0
	if slices.Contains([]string{"timm", "dinov2", "torchvision", "compact"}, e.Family) {
		heads = e.Heads[0]
	}
	return trained.OpenVision(path, "", heads)
}

func arrays(t *testing.T, path string) map[string]*npy.Values {
	z, err := npy.OpenZip(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string]*npy.Values{}
	for _, m := range z.Members {
		if all[m.Name], err = m.Read(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func imagesOf(v *npy.Values) vision.Images {
	return vision.Images{Count: v.Shape[0], At: func(i int) []float32 {
		x := v.Of(i)
		y := make([]float32, len(x))
		for j := range x {
			y[j] = float32(x[j])
		}
		return y
	}}
}

// differ returns the largest difference of two lists, as a part of the range of the second.
func differ(t *testing.T, got []float32, want []float64) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= worst) {
			worst = d
		}
	}
	return worst / (slices.Max(want) - slices.Min(want))
}

// TestPyTorchsNumbers compares logits, attention, and what it adds, with PyTorch's of modules written by somebody else.
func TestPyTorchsNumbers(t *testing.T) {
	for name, e := range networks(t) {
		t.Run(name, func(t *testing.T) {
			n, err := open(t, e)
			if slices.Contains([]string{"timm_clip", "timm_clip_quickgelu", "hf_vit_tanh"}, name) { // their activation
				if err == nil {
					t.Error("not refused")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := arrays(t, filepath.Join("testdata", e.Expect))
			logits, err := n.Run(context.Background(), imagesOf(want["images"]), func(layer, image int,
				s vision.Seen) error {
				l := n.Layers()[layer]
				if l.Heads != e.Heads[layer] || l.Windows == "" && l.Grid.Rows != e.Grid[layer] ||
					s.Others != e.Prefix[layer] {
					t.Fatalf("layer %d: %+v with %d other tokens", layer, l, s.Others)
				}
				if e.Logits != "logits" ||
					l.Windows != "" { // the file has attention of another reading, or of the whole grid
					return nil
				}
				at := fmt.Sprintf("layer%d.", layer)
				if d := differ(t, s.Attention, want[at+"attention"].Of(image)); !(d < 1e-5) {
					t.Errorf("image %d: attention of layer %d differs by %.1e of its range", image, layer, d)
				}
				if d := differ(t, s.Output[s.Others*l.Channels:], want[at+"y"].Of(image)); !(d < 1e-5) {
					t.Errorf("image %d: what attention of layer %d adds differs by %.1e of its range", image, layer, d)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range logits {
				d := differ(t, logits[i], want[e.Logits].Of(i))
				if name == "timm_vit_eps1e-05" { // no file says so
					if d < 1e-4 {
						t.Errorf("image %d: eps changes logits by only %.1e of their range", i, d)
					}
				} else if !(d < 1e-5) {
					t.Errorf("image %d: logits differ by %.1e of their range", i, d)
				}
			}
		})
	}
}

// TestDINOv2WithoutConfiguration has the eps of its class, which is not that of ViT.
func TestDINOv2WithoutConfiguration(t *testing.T) {
	e := networks(t)["hf_dinov2"]
	n, err := vision.New(tensorsOf(t, "hf_dinov2"), vision.Options{Heads: e.Heads[0]})
	if err != nil {
		t.Fatal(err)
	}
	want := arrays(t, filepath.Join("testdata", e.Expect))
	logits, err := n.Run(context.Background(), imagesOf(want["images"]), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := differ(t, logits[0], want["logits"].Of(0)); !(d < 1e-5) {
		t.Errorf("logits differ by %.1e of their range", d)
	}
}
