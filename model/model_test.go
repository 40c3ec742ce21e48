package model

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
)

// The totals of the paper's models, which their authors print as 12.1 M, 12.3 M and 29.5 M; 16 heads are in the
// appendix.
func TestParameterCounts(t *testing.T) {
	spec := func(change func(*Spec)) Spec {
		s := Default()
		change(&s)
		return s
	}
	for _, tt := range []struct {
		name string
		spec Spec
		want int
	}{
		{"quadratic", Default(), 12_086_844},
		{"quadratic-general", spec(func(s *Spec) { s.Encoding = "quadratic-general" }), 12_087_006},
		{"quadratic, 16 heads", spec(func(s *Spec) { s.Heads = Ints{16} }), 18_806_970},
		{"general, 15 heads pruned", spec(func(s *Spec) { // 2, 4, 1, 2, 6 and 0 of 9, as in the appendix
			s.Encoding, s.Heads = "quadratic-general", Ints{7, 5, 8, 7, 3, 9}
		}), 9_686_916},
		{"learned", spec(func(s *Spec) { s.Encoding = "learned" }), 12_278_682},
		{"content", spec(func(s *Spec) { s.Encoding = "content" }), 29_484_282},
		{"plain attention of 8 heads", spec(func(s *Spec) { s.Encoding, s.Heads = "content-only", Ints{8} }),
			6_331_482},
		// by hand: four maps of 400 × 3600 in two halves and whole, two tables, u and v in each layer
		{"relative", spec(func(s *Spec) { s.Encoding = "relative" }), 12_086_682 + 6*(3*400*3600+31*400+2*3600)},
		{"relative, v·r alone", spec(func(s *Spec) { s.Encoding, s.Terms = "relative", []string{"vr"} }),
			12_086_682 + 6*(400*3600+31*400+3600)},
		{"quadratic, own values of 50 numbers", spec(func(s *Spec) { s.Value, s.HeadDim = "factored", 50 }),
			12_086_844 + 6*(2*400*450+450-9*400*400-400*400-400)},
		{"quadratic, a vector for each token", spec(func(s *Spec) { s.Absolute = "learned" }), 12_086_844 + 256*400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.spec.Params(); got != tt.want {
				t.Errorf("Params() = %d, want %d", got, tt.want)
			}
			n, err := New(tt.spec, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, p := range n.Params {
				got += len(p.Data)
			}
			if got != tt.want {
				t.Errorf("the network has %d parameters, want %d", got, tt.want)
			}
		})
	}
}

// Names as the reference's checkpoints have them, behind "model.".
func TestParameterNames(t *testing.T) {
	gaussian := "attention_centers attention_spreads"
	for encoding, own := range map[string]string{
		"quadratic":         gaussian,
		"quadratic-general": gaussian,
		"quadratic-free":    "position_map.weight position_map.bias",
		"learned":           "row_embeddings.weight col_embeddings.weight head_keys_row.weight head_keys_col.weight",
		"content":           "row_embeddings.weight col_embeddings.weight query.weight query.bias key.weight key.bias",
		"relative": "row_embeddings.weight col_embeddings.weight row_key.weight col_key.weight query.weight key.weight " +
			"key_bias shift_bias",
		"content-only": "query.weight query.bias key.weight key.bias",
	} {
		s := small()
		s.Encoding, s.Dim = encoding, 9
		n, err := New(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"features_upscale.weight", "features_upscale.bias"}
		for _, name := range strings.Fields(own + ` value.weight value.bias`) {
			want = append(want, "encoder.layer.0.attention.self."+name)
		}
		for _, part := range []string{"attention.output.dense", "attention.output.LayerNorm", "intermediate.dense",
			"output.dense", "output.LayerNorm"} {
			want = append(want, "encoder.layer.0."+part+".weight", "encoder.layer.0."+part+".bias")
		}
		want = append(want, "classifier.weight", "classifier.bias")
		var got []string
		for _, p := range n.Params {
			if !strings.HasPrefix(p.Name, "model.encoder.layer.1.") {
				got = append(got, strings.TrimPrefix(p.Name, "model."))
			}
			want := []int{s.Dim, 3 * s.Dim} // out × heads·in
			if encoding == "content-only" {
				want = []int{s.Dim, s.Dim}
			}
			if strings.HasSuffix(p.Name, "value.weight") && !slices.Equal(p.Shape, want) {
				t.Errorf("%s has shape %v, want %v", p.Name, p.Shape, want)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: names %q,\nwant %q", encoding, got, want)
		}
	}
}

func small() Spec {
	s := Default()
	s.Layers, s.Heads, s.Dim, s.FFN, s.Image, s.Classes = Equal(2), Ints{3}, 8, 12, [3]int{8, 12, 3}, 5
	return s
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		key    string
		change func(*Spec)
	}{
		{"model.kind", func(s *Spec) { s.Kind = "mhs" }},
		{"model.encoding", func(s *Spec) { s.Encoding = "quad" }},
		{"model.layers", func(s *Spec) { s.Layers = Equal(0) }},
		{"model.heads", func(s *Spec) { s.Heads = Ints{9, 9} }},
		{"model.heads", func(s *Spec) { s.Heads = nil }},
		{"model.heads", func(s *Spec) { s.Heads = Ints{-1} }},
		{"model.dim", func(s *Spec) { s.Dim = 1 << 30 }},
		{"model.dim", func(s *Spec) { s.Dim, s.Layers, s.Heads = 1<<16, Equal(1000), Ints{1 << 16} }},
		{"model.pool", func(s *Spec) { s.Pool = 33 }},
		{"model.dropout", func(s *Spec) { s.Dropout = 1 }},
		{"model.attention_dropout", func(s *Spec) { s.AttentionDropout = -0.1 }},
		{"model.image", func(s *Spec) { s.Image[2] = 0 }},
		{"model.max_position", func(s *Spec) { s.Encoding, s.Image[1] = "learned", 34 }},
		{"model.head_dim", func(s *Spec) { s.HeadDim = -1 }},
		{"model.head_dim", func(s *Spec) { s.HeadDim = 8 }},
		{"model.head_dim", func(s *Spec) { s.Encoding, s.Dim = "content-only", 8 }}, // for nine heads
		{"model.head_dim", func(s *Spec) { s.Encoding, s.HeadDim = "content", 1 }},
		{"model.value", func(s *Spec) { s.Value = "none" }},
		{"model.attention_masks", func(s *Spec) { s.AttentionMasks = "pixel" }},
		{"model.absolute", func(s *Spec) { s.Absolute = "relative" }},
		{"model.terms", func(s *Spec) { s.Encoding, s.Terms = "relative", []string{"qk", "kq"} }},
		{"model.terms", func(s *Spec) { s.Encoding, s.Terms = "relative", []string{"qk", "qk"} }},
		{"model.terms", func(s *Spec) { s.Encoding, s.Terms = "relative", nil }},
		{"model.terms", func(s *Spec) { s.Terms = []string{"vr"} }},
	} {
		s := Default()
		tt.change(&s)
		var bad *option.Error
		if err := s.Validate(); !errors.As(err, &bad) || bad.Key != tt.key {
			t.Errorf("Validate() = %v, want an error on %s", err, tt.key)
		}
	}
}

