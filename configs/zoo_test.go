package configs

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// official are the numbers of parameters that the sources of the presets have, from their tables or their code.
var official = map[string]int{
	"zoo/convmixer-256-8": 594_186,
	"zoo/small-convmixer": 166_026,
	"zoo/vit-ti-2":        5_392_330,
	"zoo/mixer-s-16":      18_528_264 - 2*512, // without the norm behind the last block
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

// The small networks cost about as much as small/quadratic.
func TestSmallZooCosts(t *testing.T) {
	r, err := Preset("small/quadratic")
	if err != nil {
		t.Fatal(err)
	}
	want := float64(r.Model.MACs().Run)
	for name, s := range zoo(t, "small-") {
		if share := float64(s.MACs().Run) / want; share < 0.7 || share > 1.3 {
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
			if r.Model.Params() > 10_000_000 && testing.Short() {
				t.Skip("large")
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
		})
	}
}
