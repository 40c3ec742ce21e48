package analyse

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// A Predictor returns outputs (images, queries, out) for inputs x (images, T, in).
type Predictor func(x []float32, images int) []float32

// together is how many images a product takes.
const together = 16

// Predictor returns the convolution with zero borders, in float32, with a stride if there are fewer outputs than inputs
// (Moments).
func (k Kernel) Predictor(from, to Grid) (Predictor, error) {
	queries, err := sampled(from, to)
	if err != nil {
		return nil, err
	}
	if k.In < 1 || k.Out < 1 || len(k.Maps) != len(k.Shifts) || k.Bias != nil && len(k.Bias) != k.Out {
		return nil, wrong("kernel", "%d maps of %d × %d for %d shifts, a bias of %d", len(k.Maps), k.In, k.Out,
			len(k.Shifts), len(k.Bias))
	}
	for i, m := range k.Maps {
		if len(m) != k.In*k.Out || infinite(m) >= 0 {
			return nil, wrong("kernel", "map %d: want %d × %d finite elements", i, k.In, k.Out)
		}
	}
	w, bias, tokens, n, columns := narrow(k.Maps...), narrow(k.Bias), from.Tokens(), len(queries), len(k.Shifts)*k.In
	return func(x []float32, images int) []float32 {
		y := make([]float32, images*n*k.Out)
		patches := pool.Get(together * n * columns)
		defer pool.Put(patches)
		for first := 0; first < images; first += together {
			count := min(together, images-first)
			threads.Parallel(count, func(i int) {
				k.patches((*patches)[i*n*columns:(i+1)*n*columns], x[(first+i)*tokens*k.In:(first+i+1)*tokens*k.In],
					from, queries)
			})
			out := gemm.Matrix(y[first*n*k.Out:(first+count)*n*k.Out], count*n, k.Out)
			gemm.Mul(out, gemm.Matrix((*patches)[:count*n*columns], count*n, columns), gemm.Matrix(w, columns, k.Out))
			if bias != nil {
				gemm.AddRow(out, bias)
			}
		}
		return y
	}, nil
}

// patches sets rows to the tokens around each query of an image, zeros outside of the grid.  x (T, in) -> (queries,
// shifts·in)
func (k Kernel) patches(rows, x []float32, g Grid, queries []int) {
	for j, q := range queries {
		for i, s := range k.Shifts {
			to := rows[(j*len(k.Shifts)+i)*k.In:][:k.In]
			if p, ok := g.Key(q, s); ok {
				copy(to, x[p*k.In:(p+1)*k.In])
			} else {
				clear(to)
			}
		}
	}
}

// Predictor returns y_q = bias + Σ_h Σ_k P^h_qk·x_k·W_h in float32, for attention that does not depend on the image:
// with Attention.Mean it is the layer without content, with Operator.ShiftMean, whose rows need not add up to 1, the
// convolution Ŵ. A nil bias is zero.
func (l Layer) Predictor(bias []float64) (Predictor, error) {
	if err := l.sizes(); err != nil {
		return nil, err
	}
	for h, p := range l.Attention {
		if i := infinite(p); i >= 0 {
			return nil, wrong("attention", "head %d: element %d is %v", h+1, i, p[i])
		}
	}
	if bias != nil && (len(bias) != l.Out || infinite(bias) >= 0) {
		return nil, wrong("bias", "%d elements: want %d, finite", len(bias), l.Out)
	}
	heads, n := len(l.Maps), l.Grid.Tokens()
	p, w, b := narrow(l.Attention...), narrow(l.Maps...), narrow(bias)
	return func(x []float32, images int) []float32 {
		y := make([]float32, images*n*l.Out)
		mixed := pool.Get(together * n * heads * l.In) // Σ_k P^h_qk·x_k, head after head
		defer pool.Put(mixed)
		for first := 0; first < images; first += together {
			count := min(together, images-first)
			z := gemm.Matrix((*mixed)[:count*n*heads*l.In], count*n, heads*l.In)
			threads.Parallel(count*heads, func(i int) {
				image, h := i/heads, i%heads
				tokens := gemm.Matrix(x[(first+image)*n*l.In:(first+image+1)*n*l.In], n, l.In)
				gemm.Plan{Serial: true}.Mul(z.Block(image*n, h*l.In, n, l.In), gemm.Matrix(p[h*n*n:(h+1)*n*n], n, n),
					tokens)
			})
			out := gemm.Matrix(y[first*n*l.Out:(first+count)*n*l.Out], count*n, l.Out)
			gemm.Mul(out, z, gemm.Matrix(w, heads*l.In, l.Out))
			if b != nil {
				gemm.AddRow(out, b)
			}
		}
		return y
	}, nil
}

