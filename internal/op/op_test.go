package op

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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
	if strings.HasPrefix(tt.Op.String(), "max-pool") { // where two are almost the largest, differences say nothing
		for i, rank := range rng.Perm(len(in[0])) {
			in[0][i] = float32(rank) / 8
		}
	}
	if tt.Op == (BroadcastOp{Over}) { // far from 0
		for i := range in[1] {
			in[1][i]++
		}
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

// Every backward skips what it says it skips, where it finds nil, and computes the same for the other inputs.
func TestGradientsNotAskedFor(t *testing.T) {
	for _, c := range Cases() {
		if len(c.In) == 1 {
			continue
		}
		t.Run(fmt.Sprintf("%s %v", c.Op, c.In), func(t *testing.T) {
			all := gradientsBut(t, c, nil)
			k, _ := kernelOf(t, c)
			for mask := range 1 << len(k.Skips) { // bit i: input Skips[i] has none
				none := map[int]bool{}
				for i, skipped := range k.Skips {
					none[skipped] = mask>>i&1 == 1
				}
				for i, d := range gradientsBut(t, c, none) {
					if !none[i] && !slices.Equal(d, all[i]) {
						t.Errorf("without those of %v: the gradient of input %d differs", none, i)
					}
				}
			}
		})
	}
}

// gradientsBut returns the gradients of all inputs but those of none.
func gradientsBut(t *testing.T, c Case, none map[int]bool) [][]float32 {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("without those of %v: %v", none, p)
		}
	}()
	k, out := kernelOf(t, c)
	rng := rand.New(rand.NewPCG(1, 2))
	in, dIn := make([][]float32, len(c.In)), make([][]float32, len(c.In))
	for i, s := range c.In {
		if in[i] = random(rng, s.TotalSize()); !none[i] {
			dIn[i] = make([]float32, s.TotalSize())
		}
	}
	y, dy := make([]float32, out.TotalSize()), random(rng, out.TotalSize())
	lay(k)
	k.Forward(y, in)
	k.Backward(dIn, dy, y, in)
	return dIn
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
