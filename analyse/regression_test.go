package analyse

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// smooth draws images of (T, channels) whose neighbors are alike, with means of their own, and of one channel more than
// they have dimensions: as after a layer norm, the channels of a token add up to a constant.
func smooth(rng *rand.Rand, g Grid, images, channels int) []float32 {
	n := g.Rows * g.Cols
	x := make([]float32, images*n*channels)
	for i := range images {
		base := normals(rng, channels)
		for q := range n {
			token := x[(i*n+q)*channels:][:channels]
			sum := 0.0
			for c := range token[:channels-1] {
				v := 0.3 + base[c]*math.Cos(float64(q)/3+float64(c)) + 0.4*rng.NormFloat64()
				token[c], sum = float32(v), sum+v
			}
			token[channels-1] = float32(1 - sum)
		}
	}
	return x
}

// convolved is Σ_δ x_{q+δ}·W_δ + b in loops; outside of the grid is 0, or with replicate the nearest token.
func convolved(g Grid, k Kernel, x []float32, replicate bool) []float32 {
	n := g.Rows * g.Cols
	images := len(x) / (n * k.In)
	y := make([]float32, images*n*k.Out)
	for i := range images {
		for q := range n {
			for o := range k.Out {
				sum := 0.0
				if k.Bias != nil {
					sum = k.Bias[o]
				}
				for j, s := range k.Shifts {
					r, c := q/g.Cols+s[0], q%g.Cols+s[1]
					if replicate {
						r, c = min(max(r, 0), g.Rows-1), min(max(c, 0), g.Cols-1)
					}
					if r < 0 || r >= g.Rows || c < 0 || c >= g.Cols {
						continue
					}
					for in := range k.In {
						sum += float64(x[(i*n+r*g.Cols+c)*k.In+in]) * k.Maps[j][in*k.Out+o]
					}
				}
				y[(i*n+q)*k.Out+o] = float32(sum)
			}
		}
	}
	return y
}

func momentsOf(t *testing.T, g Grid, in, out, k int, x, y []float32) *Moments {
	t.Helper()
	m, err := NewMoments(g, g, in, out, k)
	if err != nil {
		t.Fatal(err)
	}
	half := len(x) / (g.Tokens() * in) / 3 // in two parts of unequal size
	if err := m.Add(x[:half*g.Tokens()*in], y[:half*g.Tokens()*out]); err != nil {
		t.Fatal(err)
	}
	if err := m.Add(x[half*g.Tokens()*in:], y[half*g.Tokens()*out:]); err != nil {
		t.Fatal(err)
	}
	return m
}

func scored(t *testing.T, g Grid, in, out int, x, y []float32, kernels ...Kernel) *Score {
	t.Helper()
	var predictors []Predictor
	for _, k := range kernels {
		predictors = append(predictors, must(k.Predictor(g, g)))
	}
	s, err := NewScore(g, g, in, out, predictors...)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(x, y); err != nil {
		t.Fatal(err)
	}
	return s
}

// solved minimizes Σ‖y - b - Φᵀw‖² + λ‖w‖² with patches formed, in float64, by Gaussian elimination with pivots. λ is
// given by the diagonal over all of the shifts of most.
func solved(g Grid, k, most, margin int, in, out int, x, y []float32) [][]float64 {
	n, columns := g.Rows*g.Cols, 1+k*k*in
	images := len(x) / (n * in)
	a := make([][]float64, columns) // A | B
	for i := range a {
		a[i] = make([]float64, columns+out)
	}
	patch := func(i, q, k int) []float64 {
		phi := []float64{1}
		for _, s := range geometry.Square(k) {
			r, c := q/g.Cols+s[0], q%g.Cols+s[1]
			for ch := range in {
				if r < 0 || r >= g.Rows || c < 0 || c >= g.Cols {
					phi = append(phi, 0)
				} else {
					phi = append(phi, float64(x[(i*n+r*g.Cols+c)*in+ch]))
				}
			}
		}
		return phi
	}
	trace := 0.0
	for i := range images {
		for r := margin; r < g.Rows-margin; r++ {
			for c := margin; c < g.Cols-margin; c++ {
				q := r*g.Cols + c
				for _, v := range patch(i, q, most)[1:] {
					trace += v * v
				}
				phi := patch(i, q, k)
				for u, v := range phi {
					for w := range phi {
						a[u][w] += v * phi[w]
					}
					for o := range out {
						a[u][columns+o] += v * float64(y[(i*n+q)*out+o])
					}
				}
			}
		}
	}
	for i := 1; i < columns; i++ {
		a[i][i] += 1e-6 * trace / float64(most*most*in)
	}
	for i := range a {
		for j := i + 1; j < columns; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[i][i]) {
				a[i], a[j] = a[j], a[i]
			}
		}
		for j := range a {
			if j != i {
				f := a[j][i] / a[i][i]
				for c := i; c < len(a[j]); c++ {
					a[j][c] -= f * a[i][c]
				}
			}
		}
	}
	for i := range a {
		for c := range out {
			a[i][columns+c] /= a[i][i]
		}
		a[i] = a[i][columns:]
	}
	return a
}

