package op

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// kernelOf returns the kernel of a case, or fails where its shapes are refused.
func kernelOf(t *testing.T, c Case) (Kernel, Shape) {
	t.Helper()
	out, err := c.Op.Shape(c.In)
	if err != nil {
		t.Fatal(err)
	}
	return c.Op.Kernel(c.In), out
}

// Every operation's backward must agree with central differences of its forward.
func TestGradients(t *testing.T) {
	for _, tt := range Cases() {
		t.Run(fmt.Sprintf("%s %v", tt.Op, tt.In), func(t *testing.T) { checkGradient(t, tt) })
	}
}

func checkGradient(t *testing.T, tt Case) {
	t.Helper()
	k, outShape := kernelOf(t, tt)
	rng := rand.New(rand.NewPCG(1, 2))
	var in, dIn [][]float32
	for _, s := range tt.In {
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
			vec.SoftmaxRows(r, r, rows)
			vec.SoftmaxRows(c, c, cols)
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
