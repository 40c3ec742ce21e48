package train_test

import (
	"testing"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/train"
)

// BenchmarkStep is one training step: the first run's model, the small one and the paper's.
func BenchmarkStep(b *testing.B) {
	for _, tt := range []struct {
		name                          string
		dim, ffn, pool, layers, batch int
		dropout                       float64
	}{
		{"tiny", 48, 96, 4, 3, 64, 0},
		{"small", 96, 192, 4, 6, 64, 0},
		{"paper, batch 32", 400, 512, 2, 6, 32, 0.1},
	} {
		b.Run(tt.name, func(b *testing.B) {
			s := model.Default()
			s.Dim, s.FFN, s.Pool, s.Layers, s.Dropout, s.AttentionDropout = tt.dim, tt.ffn, tt.pool, tt.layers, tt.dropout, tt.dropout
			net, err := model.New(s, 0)
			if err != nil {
				b.Fatal(err)
			}
			step, err := train.NewStep(net, train.Shape{tt.batch, 32, 32, 3}, train.Default())
			if err != nil {
				b.Fatal(err)
			}
			defer step.Close()
			batch := &data.Batch{X: make([]float32, tt.batch*32*32*3), Labels: make([]int32, tt.batch), N: tt.batch}
			for i := range batch.X {
				batch.X[i] = float32(i%17)/8 - 1
			}
			n := 0
			for b.Loop() {
				if _, _, err := step.Train(batch, n, 1e-4); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(tt.batch*n)/b.Elapsed().Seconds(), "img/s")
			b.ReportMetric(6e-9*float64(s.MACs()*tt.batch*n)/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}
