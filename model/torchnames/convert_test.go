package torchnames

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
)

// spare is a residual network for the images of s; what it has no use for has its default.
func spare(s model.Spec, kind string, width int) model.Spec {
	d := model.Default()
	d.Kind, d.Width, d.Image, d.Classes, d.Dropout, d.AttentionDropout = kind, width, s.Image, s.Classes, s.Dropout,
		s.AttentionDropout
	return d
}

func small() model.Spec {
	s := model.Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image, s.Classes = model.Equal(2), model.Ints{3}, 8, 12, [3]int{8, 12, 3}, 5
	return s
}

// Weights that went out under PyTorch's names come back, with the network's sizes found from their shapes.
func TestExportAndBack(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *model.Spec)
	}{
		{"quadratic", func(*model.Spec) {}},
		{"quadratic-general, other heads in each layer", func(s *model.Spec) {
			s.Encoding, s.Heads = "quadratic-general", model.Ints{3, 2}
		}},
		{"learned", func(s *model.Spec) { s.Encoding, s.MaxPosition = "learned", 7 }},
		{"content", func(s *model.Spec) { s.Encoding = "content" }},
		// heads as by default
		{"content-only", func(s *model.Spec) { s.Encoding, s.Dim, s.Heads = "content-only", 18, model.Ints{9} }},
		{"relative", func(s *model.Spec) { s.Encoding, s.HeadDim = "relative", 4 }},
		{"relative, a head's own vectors", func(s *model.Spec) {
			s.Encoding, s.Terms = "relative",
				[]string{"uk", "vr"}
		}},
		{"relative, own values", func(s *model.Spec) { // heads as by default
			s.Encoding, s.Value, s.Dim, s.Heads = "relative", "factored", 18, model.Ints{9}
		}},
		{"content, short queries", func(s *model.Spec) { s.Encoding, s.HeadDim = "content", 4 }},
		{"content, own values", func(s *model.Spec) { s.Encoding, s.Value, s.HeadDim = "content", "factored", 4 }},
		{"content-only, values of all heads", func(s *model.Spec) { s.Encoding, s.Value = "content-only", "combined" }},
		{"quadratic, own values", func(s *model.Spec) { s.Value, s.HeadDim = "factored", 4 }},
		{"quadratic, one head", func(s *model.Spec) { s.Heads = model.Ints{1} }},
		{"learned, absolute positions too", func(s *model.Spec) { s.Encoding, s.Absolute = "learned", "learned" }},
		{"conv-twin", func(s *model.Spec) { s.Kind, s.Heads = "conv-twin", model.Ints{9, 4} }},
		{"blocks of several kinds", func(s *model.Spec) {
			s.Encoding, s.Heads = "learned", model.Ints{9, 9, 3, 2}
			s.Layers = model.Layers{{Kind: "conv", Repeat: 2}, {Repeat: 1},
				{Repeat: 1, Own: map[string]any{"encoding": "content", "ffn": 7, "head_dim": 4}}}
		}},
		{"resnet10", func(s *model.Spec) { *s = spare(*s, "resnet10", 4) }},
		{"resnet18", func(s *model.Spec) { *s = spare(*s, "resnet18", 8) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := small()
			tt.change(&s)
			n, err := model.New(s, 3)
			if err != nil {
				t.Fatal(err)
			}
			out := Export(n)
			if strings.HasPrefix(out[0].Name, "model.") || !strings.HasPrefix(n.Tensors()[0].Name, "model.") {
				t.Errorf("exported as %s", out[0].Name)
			}
			for i := range out { // as a module wrapped for several devices has them
				out[i].Name = "module." + out[i].Name
			}
			mask := ckpt.Tensor{Name: "module.attention_mask", Shape: []int{1}, Data: []float32{1}}
			f := ckpt.File{Tensors: append(out, mask),
				Skipped: []ckpt.Info{{Name: "module.bn1.num_batches_tracked", Type: "I64"}}}
			set, err := Choose(names(f), "")
			if err != nil {
				t.Fatal(err)
			}
			weights, v := Adopt(&f, set)
			constants := []string{"module.attention_mask", "module.bn1.num_batches_tracked"}
			want := []data.Rest{{What: "tensor", Why: "constant, not learned", Names: constants, Usual: true}}
			if !cmp.Equal(v.Left, want) || v.Taken != len(out) {
				t.Errorf("took %d of %d, left %v, want %v", v.Taken, len(out), v.Left, want)
			}
			base := model.Default()
			base.Image, base.Dropout, base.AttentionDropout = s.Image, s.Dropout, s.AttentionDropout
			got, err := model.Infer(weights, base)
			if diff := cmp.Diff(s, got); diff != "" || err != nil {
				t.Fatalf("%v %s", err, diff)
			}
			back, err := model.New(got, 0)
			if err != nil {
				t.Fatal(err)
			}
			if bad := ckpt.Compare(back.Tensors(), weights); bad != nil {
				t.Fatal(bad)
			}
			if err := back.SetWeights(&ckpt.File{Tensors: weights}); err != nil {
				t.Fatal(err)
			}
			for i, p := range n.Params {
				if !slices.Equal(p.Data, back.Params[i].Data) {
					t.Errorf("%s changed on its way", p.Name)
				}
			}
		})
	}
}

// Names of residual networks in other repositories become torchvision's.
func TestAliases(t *testing.T) {
	var f ckpt.File
	for _, name := range []string{"layer2.0.shortcut.0.weight", "linear.bias", "fc.weight",
		"layer1.1.bn2.num_batches_tracked", "optim.momentum.fc.weight", "_orig_mod.module.conv1.weight"} {
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: name})
	}
	weights, v := Adopt(&f, nil)
	var got []string
	for _, w := range weights {
		got = append(got, w.Name)
	}
	want := []string{"model.layer2.0.downsample.0.weight", "model.fc.bias", "model.fc.weight", "model.conv1.weight"}
	if !slices.Equal(got, want) || len(v.Left) != 2 {
		t.Errorf("names %v, want %v; left out %v", got, want, v.Left)
	}
}

// Any file of tensors gives a spec or an error, never a panic; and a spec that Validate takes can be built.
func FuzzInfer(f *testing.F) {
	f.Add("features_upscale.weight 8 12\nclassifier.weight 5 8\nencoder.layer.0.attention.self.value.weight 8 24")
	f.Add("conv1.weight 4 3 3 3\nfc.weight 10 4")
	f.Add("features_upscale.weight")
	f.Fuzz(func(t *testing.T, text string) {
		var file ckpt.File
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			tensor := ckpt.Tensor{Name: words[0]}
			for _, w := range words[1:] {
				tensor.Shape = append(tensor.Shape, len(w))
			}
			file.Tensors = append(file.Tensors, tensor)
		}
		set, err := Choose(names(file), "")
		if err != nil {
			return
		}
		weights, _ := Adopt(&file, set)
		if s, err := model.Infer(weights, model.Default()); err == nil && s.Validate() == nil && s.Params() < 1e6 {
			if _, err := model.New(s, 0); err != nil {
				t.Error(err)
			}
		}
	})
}
