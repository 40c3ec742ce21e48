package train_test

import (
	"slices"
	"testing"
	"time"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// BenchmarkConvStep is one training step, and one evaluation, of the networks that convolve. GFLOP/s are of the work
// by definition.
func BenchmarkConvStep(b *testing.B) {
	for _, tt := range []struct {
		name, kind   string
		width, batch int
	}{
		{"resnet18", "resnet18", 64, 100}, {"resnet18, width 16", "resnet18", 16, 64},
		{"conv-twin, batch 32", "conv-twin", 0, 32},
	} {
		s := model.Default()
		s.Kind, s.Width = tt.kind, max(1, tt.width)
		net, err := model.New(s, 0)
		if err != nil {
			b.Fatal(err)
		}
		shape := train.Shape{tt.batch, 32, 32, 3}
		batch := &data.Batch{X: make([]float32, tt.batch*32*32*3), Labels: make([]int32, tt.batch), N: tt.batch}
		for i := range batch.X {
			batch.X[i] = float32(i%17)/8 - 1
		}
		b.Run(tt.name+"/train", func(b *testing.B) {
			step, err := train.NewStep(net, shape, train.Default())
			if err != nil {
				b.Fatal(err)
			}
			defer step.Close()
			if _, _, err := step.Train(batch, 0, 1e-4); err != nil { // makes the buffers
				b.Fatal(err)
			}
			n := 0
			report(b, tt.batch, 3*net.Spec.MACs().Definition, func() error {
				_, _, err := step.Train(batch, n, 1e-4)
				n++
				return err
			})
		})
		b.Run(tt.name+"/infer", func(b *testing.B) {
			e, err := train.NewEvaluator(net, shape, train.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			if _, err := e.Logits(batch); err != nil { // makes the weights ready
				b.Fatal(err)
			}
			report(b, tt.batch, net.Spec.MACs().Definition, func() error {
				_, err := e.Logits(batch)
				return err
			})
		})
	}
}

// report measures do, which works on a batch with so many multiply-adds an image, on average and at its fastest.
func report(b *testing.B, batch, macs int, do func() error) {
	var times []float64
	for b.Loop() {
		begin := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(begin).Seconds())
	}
	slices.Sort(times)
	median := times[len(times)/2]
	b.ReportMetric(float64(batch)/median, "img/s")
	b.ReportMetric(float64(batch)/times[0], "img/s-best")
	b.ReportMetric(2e-9*float64(macs*batch)/median, "GFLOP/s")
	b.ReportMetric(0, "ns/op")
}
