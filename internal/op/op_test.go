package op

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
)

// A gradientCase is an operation and the shapes of its inputs.
type gradientCase struct {
	op Op
	in []Shape
}

// kernel returns the case's, or fails where its shapes are refused.
func (c gradientCase) kernel(t *testing.T) (Kernel, Shape) {
	t.Helper()
	out, err := c.op.Shape(c.in)
	if err != nil {
		t.Fatal(err)
	}
	return c.op.Kernel(c.in), out
}

// gradientCases has every operation that learns, at least once.
func gradientCases() []gradientCase {
	drop := Dropout{Rate: 0.3, Key: 7, Clock: &Clock{Step: 5}}
	own := drop
	own.PerImage = true
	target := &Target{Labels: []int32{2, 0, -1, 1}, Smoothing: 0.1}
	return []gradientCase{
		{LinearOp{}, []Shape{{2, 3, 7}, {5, 7}, {5}}},
		{LinearOp{}, []Shape{{4, 9}, {17, 9}}},
		{GELULinearOp{}, []Shape{{2, 3, 10}, {10}, {4, 10}, {4}}},
		{ProductOp{}, []Shape{{3, 5}, {5, 4}}},
		{ProductOp{}, []Shape{{3, 4}, {4, 2, 3, 3}}},
		{WithOneOp{}, []Shape{{2, 3, 5}}},
		{FoldInputOp{}, []Shape{{3, 2 * 5}, {5, 4}, {5}}},
		{ResidualNormOp{Dropout{}}, []Shape{{2, 3, 9}, {2, 3, 9}, {9}, {9}}},
		{ResidualNormOp{drop}, []Shape{{4, 33}, {4, 33}, {33}, {33}}},
		{ConvOp{ConvShape{Stride: 1}}, []Shape{{2, 5, 4, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{Stride: 2}}, []Shape{{2, 5, 6, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{Stride: 2}}, []Shape{{2, 4, 5, 3}, {5, 3, 1, 1}, {5}}},
		{ConvOp{ConvShape{Stride: 1}}, []Shape{{2, 3, 4, 2}, {3, 2, 4, 4}, {3}}},
		{ConvOp{ConvShape{1, true}}, []Shape{{2, 5, 4, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{2, true}}, []Shape{{2, 5, 6, 3}, {4, 3, 3, 3}}},
		{ConvOp{ConvShape{1, true}}, []Shape{{1, 5, 3, 16}, {16, 16, 3, 3}, {16}}},
		{ConvOp{ConvShape{1, true}}, []Shape{{2, 3, 4, 2}, {3, 2, 4, 4}, {3}}},
		{BatchNormOp{false, false, &Moments{}}, []Shape{{2, 3, 2, 5}, {5}, {5}}},
		{BatchNormOp{false, true, &Moments{}}, []Shape{{3, 2, 1, 4}, {4}, {4}}},
		{BatchNormOp{true, true, &Moments{}}, []Shape{{3, 2, 1, 4}, {4}, {4}, {3, 2, 1, 4}}},
		{BatchNormOp{true, false, &Moments{}}, []Shape{{9, 5}, {5}, {5}, {9, 5}}},
		{SpaceToDepthOp{2}, []Shape{{2, 4, 6, 3}}},
		{AsGridOp{2, 3}, []Shape{{2, 6, 3}}},
		{MeanTokensOp{}, []Shape{{2, 5, 3}}},
		{MeanTokensOp{}, []Shape{{2, 3, 2, 4}}},
		{CrossEntropyOp{target}, []Shape{{4, 3}}},
		{SoftmaxOp{}, []Shape{{2, 3, 5}}},
		{AxisScoresOp{Rows, 4}, []Shape{{2, 2}, {2}}},
		{AxisScoresOp{Cols, 3}, []Shape{{3, 2}, {3}}},
		{GeneralScoresOp{2, 3}, []Shape{{2, 2}, {2, 2, 2}}},
		{ShiftScoresOp{2, 3}, []Shape{{2, 9}}},
		{ShiftScoresOp{3, 5}, []Shape{{27}}},
		{FoldKeyOp{2, 0.7}, []Shape{{6, 5}, {6, 4}}},
		{FoldKeyOp{2, 0.7}, []Shape{{6}, {6, 4}}},
		{FoldTableOp{2, 1, 2, 0.7}, []Shape{{8, 5}, {7, 3}}},
		{FoldTableOp{2, 0, 2, 0.7}, []Shape{{8, 5}, {7, 8}}},
		{FoldTableOp{2, 0, 3, 0.7}, []Shape{{8}, {7, 8}}},
		{RepeatOp{2, 3}, []Shape{{4}}},
		{AddToEachOp{}, []Shape{{2, 3, 5}, {3, 5}}},
		{AddOp{}, []Shape{{2, 3}, {2, 3}}},
		{ReLUOp{}, []Shape{{2, 3}}},
		{GELUOp{}, []Shape{{2, 3, 5}}},
		{RunningNormOp{}, []Shape{{2, 3, 4}, {4}, {4}, {4}, {4}}},
		{ShiftsOfOp{2, 1, 2, 0.7}, []Shape{{3, 4, 8}, {7, 3}}},
		{ShiftsOfOp{2, 0, 3, 0.7}, []Shape{{3, 4, 8}, {7, 8}}},
		{FoldTableOp{2, 0, 4, 0.7}, []Shape{{8}, {7, 3}}},
		{MixFullOp{Dropout{}}, []Shape{{3, 6, 4}, {2, 6, 6}, {5, 8}, {5}}},
		{MixFullOp{drop}, []Shape{{3, 6, 4}, {2, 6, 6}, {5, 8}, {5}}},
		{OuterOp{}, []Shape{{2, 2, 2}, {2, 3, 3}}},
		{MixHeadsOp{false, Dropout{}}, []Shape{{3, 6, 4}, {2, 6, 6}}},
		{MixHeadsOp{false, own}, []Shape{{3, 6, 4}, {2, 6, 6}}},
		{MixHeadsOp{true, drop}, []Shape{{3, 6, 8}, {2, 6, 6}}},
		{MixHeadsOp{true, own}, []Shape{{3, 6, 8}, {2, 6, 6}}},
		{MixSeparableOp{Dropout{}}, []Shape{{3, 6, 4}, {2, 2, 2}, {2, 3, 3}, {5, 8}, {5}}},
		{MixSeparableOp{drop}, []Shape{{3, 6, 4}, {2, 2, 2}, {2, 3, 3}, {5, 8}, {5}}},
	}
}

// Every operation's backward must agree with central differences of its forward.
func TestGradients(t *testing.T) {
	for _, tt := range gradientCases() {
		t.Run(fmt.Sprintf("%s %v", tt.op, tt.in), func(t *testing.T) { checkGradient(t, tt) })
	}
}

// contentCases are sums over heads of 2 × 3 tokens, with each term and without, keys and values of each head and for
// all, by name.
func contentCases() map[string]gradientCase {
	heads := Heads{2, 2, 3}
	drop := Dropout{Rate: 0.3, Key: 7, Clock: &Clock{Step: 5}}
	own := drop
	own.PerImage = true
	wide, one, row, col := Shape{3, 6, 8}, Shape{3, 6, 4}, Shape{3, 6, 2 * 3}, Shape{3, 6, 2 * 5}
	cases := map[string]gradientCase{}
	for _, tt := range []struct {
		name string
		op   MixContentOp
		drop Dropout
		in   []Shape
	}{
		{"keys are values", MixContentOp{Content: true, KeyIsValue: true, Scale: 0.5}, drop, []Shape{one, wide}},
		{"and each head's own", MixContentOp{Content: true, KeyIsValue: true, Each: true, Scale: 0.5}, own, []Shape{wide, wide}},
		{"keys and values for all", MixContentOp{Content: true, Scale: 0.5}, Dropout{}, []Shape{one, wide, one}},
		{"keys of each head", MixContentOp{Content: true, Scale: 0.5}, own, []Shape{one, wide, wide}},
		{"both of each head", MixContentOp{Content: true, Each: true, Scale: 0.5}, own, []Shape{wide, wide, wide}},
		{"shifts", MixContentOp{Position: true}, own, []Shape{one, row, col}},
		{"content and shifts", MixContentOp{Content: true, KeyIsValue: true, Position: true, Scale: 0.5}, own,
			[]Shape{one, wide, row, col}},
		{"all, by itself", MixContentOp{Content: true, Each: true, Position: true, Scale: 1}, Dropout{},
			[]Shape{wide, wide, one, row, col}},
	} {
		tt.op.Heads, tt.op.Drop = heads, tt.drop
		cases[tt.name] = gradientCase{tt.op, tt.in}
	}
	return cases
}

func TestContentGradients(t *testing.T) {
	for name, tt := range contentCases() {
		t.Run(name, func(t *testing.T) { checkGradient(t, tt) })
	}
}

func checkGradient(t *testing.T, tt gradientCase) {
	t.Helper()
	k, outShape := tt.kernel(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var in, dIn [][]float32
	for _, s := range tt.in {
		in, dIn = append(in, random(rng, s.TotalSize())), append(dIn, random(rng, s.TotalSize())) // dIn starts dirty
	}
	out, dOut := make([]float32, outShape.TotalSize()), random(rng, outShape.TotalSize())
	if outShape.IsScalar() {
		dOut[0] = 1
	}
	lay(k)
	loss := func() (l float64) {
		k.Forward(out, in)
		for i, v := range out {
			l += float64(v) * float64(dOut[i])
		}
		return l
	}
	loss()
	y, read, dy := out, slices.Clone(in), slices.Clone(dOut)
	for _, i := range k.NotSaved {
		if i == Output {
			y = nil
		} else if i < len(in) {
			read[i] = nil
		}
	}
	if k.InPlace {
		dIn[0] = dy
	}
	k.Backward(dIn, dy, y, read)
	const h = 1e-2
	for i := range in {
		for j := range in[i] {
			at := in[i][j]
			in[i][j] = at + h
			up := loss()
			in[i][j] = at - h
			want := (up - loss()) / (2 * h)
			in[i][j] = at
			if got := float64(dIn[i][j]); math.Abs(got-want) > 2e-3*(1+math.Abs(want)) {
				t.Errorf("input %d element %d: gradient %.6g, central difference %.6g", i, j, got, want)
			}
		}
	}
}

// random returns n numbers in 0.1..1: weights of attention are positive, and dropped pairs with tiny weights do not
// count.
func random(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = 0.1 + 0.9*rng.Float32()
	}
	return s
}

// The separable operation must be the full one on the product of its weights, dropout included.
func TestSeparableIsFull(t *testing.T) {
	const batch, heads, rows, cols, out = 5, 3, 4, 6, 7
	tokens := rows * cols
	for _, tt := range []struct {
		in   int
		rate float32
	}{{10, 0}, {10, 0.25}, {sliceCols + 10, 0}, {sliceCols + 10, 0.25}} {
		t.Run(fmt.Sprintf("%d channels, dropout %v", tt.in, tt.rate), func(t *testing.T) {
			in := tt.in
			rng := rand.New(rand.NewPCG(3, 4))
			drop := Dropout{Rate: tt.rate, Key: 11, Clock: &Clock{Step: 3}}
			x, w, b := random(rng, batch*tokens*in), random(rng, out*heads*in), random(rng, out)
			r, c := random(rng, heads*rows*rows), random(rng, heads*cols*cols)
			kernel.SoftmaxRows(r, r, rows)
			kernel.SoftmaxRows(c, c, cols)
			p := make([]float32, heads*tokens*tokens)
			pair := func(f func(pi, ri, ci int)) {
				for i := range p {
					h, q, k := i/(tokens*tokens), i/tokens%tokens, i%tokens
					f(i, (h*rows+q/cols)*rows+k/cols, (h*cols+q%cols)*cols+k%cols)
				}
			}
			pair(func(pi, ri, ci int) { p[pi] = r[ri] * c[ci] })

			full := MixFullOp{drop}.Kernel([]Shape{{batch, tokens, in}, {heads, tokens, tokens}, {out, heads * in}, {out}})
			sep := MixSeparableOp{drop}.Kernel([]Shape{{batch, tokens, in}, {heads, rows, rows}, {heads, cols, cols},
				{out, heads * in}, {out}})
			lay(full)
			lay(sep)
			want, got := make([]float32, batch*tokens*out), make([]float32, batch*tokens*out)
			full.Forward(want, [][]float32{x, p, w, b})
			sep.Forward(got, [][]float32{x, r, c, w, b})
			near(t, "y", got, want)

			like := func(in ...[]float32) (d [][]float32) {
				for _, s := range in {
					d = append(d, make([]float32, len(s)))
				}
				return d
			}
			dy := random(rng, len(got))
			dFull, dSep := like(x, p, w, b), like(x, r, c, w, b)
			full.Backward(dFull, dy, want, [][]float32{x, p, w, b})
			sep.Backward(dSep, dy, got, [][]float32{x, r, c, w, b})
			dr, dc := make([]float32, len(r)), make([]float32, len(c))
			pair(func(pi, ri, ci int) { dr[ri] += dFull[1][pi] * c[ci]; dc[ci] += dFull[1][pi] * r[ri] })
			near(t, "dx", dSep[0], dFull[0])
			near(t, "dR", dSep[1], dr)
			near(t, "dC", dSep[2], dc)
			near(t, "dW", dSep[3], dFull[2])
			near(t, "db", dSep[4], dFull[3])
		})
	}
}

// lay gives k its scratch, full of NaN: what an operation finds there is nobody's.
func lay(k Kernel) {
	for _, s := range slices.Concat(k.Scratch, k.BackScratch) {
		*s.At = make([]float32, s.Floats)
		for i := range *s.At {
			(*s.At)[i] = float32(math.NaN())
		}
	}
}

// near compares to a millionth of the largest number.
func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	var size, worst float64
	at := 0
	for i := range want {
		size = max(size, math.Abs(float64(want[i])))
		if d := math.Abs(float64(got[i] - want[i])); d > worst || d != d {
			worst, at = d, i
		}
	}
	if !(worst <= 2e-6*size) {
		t.Errorf("%s[%d] = %v, want %v (largest %v)", name, at, got[at], want[at], size)
	}
}
