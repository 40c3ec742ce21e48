package sets

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/attnconv/attnconv/data"
)

// shapes draws shapes32 once for all tests.
var shapes = sync.OnceValue(Shapes)

func TestShapesDigest(t *testing.T) {
	if s := shapes(); !s.Published || s.Digest != shapesKind.Digest {
		t.Errorf("shapes32 has %+v, want %+v: runs of other versions cannot be compared", s.Digest, shapesKind.Digest)
	}
}

func TestShapesBalanced(t *testing.T) {
	s := shapes()
	for _, split := range []data.Split{s.Train, s.Test} {
		for class, n := range split.Counts(len(s.Classes)) {
			if n != split.Len()/len(s.Classes) {
				t.Errorf("%s: %d images of %d, want a tenth", s.Classes[class], n, split.Len())
			}
		}
	}
}

// TestWheel holds the ground for shapes32 being the same everywhere: no sine is near the edge between two integers.
func TestWheel(t *testing.T) {
	for i := range wheel {
		x := math.Sin(float64(i)*math.Pi/128) * (1 << 14)
		if edge := math.Abs(math.Abs(x-math.Floor(x)) - 0.5); edge < 1e-6 {
			t.Errorf("angle %d: 2¹⁴·sin = %v is %v from a half", i, x, edge)
		}
	}
}

// TestShapesAreNotLinear measures what a linear model can do on shapes32: well above chance, wrong more often than
// right. Four epochs reach 46 %; more of them, up to thirty, or weight decay, 43 to 45 %.
func TestShapesAreNotLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	s := shapes()
	acc := linearAccuracy(t, s.Train, s.Test, len(s.Classes))
	t.Logf("softmax regression: %.1f %% of the test images", 100*acc)
	if acc < 0.2 || acc > 0.5 {
		t.Errorf("a linear model reaches %.3f, want 0.2 to 0.5", acc)
	}
}

const linearBatch = 20

// linear is a softmax regression: logits = W·x + b, trained by plain SGD.
type linear struct {
	w         [][]float32 // (classes, size)
	b, logits [][]float32 // (classes, 1), (batch, classes)
}

func newLinear(classes, size int) *linear {
	return &linear{matrix(classes, size), matrix(classes, 1), matrix(linearBatch, classes)}
}

func matrix(rows, cols int) [][]float32 {
	m := make([][]float32, rows)
	for i := range m {
		m[i] = make([]float32, cols)
	}
	return m
}

// each runs f for every class, side by side.
func (m *linear) each(f func(k int)) {
	var g sync.WaitGroup
	for k := range m.w {
		g.Go(func() { f(k) })
	}
	g.Wait()
}

func (m *linear) forward(b *data.Batch) {
	m.each(func(k int) {
		for i, row := range m.logits {
			row[k] = m.b[k][0] + dot(m.w[k], b.X[i*len(m.w[k]):])
		}
	})
}

// step goes down the gradient (softmax - onehot)·xᵀ, summed over the batch.
func (m *linear) step(b *data.Batch, rate float32) {
	m.forward(b)
	for i, row := range m.logits {
		sum := float32(0)
		for k, z := range row {
			row[k] = float32(math.Exp(float64(z)))
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
		row[b.Labels[i]]--
	}
	m.each(func(k int) {
		for i, row := range m.logits {
			by := rate * row[k]
			m.b[k][0] -= by
			axpy(-by, b.X[i*len(m.w[k]):], m.w[k])
		}
	})
}

// dot is Σ w[i]·x[i], in four sums. The race detector would make it fifty times slower, and there is one writer a row.
//
//go:norace
func dot(w, x []float32) float32 {
	var s [4]float32
	for i := 0; i+3 < len(w); i += 4 {
		s[0] += w[i] * x[i]
		s[1] += w[i+1] * x[i+1]
		s[2] += w[i+2] * x[i+2]
		s[3] += w[i+3] * x[i+3]
	}
	return s[0] + s[1] + s[2] + s[3]
}

// axpy adds a·x to w.
//
//go:norace
func axpy(a float32, x, w []float32) {
	for i := range w {
		w[i] += a * x[i]
	}
}

func BenchmarkShapes(b *testing.B) {
	for b.Loop() {
		Shapes()
	}
}

func loader(t testing.TB, s data.Split, o data.LoaderOptions) *data.Loader {
	t.Helper()
	l, err := data.NewLoader(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// noiseImages makes n random images of the given number of classes.
func noiseImages(n, classes int) data.Split {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	s := data.Split{Format: rgb32, Pixels: make([]uint8, n*rgb32.Size()), Labels: make([]int32, n)}
	for i := range s.Pixels {
		s.Pixels[i] = uint8(r.Uint32())
	}
	for i := range s.Labels {
		s.Labels[i] = int32(i % classes)
	}
	return s
}