// The kernels are the solution of the equations with their patches, for every K and for interior queries: with 300
// images, more than wait together, of a grid whose tokens do not fill the blocks.
func TestRegressionIsItsDefinition(t *testing.T) {
	g := Grid{Rows: 5, Cols: 7}
	rng := rand.New(rand.NewPCG(1, 1))
	x := smooth(rng, g, 300, 3)
	for i := 2; i < len(x); i += 3 { // of channels that add up to 1 the ridge alone chooses the maps
		x[i] = float32(rng.NormFloat64())
	}
	y := convolved(g, kernelWith(rng, 5, 3, 2), x, true)
	for i := range y {
		y[i] += float32(0.3*rng.NormFloat64() + math.Abs(float64(x[i/2*3])))
	}
	m := momentsOf(t, g, 3, 2, 5, x, y)
	kernels, err := m.Fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{1, 3, 5} {
		same(t, kernels[k/2], solved(g, k, 5, 0, 3, 2, x, y), k)
		inner, err := m.FitInterior(context.Background(), k)
		if err != nil {
			t.Fatal(err)
		}
		same(t, inner, solved(g, k, k, k/2, 3, 2, x, y), k)
	}
	s := scored(t, g, 3, 2, x, y, kernels...)
	for i := range 2 {
		if a, b := s.R2(i, 0), s.R2(i+1, 0); a > b+1e-6 || b < 0.3 {
			t.Errorf("on the images of the fit R² is %.4f, then %.4f", a, b)
		}
	}
}

func same(t *testing.T, k Kernel, want [][]float64, side int) {
	t.Helper()
	for o, v := range k.Bias {
		near(t, "bias", v, want[0][o], 2e-3)
	}
	for i, m := range k.Maps {
		for in := range k.In {
			for o := range k.Out {
				if got, w := m[in*k.Out+o], want[1+i*k.In+in][o]; math.Abs(got-w) > 2e-3 {
					t.Fatalf("%d × %d, shift %v: %.6f, want %.6f", side, side, k.Shifts[i], got, w)
				}
			}
		}
	}
}

func kernelWith(rng *rand.Rand, k, in, out int) Kernel {
	w := Kernel{In: in, Out: out, Shifts: geometry.Square(k), Bias: normals(rng, out)}
	for range w.Shifts {
		w.Maps = append(w.Maps, normals(rng, in*out))
	}
	return w
}

