package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/option"
)

// stemmed is a network whose tokens so many convolutions of stride 2 make.
func stemmed(kind string, convs int, image [3]int) Spec {
	s := small()
	s.Kind, s.Stem, s.Pool, s.Image, s.Heads = kind, "conv", 1<<convs, image, Ints{9}
	return s
}

// Logits of images that the strides divide and that they do not.
func TestConvStemEqualsDefinition(t *testing.T) {
	for _, s := range []Spec{stemmed("mhsa", 1, [3]int{8, 12, 3}), stemmed("mhsa", 2, [3]int{7, 10, 1}),
		stemmed("conv-twin", 2, [3]int{9, 8, 3})} {
		net := shaken(t, s)
		x := images(3, s)
		logits := imageLogits(t, net, false, x, []int32{0, 1, 2})
		in, o := imagesOf(x, s), oracleOf(net)
		for i := range s.stemConvs() {
			in = relu(plainResNet{o, false}.unit(fmt.Sprintf("stem.conv%d", i+1), fmt.Sprintf("stem.norm%d", i+1), in,
				2))
		}
		grid := s.Grid()
		o.spec.Image, o.spec.Pool = [3]int{grid.Rows, grid.Cols, s.Dim}, 1 // of the tokens alone
		for i, image := range in {
			if len(image) != grid.Rows || len(image[0]) != grid.Cols {
				t.Fatalf("%v: %d × %d tokens, want %v", s, len(image), len(image[0]), grid)
			}
			for c, want := range o.logits(slices.Concat(slices.Concat(image...)...)) {
				if got := float64(logits[i*s.Classes+c]); math.Abs(got-want) > 2e-5 {
					t.Errorf("%v: image %d, class %d: logit %.8f, definition %.8f", s, i, c, got, want)
				}
			}
		}
	}
}

// Convolutions have half as many channels as the next one, the last dim; the map behind them is dim × dim.
func TestConvStemShapes(t *testing.T) {
	s := stemmed("mhsa", 3, [3]int{32, 32, 3})
	s.Dim = 10
	net, err := New(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	var shapes []string
	for _, p := range net.Params {
		if len(p.Shape) > 1 && (strings.Contains(p.Name, "stem") || strings.Contains(p.Name, "upscale")) {
			shapes = append(shapes, fmt.Sprint(strings.TrimPrefix(p.Name, "model."), p.Shape))
		}
	}
	want := "stem.conv1.weight[2 3 3 3] stem.conv2.weight[5 2 3 3] stem.conv3.weight[10 5 3 3] " +
		"features_upscale.weight[10 10]"
	if got := strings.Join(shapes, " "); got != want {
		t.Errorf("weights %s, want %s", got, want)
	}
	if !strings.Contains(s.String(), "16 tokens of a stem of convolutions") {
		t.Errorf("String() = %q, which does not say what makes tokens", s)
	}
}

func TestConvStemPools(t *testing.T) {
	for pool, ok := range map[int]bool{1: false, 2: true, 3: false, 4: true, 6: false, 8: true} {
		s := stemmed("mhsa", 1, [3]int{32, 32, 3})
		s.Pool = pool
		var bad *option.Error
		if err := s.Validate(); ok != (err == nil) || !ok && (!errors.As(err, &bad) || bad.Key != "model.pool") {
			t.Errorf("pool %d: %v", pool, err)
		}
		if s.Stem = "patches"; s.Validate() != nil {
			t.Errorf("patches, pool %d: %v", pool, s.Validate())
		}
	}
	s := small()
	s.Stem = "convs"
	if bad := (*option.Error)(nil); !errors.As(s.Validate(), &bad) || bad.Key != "model.stem" {
		t.Errorf("stem convs: %v", s.Validate())
	}
}

// A checkpoint has the stem, by its settings and by its weights alone.
func TestConvStemComesBack(t *testing.T) {
	s := stemmed("mhsa", 2, [3]int{8, 12, 3})
	net := shaken(t, s)
	base := Default()
	base.Image = s.Image
	found, err := Infer(net.Tensors(), base)
	if err != nil || found.Stem != "conv" || found.Pool != 4 || found.Dim != s.Dim {
		t.Errorf("Infer: stem %q, pool %d, dim %d, %v", found.Stem, found.Pool, found.Dim, err)
	}
	again, err := New(found, 9)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.SetWeights(&ckpt.File{Tensors: net.Tensors()}); err != nil {
		t.Fatal(err)
	}
	for i, p := range again.Params {
		if !slices.Equal(p.Data, net.Params[i].Data) {
			t.Errorf("%s was not taken", p.Name)
		}
	}
}