// narrow returns rows in float32, one after the other; nil for none.
func narrow(rows ...[]float64) (x []float32) {
	for _, row := range rows {
		for _, v := range row {
			x = append(x, float32(v))
		}
	}
	return x
}

// A Score compares predictions with a layer's outputs, on other images than those of the fit.
type Score struct {
	From, To Grid // of inputs and outputs
	In, Out  int
	Images   int
	// Centered compares C·y, outputs less their mean over channels, which is all that a layer norm behind them reads.
	Centered   bool
	queries    []int // where they stand among the inputs
	predictors []Predictor
	residual   [][]float64 // Σ_X ‖y_q - ŷ_q‖² of each predictor, by query
	sum        []float64   // Σ_X y_q, (queries, out)
	squares    []float64   // Σ_X ‖y_q‖², by query
}

// NewScore returns an empty score of predictors.
func NewScore(from, to Grid, in, out int, predictors ...Predictor) (*Score, error) {
	queries, err := sampled(from, to)
	if err != nil {
		return nil, err
	}
	if in < 1 || out < 1 || in > maxWidth || out > maxWidth {
		return nil, wrong("channels", "%d × %d: want 1 to %d", in, out, maxWidth)
	}
	s := &Score{From: from, To: to, In: in, Out: out, queries: queries, predictors: predictors,
		residual: make([][]float64, len(predictors))}
	for i, p := range predictors {
		if p == nil {
			return nil, wrong("predictors", "%d is nil", i)
		}
		s.residual[i] = make([]float64, len(queries))
	}
	s.sum, s.squares = make([]float64, len(queries)*out), make([]float64, len(queries))
	return s, nil
}

// Add adds images: x (images, T, in) and y (images, queries, out).
func (s *Score) Add(x, y []float32) error {
	n := len(s.queries)
	count, err := images(x, y, s.From.Tokens()*s.In, n*s.Out)
	if err != nil {
		return err
	}
	s.Images += count
	threads.Parallel(n, func(q int) {
		sum := s.sum[q*s.Out : (q+1)*s.Out]
		for i := q * s.Out; i < len(y); i += n * s.Out {
			mean := s.mean(func(o int) float64 { return float64(y[i+o]) })
			for o, v := range y[i : i+s.Out] {
				d := float64(v) - mean
				sum[o] += d
				s.squares[q] += d * d
			}
		}
	})
	for j, predict := range s.predictors {
		got := predict(x, count)
		if len(got) != len(y) {
			return wrong("predictors", "%d has %d outputs, want %d", j, len(got), len(y))
		}
		threads.Parallel(n, func(q int) {
			sum := s.residual[j][q]
			for i := q * s.Out; i < len(y); i += n * s.Out {
				out := got[i : i+s.Out]
				mean := s.mean(func(o int) float64 { return float64(y[i+o]) - float64(out[o]) })
				for o, v := range y[i : i+s.Out] {
					d := float64(v) - float64(out[o]) - mean
					sum += d * d
				}
			}
			s.residual[j][q] = sum
		})
	}
	return nil
}

// mean is what Centered removes from values of the channels: their mean, or 0.
func (s *Score) mean(of func(channel int) float64) (mean float64) {
	if !s.Centered {
		return 0
	}
	for o := range s.Out {
		mean += of(o) / float64(s.Out)
	}
	return mean
}

// R2 returns 1 - Σ‖y_q - ŷ_q‖² / Σ‖y_q - ȳ‖² of a predictor, for the queries that are margin tokens of the input or
// more from every border; 0 is all. ȳ is the mean of these queries and images. It is NaN without images, or if y is
// constant.
func (s *Score) R2(predictor, margin int) float64 {
	return s.r2(predictor, func(inside bool) bool { return inside }, margin)
}

// BorderR2 is R2 of the other queries.
func (s *Score) BorderR2(predictor, margin int) float64 {
	return s.r2(predictor, func(inside bool) bool { return !inside }, margin)
}

func (s *Score) r2(predictor int, of func(inside bool) bool, margin int) float64 {
	inside := map[int]bool{}
	for _, q := range s.From.Inside(max(0, margin)) {
		inside[q] = true
	}
	mean, rows, residual, squares := make([]float64, s.Out), 0.0, 0.0, 0.0
	for q, at := range s.queries {
		if of(inside[at]) {
			floats.Add(mean, s.sum[q*s.Out:(q+1)*s.Out])
			rows += float64(s.Images)
			residual += s.residual[predictor][q]
			squares += s.squares[q]
		}
	}
	variance := squares - dot(mean, mean)/rows
	if !(variance > 1e-12*squares) { // y is constant, but for rounding
		return math.NaN()
	}
	return 1 - residual/variance
}