// On other images, a planted 3 × 3 convolution is found, what is larger stays so, and what is smaller is not enough.
// With replicated edges it is found away from borders.
func TestPlantedKernel(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	rng := rand.New(rand.NewPCG(2, 2))
	planted := kernelWith(rng, 3, 4, 3)
	fit, other := smooth(rng, g, 100, 4), smooth(rng, g, 50, 4)
	kernels, err := momentsOf(t, g, 4, 3, 7, fit, convolved(g, planted, fit, false)).Fit(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := scored(t, g, 4, 3, other, convolved(g, planted, other, false), kernels...)
	if r := s.R2(0, 0); r > 0.9 {
		t.Errorf("1 × 1 explains %.3f of a 3 × 3", r)
	}
	for i := 1; i < 4; i++ {
		near(t, "R² of the planted kernel", s.R2(i, 0), 1, 1e-8)
		near(t, "R² at the borders", s.BorderR2(i, 1), 1, 1e-8)
	}
	// Channels add up to 1, so W_δ + c·1 is the same function up to a bias: compare differences of channels.
	for i, m := range kernels[1].Maps {
		for o := range 3 {
			for in := range 3 {
				got, want := m[in*3+o]-m[9+o], planted.Maps[i][in*3+o]-planted.Maps[i][9+o]
				near(t, "planted kernel", got, want, 1e-3)
			}
		}
	}

	m := momentsOf(t, g, 4, 3, 7, fit, convolved(g, planted, fit, true))
	kernels, _ = m.Fit(context.Background())
	inner, err := m.FitInterior(context.Background(), 3)
	if err != nil {
		t.Fatal(err)
	}
	s = scored(t, g, 4, 3, other, convolved(g, planted, other, true), kernels[1], inner)
	near(t, "R² of replicated edges, interior fit", s.R2(1, 1), 1, 1e-8)
	if r := s.R2(0, 0); r > 0.99 || s.BorderR2(0, 1) > s.R2(0, 1) {
		t.Errorf("R² of replicated edges: %.3f, at the borders %.3f, away from them %.3f", r, s.BorderR2(0, 1),
			s.R2(0, 1))
	}
	m = momentsOf(t, g, 4, 3, 7, fit[:98*256], convolved(g, planted, fit[:98*256], true))
	if _, err = m.FitInterior(context.Background(), 7); err == nil ||
		!strings.Contains(err.Error(), "392 queries for 197 unknowns") {
		t.Errorf("392 interior queries for 197 unknowns: %v", err)
	}
}

// A planted convolution with a stride is found from the outputs that it has, on grids that the stride divides and on
// others: 9 rows have 4 outputs at rows 0, 2, 4, 6. Replicated edges are found away from borders.
func TestStride(t *testing.T) {
	for _, to := range []Grid{{Rows: 4, Cols: 4}, {Rows: 9, Cols: 4}, {Rows: 3, Cols: 8}} {
		from := Grid{Rows: 9, Cols: 8}
		every := [2]int{from.Rows / to.Rows, from.Cols / to.Cols}
		rng := rand.New(rand.NewPCG(2, 5))
		planted := kernelWith(rng, 3, 4, 3)
		sample := func(y []float32) (some []float32) {
			for i := range len(y) / 3 {
				r, c := i%72/8, i%8
				if r%every[0] == 0 && r/every[0] < to.Rows && c%every[1] == 0 {
					some = append(some, y[i*3:(i+1)*3]...)
				}
			}
			return some
		}
		fit, other := smooth(rng, from, 100, 4), smooth(rng, from, 50, 4)
		for _, replicate := range []bool{false, true} {
			m := must(NewMoments(from, to, 4, 3, 5))
			if err := m.Add(fit, sample(convolved(from, planted, fit, replicate))); err != nil {
				t.Fatal(err)
			}
			all := must(m.Fit(context.Background()))
			inner := must(m.FitInterior(context.Background(), 3))
			s := must(NewScore(from, to, 4, 3, must(all[0].Predictor(from, to)), must(all[1].Predictor(from, to)),
				must(inner.Predictor(from, to))))
			if err := s.Add(other, sample(convolved(from, planted, other, replicate))); err != nil {
				t.Fatal(err)
			}
			near(t, "R² inside", s.R2(2, 1), 1, 1e-8)
			if d := math.Abs(s.R2(1, 0) - 1); (d < 1e-8) == replicate || s.R2(0, 0) > 0.95 {
				t.Errorf("%v, replicated %t: R² %v of the kernel, %v of 1 × 1", to, replicate, s.R2(1, 0), s.R2(0, 0))
			}
		}
	}
	for _, to := range []Grid{{}, {Rows: 10, Cols: 8}} {
		if _, err := NewMoments(Grid{Rows: 9, Cols: 8}, to, 1, 1, 1); err == nil {
			t.Errorf("%v outputs are taken", to)
		}
	}
}

// A layer of attention predicts what its kernel does, where it is a convolution; E_X P does what a position-only layer
// does.
func TestPredictors(t *testing.T) {
	g := Grid{Rows: 4, Cols: 6}
	rng := rand.New(rand.NewPCG(3, 3))
	k := kernelWith(rng, 3, 2, 3)
	x := smooth(rng, g, 40, 2)
	l := must(Convolution(g, k, Zeros))
	want := convolved(g, k, x, false)
	l2 := randomLayer(8, g, 3, 2, 3)
	o := measured(t, l2)
	mean := l2
	mean.Attention = o.ShiftMean(0)
	small := l2
	small.Attention = o.ShiftMean(3)
	for name, tt := range map[string]struct {
		got  Predictor
		want []float32
	}{
		"kernel":     {must(k.Predictor(g, g)), want},
		"layer":      {must(l.Predictor(k.Bias)), want},
		"mean":       {must(mean.Predictor(nil)), convolved(g, o.Kernel(0), x, false)},
		"mean 3 × 3": {must(small.Predictor(nil)), convolved(g, o.Kernel(3), x, false)},
	} {
		for i, v := range tt.got(x, 40) {
			if math.Abs(float64(v-tt.want[i])) > 1e-4 {
				t.Fatalf("%s: output %d is %g, want %g", name, i, v, tt.want[i])
			}
		}
	}
}

// R² is 1 - residual / variance, by two passes.
func TestScore(t *testing.T) {
	g := Grid{Rows: 3, Cols: 3}
	rng := rand.New(rand.NewPCG(4, 4))
	x, y := smooth(rng, g, 20, 2), smooth(rng, g, 20, 2)
	s := must(NewScore(g, g, 2, 2, func(x []float32, _ int) []float32 { return x }))
	for i := range 2 {
		if err := s.Add(x[i*180:(i+1)*180], y[i*180:(i+1)*180]); err != nil {
			t.Fatal(err)
		}
	}
	for border := range 2 {
		var mean [2]float64
		count, residual, variance := 0.0, 0.0, 0.0
		for pass := range 2 {
			for i, v := range y {
				if inside := i/2%9 == 4; inside != (border == 0) {
					continue
				}
				if pass == 0 {
					mean[i%2], count = mean[i%2]+float64(v), count+0.5
					continue
				}
				residual += math.Pow(float64(v)-float64(x[i]), 2)
				variance += math.Pow(float64(v)-mean[i%2]/count, 2)
			}
		}
		got := s.R2(0, 1)
		if border == 1 {
			got = s.BorderR2(0, 1)
		}
		near(t, "R²", got, 1-residual/variance, 1e-9)
	}
	constant := must(NewScore(g, g, 2, 2, func(x []float32, _ int) []float32 { return x }))
	if err := constant.Add(make([]float32, 18), make([]float32, 18)); err != nil || !math.IsNaN(constant.R2(0, 0)) {
		t.Errorf("%v, R² of nothing is %g", err, constant.R2(0, 0))
	}
}

func TestRegressionRefuses(t *testing.T) {
	g := Grid{Rows: 4, Cols: 4}
	m := must(NewMoments(g, g, 2, 1, 3))
	few := must(NewMoments(g, g, 2, 1, 3))
	if err := few.Add(make([]float32, 32), make([]float32, 16)); err != nil {
		t.Fatal(err)
	}
	nothing := must(NewMoments(g, g, 2, 1, 1))
	if err := nothing.Add(make([]float32, 320), make([]float32, 160)); err != nil {
		t.Fatal(err)
	}
	bad := make([]float32, 32)
	bad[7] = float32(math.NaN())
	p := func(x []float32, _ int) []float32 { return nil }
	short := must(NewScore(g, g, 2, 1, p))
	long, square, large := Grid{Rows: 1, Cols: 4096}, Grid{Rows: 8, Cols: 8}, Grid{Rows: 64, Cols: 64}
	for name, err := range map[string]error{
		"grid": second(NewMoments(Grid{}, g, 1, 1, 1)), "channels": second(NewMoments(g, g, 0, 1, 1)),
		"even k":  second(NewMoments(g, g, 1, 1, 2)),
		"large k": second(NewMoments(g, g, 1, 1, 9)), "a long row": second(NewMoments(long, long, 1,
			1, 8191)),
		"memory":  second(NewMoments(large, large, 1<<14, 1<<14, 7)),
		"columns": second(NewMoments(square, square, 700, 1, 7)), "no images": m.Add(nil, nil),
		"ragged": m.Add(make([]float32, 33), make([]float32, 16)),
		"NaN":    m.Add(bad, make([]float32, 16)), "fewer outputs": m.Add(make([]float32, 32), make([]float32, 15)),
		"few images": second(few.Fit(context.Background())), "no image": second(m.Fit(context.Background())),
		"k of interior": second(few.FitInterior(context.Background(), 5)),
		"zero":          second(nothing.Fit(context.Background())),
		"predictor":     second(NewScore(g, g, 1, 1, nil)), "score": second(NewScore(g, g, 0, 1)),
		"short":  short.Add(make([]float32, 32), make([]float32, 16)),
		"kernel": second(Kernel{In: 1, Out: 1, Shifts: geometry.Square(1)}.Predictor(g, g)),
		"map":    second(Kernel{In: 1, Out: 1, Shifts: geometry.Square(1), Maps: [][]float64{{1, 2}}}.Predictor(g, g)),
		"bias":   second(randomLayer(1, g, 1, 1, 1).Predictor([]float64{1, 2})),
	} {
		if _, ok := err.(*Error); !ok {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
}

// The constant has no ridge: inputs of 1,000 have a ridge of 1 for each image, which would halve a bias of 5.
func TestConstantHasNoRidge(t *testing.T) {
	g, rng := Grid{Rows: 3, Cols: 3}, rand.New(rand.NewPCG(5, 6))
	m, err := NewMoments(g, g, 2, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	x, y := make([]float32, 100*9*2), make([]float32, 100*9)
	for i := range x {
		x[i] = float32(1000 * rng.NormFloat64())
		y[i/2] += 0.001*x[i] + 2.5
	}
	if err := m.Add(x, y); err != nil {
		t.Fatal(err)
	}
	kernels, err := m.Fit(context.Background())
	if err != nil || math.Abs(kernels[0].Bias[0]-5) > 1e-3 {
		t.Errorf("bias %v, %v: want 5", kernels[0].Bias, err)
	}
}
