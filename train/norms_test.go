package train_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/run/event"
	"github.com/attnconv/attnconv/train"
)

// With plain SGD, a step moves weights by the rate times the gradient. So the norms of gradients follow from the
// weights between the steps. Accuracies of classes follow from the logits.
func TestNormsAndClasses(t *testing.T) {
	tr, net := unprepared(t, smallSpec(nil), func(o *train.Options) {
		o.Epochs, o.TrainBatches, o.Optimizer, o.LR, o.Momentum, o.WeightDecay = 1, 3, "sgd", 0.05, 0, 0
		o.Clip, o.Warmup, o.PositionLR = 0, 0, 1
	})
	layers := []string{"features_upscale.", "encoder.layer.0.", "encoder.layer.1.", "classifier."}
	last, squares := map[string][]float32{}, make([]float64, len(layers))
	for _, p := range net.Params {
		last[p.Name] = append([]float32(nil), p.Data...)
	}
	var epoch event.Epoch
	tr.Observe = func(e event.Event) error {
		switch e := e.(type) {
		case event.Epoch:
			epoch = e
		case event.Step:
			for k, layer := range layers {
				for _, p := range net.Params {
					for i, v := range p.Data {
						if strings.HasPrefix(p.Name, "model."+layer) {
							d := float64(v-last[p.Name][i]) / e.LR
							squares[k] += d * d / 3
						}
					}
				}
			}
			for _, p := range net.Params {
				copy(last[p.Name], p.Data)
			}
		}
		return nil
	}
	if err := errors.Join(tr.Prepare(), tr.Run(t.Context())); err != nil {
		t.Fatal(err)
	}
	if len(epoch.Layers) != len(layers) {
		t.Fatalf("layers %+v, want %v", epoch.Layers, layers)
	}
	for k, layer := range layers {
		var weights float64
		for _, p := range net.Params {
			for _, v := range p.Data {
				if strings.HasPrefix(p.Name, "model."+layer) {
					weights += float64(v) * float64(v)
				}
			}
		}
		found := false
		for _, got := range epoch.Layers {
			if got.Name+"." != layer {
				continue
			}
			found = true
			if w, g := math.Sqrt(weights), math.Sqrt(squares[k]); math.Abs(float64(got.Weights)/w-1) > 1e-5 ||
				math.Abs(float64(got.Gradient)/g-1) > 1e-2 {
				t.Errorf("%+v, want weights %v and gradient %v", got, w, g)
			}
		}
		if !found {
			t.Errorf("%+v lacks %s", epoch.Layers, layer)
		}
	}
	e, err := train.NewEvaluator(net, train.Shape{25, 32, 32, 3}, train.Default())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	o, err := e.Outputs(t.Context(), tr.Val, 0)
	if err != nil || len(epoch.PerClass) != o.Classes {
		t.Fatalf("%v, %v", epoch.PerClass, err)
	}
	for c, got := range epoch.PerClass {
		n, right := 0, 0
		for i, label := range o.Labels {
			if int(label) == c {
				if n++; o.Predicted(i) == c {
					right++
				}
			}
		}
		if n > 0 && math.Abs(float64(got)-float64(right)/float64(n)) > 1e-9 || n == 0 && got.Known() {
			t.Errorf("class %d: %v, want %d of %d", c, got, right, n)
		}
	}
}
