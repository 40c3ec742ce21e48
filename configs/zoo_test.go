package configs

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/train"
)

// official are the numbers of parameters that the sources of the presets have, from their tables or their code.
var official = map[string]int{
	"zoo/resnet20":        269_722,
	"zoo/resnet32":        464_154,
	"zoo/resnet44":        658_586,
	"zoo/resnet56":        853_018,
	"zoo/convmixer-256-8": 594_186,
	"zoo/small-convmixer": 166_026,
	"zoo/vit-ti-2":        5_392_330,
	"zoo/mixer-s-16":      18_528_264 - 2*512, // without the norm behind the last block
	"zoo/cct-2-3x2":       283_723,
	"zoo/small-cct":       482_123,
	"zoo/cct-7-3x1":       3_760_139,
	"zoo/vit-lite-7-4":    3_716_874,
	"zoo/cvt-7-4":         3_716_619,
	"zoo/convit-tiny":     5_710_512,
	"zoo/convit-small":    27_777_322,
	"zoo/convit-base":     86_540_040,
}

// Presets of published networks have as many parameters as these. To count them allocates nothing of their size.
func TestOfficialParameters(t *testing.T) {
	for name, want := range official {
		r, err := Preset(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := r.Model.Params()
		runtime.ReadMemStats(&after)
		if got != want {
			t.Errorf("%s has %d parameters, want %d", name, got, want)
		}
		if size := after.TotalAlloc - before.TotalAlloc; size > 4<<20 {
			t.Errorf("%s: to count %d parameters allocates %d bytes", name, got, size)
		}
	}
}

// zoo returns the presets of zoo with a prefix.
func zoo(t *testing.T, prefix string) map[string]model.Spec {
	t.Helper()
	all := map[string]model.Spec{}
	for _, name := range Presets() {
		if !strings.HasPrefix(name, "zoo/"+prefix) {
			continue
		}
		r, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = r.Model
	}
	return all
}

// Every published network has a small one of its kind: zoo/small-cct of zoo/cct-7-3x1. Residual
// networks have small/resnet18.
func TestSmallZooSiblings(t *testing.T) {
	small := zoo(t, "small-")
	for name := range zoo(t, "") {
		sibling := strings.HasPrefix(name, "zoo/resnet")
		for kind := range small {
			sibling = sibling || strings.HasPrefix(name, strings.Replace(kind, "small-", "", 1)+"-")
		}
		if _, ok := small[name]; !ok && !sibling {
			t.Errorf("%s has no small sibling", name)
		}
	}
}

// The small networks cost about as much as small/quadratic.
func TestSmallZooCosts(t *testing.T) {
	r, err := Preset("small/quadratic")
	if err != nil {
		t.Fatal(err)
	}
	want := float64(r.Model.MACs().Run)
	for name, s := range zoo(t, "small-") {
		if share := float64(s.MACs().Run) / want; share < 0.65 || share > 1.3 {
			t.Errorf("%s has %.2f times the multiply-adds of small/quadratic", name, share)
		}
	}
}

// Every preset of zoo that fits takes two steps on images of 32 × 32 pixels, and its loss stays finite.
func TestZooTrains(t *testing.T) {
	const batch, side = 2, 32
	rng := rand.New(rand.NewPCG(1, 2))
	b := &data.Batch{X: make([]float32, batch*side*side*3), Labels: []int32{3, 7}, N: batch}
	for i := range b.X {
		b.X[i] = float32(rng.NormFloat64())
	}
	for name := range zoo(t, "") {
		t.Run(strings.TrimPrefix(name, "zoo/"), func(t *testing.T) {
			r, err := Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			r.Model.Image, r.Model.Classes = [3]int{side, side, 3}, 10
			if r.Model.Params() > 10_000_000 {
				t.Skip("zoo/convit-tiny has the same blocks, and mixer the same as zoo/small-mixer")
			}
			net, err := model.New(r.Model, 1)
			if err != nil {
				t.Fatal(err)
			}
			step, err := train.NewStep(net, train.Shape{batch, side, side, 3}, r.Train)
			if err != nil {
				t.Fatal(err)
			}
			defer step.Close()
			var first float64
			for i := range 3 {
				loss, _, err := step.Train(b, i, r.Train.LR/10)
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					first = loss
				}
				if i == 2 && !(loss < first) || math.IsNaN(loss) {
					t.Errorf("after %d steps on the same images the loss is %v, first %v", i, loss, first)
				}
			}
			meta := ckpt.Meta{Kind: r.Model.Kind, Config: string(r.YAML())}
			again, err := model.Load(&ckpt.File{Meta: meta.Strings(), Tensors: net.Tensors()})
			if err != nil || !reflect.DeepEqual(again.Tensors(), net.Tensors()) {
				t.Errorf("a checkpoint does not come back: %v", err)
			}
		})
	}
}