func TestLoad(t *testing.T) {
	n, err := New(small(), 3)
	if err != nil {
		t.Fatal(err)
	}
	config := "model: {layers: 2, heads: 3, dim: 8, ffn: 12, image: [8, 12, 3], classes: 5}\n" // the rest has defaults
	file := func(change func(f *ckpt.File)) *ckpt.File {
		f := &ckpt.File{Meta: map[string]string{"attnconv.config": config}, Tensors: slices.Clone(n.Tensors())}
		change(f)
		return f
	}
	back, err := Load(file(func(f *ckpt.File) {
		f.Tensors = append(f.Tensors, ckpt.Tensor{Name: "optim.momentum.x", Shape: []int{1}, Data: []float32{1}})
	}))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range back.Params {
		if !slices.Equal(p.Data, n.Params[i].Data) {
			t.Errorf("%s changed on its way through a checkpoint", p.Name)
		}
	}
	for _, tt := range []struct {
		name, want string
		change     func(f *ckpt.File)
	}{
		{"missing", "1 of 32 weights are missing: model.features_upscale.weight", func(f *ckpt.File) {
			f.Tensors = f.Tensors[1:]
		}},
		{"unknown", "does not have: model.row_embeddings", func(f *ckpt.File) {
			f.Tensors = append(f.Tensors, ckpt.Tensor{Name: "model.row_embeddings", Shape: []int{1},
				Data: []float32{1}})
		}},
		{"shape", "features_upscale.bias: want shape [8], got [4 2]", func(f *ckpt.File) {
			f.Tensors[1].Shape = []int{4, 2}
		}},
		{"config", "attnconv.config", func(f *ckpt.File) { f.Meta["attnconv.config"] = "model: [" }},
		{"encoding", "model.encoding", func(f *ckpt.File) { f.Meta["attnconv.config"] = "model: {encoding: x}" }},
	} {
		if _, err := Load(file(tt.change)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Load: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A checkpoint of before says picture where image is said now, and means the same.
func TestMasksOfPictures(t *testing.T) {
	for word, same := range map[string]bool{"picture": true, "batch": false} {
		s := small()
		s.AttentionMasks = "image"
		want, err := New(s, 0) // as Load does: the seed is also that of dropout
		if err != nil {
			t.Fatal(err)
		}
		config := "model: {attention_masks: " + word +
			", layers: 2, heads: 3, dim: 8, ffn: 12, image: [8, 12, 3], classes: 5}\n"
		got, err := Load(&ckpt.File{Meta: map[string]string{"attnconv.config": config}, Tensors: want.Tensors()})
		if err != nil {
			t.Fatal(err)
		}
		labels := []int32{0, 1, 2}
		x := images(len(labels), s)
		a, _ := runOf(t, want, true, x, labels)
		b, _ := runOf(t, got, true, x, labels)
		if slices.Equal(a, b) != same {
			t.Errorf("%s: the same dropout as with image: %t, want %t", word, !same, same)
		}
	}
}
