package gemm

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel"
	"github.com/attnconv/attnconv/internal/kernel/kerneltest"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// eachForm runs f with every set that this CPU can run, and both forms of bfloat16 where it has both.
func eachForm(t *testing.T, f func(t *testing.T)) {
	forms := []bool{false}
	if kernel.HasBF16() {
		forms = append(forms, true)
	}
	choose := pairsAreFaster
	t.Cleanup(func() { pairsAreFaster = choose })
	for _, pairs := range forms {
		eachSet(t, func(t *testing.T) {
			pairsAreFaster = func() bool { return pairs }
			t.Run(fmt.Sprintf("pairs=%t", pairs), f)
		})
	}
}

// exactDot is Σ a·b in bfloat16 as BF16 says it for the form in use, in arithmetic of any precision, for blocks of so
// many steps.
func exactDot(a, b []float32, block int) float32 {
	sum := exactPairs
	if form() == &best.Blocks {
		sum = exactBlocks
	}
	c := sum(a[:min(block, len(a))], b[:min(block, len(b))])
	for first := block; first < len(a); first += block {
		end := min(first+block, len(a))
		c += sum(a[first:end], b[first:end])
	}
	return c
}

// exactPairs is Σ a·b by VDPBF16PS.
func exactPairs(a, b []float32) (c float32) {
	for l := range len(a) + len(a)%2 {
		c = exactSum(c, a, b, l^1)
	}
	return c
}

// exactBlocks is Σ a·b by TDPBF16PS.
func exactBlocks(a, b []float32) (c float32) {
	for i := 0; i < len(a); i += 32 {
		var even, odd float32
		for l := i; l < min(i+32, len(a)); l += 2 {
			even, odd = exactSum(even, a, b, l), exactSum(odd, a, b, l+1)
		}
		c = flushed(c + flushed(even+odd))
	}
	return c
}

// exactSum is s + a[l]·b[l], rounded once; behind the last element there is a zero.
func exactSum(s float32, a, b []float32, l int) float32 {
	if l >= len(a) {
		return flushed(s + 0)
	}
	x, y := flushed(nearest(a[l])), flushed(nearest(b[l]))
	sum := float64(x) * float64(y)
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) || math.IsInf(float64(s), 0) || math.IsNaN(float64(s)) {
		return flushed(s + float32(sum))
	}
	if t := sum + float64(s); t-sum == float64(s) && t-float64(s) == sum && math.Abs(t) >= 0x1p-125 {
		return float32(t) // t is exact
	}
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(v) }
	product := new(big.Float).SetPrec(2000).Mul(exact(float64(x)), exact(float64(y)))
	rounded := new(big.Float).SetPrec(24).Set(product.Add(product, exact(float64(s)))) // of any exponent
	s, _ = rounded.Float32()
	if rounded.MinPrec() > 0 && rounded.MantExp(nil) < -125 {
		s = float32(math.Copysign(0, float64(s)))
	}
	return s
}

// nearest searches the two neighbors of x in bfloat16 for the nearer one, or the even one of two.
func nearest(x float32) float32 {
	below := math.Float32frombits(math.Float32bits(x) &^ 0xffff)
	if below == x || x != x || math.IsInf(float64(x), 0) {
		return x
	}
	above := math.Float32frombits(math.Float32bits(below) + 1<<16)
	lower, upper := math.Abs(float64(x)-float64(below)), math.Abs(float64(above)-float64(x))
	if math.IsInf(float64(above), 0) {
		upper = math.Abs(math.Copysign(0x1p128, float64(x)) - float64(x))
	}
	if lower < upper || lower == upper && math.Float32bits(below)>>16&1 == 0 {
		return below
	}
	return above
}

func sameBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != got[i] && want[i] != want[i] {
			continue
		}
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d is %g (%x), want %g (%x)", what, i, got[i], math.Float32bits(got[i]), want[i],
				math.Float32bits(want[i]))
		}
	}
}

// fill draws elements of any sign and magnitude, and among them zeros, subnormal, infinite and undefined ones where
// wild.
func fill(r *rand.Rand, x []float32, wild bool) {
	for i := range x {
		x[i] = float32(r.NormFloat64())
		switch {
		case !wild:
		case r.IntN(40) == 0:
			x[i] = []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, 0x1p-149, -0x1p-127}[r.IntN(5)]
		case r.IntN(1000) == 0:
			x[i] = []float32{float32(math.Inf(1)), float32(math.NaN()), math.Float32frombits(0x7f800001)}[r.IntN(3)]
		default:
			x[i] *= float32(math.Ldexp(1, -40-r.IntN(80)))
		}
	}
}

// The product is the sum that BF16 defines, to the bit, for all heights of a tile, odd and even k, and every way to
// pack.
func TestBF16(t *testing.T) { eachForm(t, testBF16) }

func testBF16(t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {2, 3, 4}, {13, 16, 48}, {31, 24, 33}, {16, KC, 16}, {50, 51, 70}, {150, 9, 260},
		{sharedRows + 6, 5, 40}}
	for m := 1; m <= 25; m++ {
		shapes = append(shapes, [3]int{m, 1 + m*7%13, 1 + m*29%67})
	}
	shapes = append(shapes, [3]int{12, 33, 64}, [3]int{14, KC + 51, 37}, [3]int{14, KCBF16 + 51, 37})
	for _, n := range []int{15, 16, 17, 29, 31, 47, 48, 49, 63} { // columns of whole tiles, halves and neither
		shapes = append(shapes, [3]int{5, 18, n}, [3]int{12, 35, n})
	}
	for i, d := range shapes {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		a, fenceA := inside(d[0], d[1], i%2 == 0, 1)
		b, fenceB := inside(d[1], d[2], i%3 == 0, 2)
		fill(r, fenceA.In, i%4 == 1)
		fill(r, fenceB.In, i%4 == 1)
		exact := func(block int) []float32 {
			c := make([]float32, 0, d[0]*d[2])
			row, col := make([]float32, d[1]), make([]float32, d[1])
			for i := range d[0] {
				for j := range d[2] {
					for l := range d[1] {
						row[l], col[l] = at(a, i, l), at(b, l, j)
					}
					c = append(c, exactDot(row, col, block))
				}
			}
			return c
		}
		split, whole := exact(threads.Split(d[1], 800, 8)), exact(d[1])
		a, b = a.BF16(), b.BF16()
		packed := func() (Mat, Mat) {
			return PackA(a, nil), PackB(b, make([]float32, PackedBFloats(d[1], d[2])))
		}
		ways := map[string]func(c Mat){
			"planned":  func(c Mat) { Mul(c, a, b) },
			"in place": func(c Mat) { Plan{InPlaceA: true, InPlaceB: true}.Mul(c, a, b) },
			"parallel": func(c Mat) { (&Plan{}).parallel(c, a, b) },
			"batch":    func(c Mat) { MulBatch(Same(c, 1), Same(a, 1), Same(b, 1), false) },
			"packed": func(c Mat) {
				a, b := packed()
				for j := 0; j < d[2]; j += widest {
					n := min(widest, d[2]-j)
					Mul(c.Cols(j, n), a, b.Cols(j, n))
				}
			},
		}
		for way, f := range ways {
			c, fence := inside(d[0], d[2], false, 3)
			f(c)
			got, want := make([]float32, 0, len(split)), split
			if way == "packed" {
				want = whole
			}
			for i := range d[0] {
				got = append(got, c.Row(i)...)
			}
			sameBits(t, fmt.Sprintf("%s %v", way, d), got, want)
			if fence.Broken() || fenceA.Broken() || fenceB.Broken() {
				t.Fatalf("%s %v: wrote outside of a slice", way, d)
			}
		}
	}
}

// Panels have zeros beyond their last column, and nothing is read there.
func TestBF16PanelsEndInZeros(t *testing.T) {
	eachForm(t, func(t *testing.T) {
		nr := best.Tiles.NR
		for n := 1; n < nr; n++ {
			for _, transposed := range []bool{false, true} {
				b, _ := inside(37, n, transposed, 1)
				memory := kerneltest.NewFence(37*nr, 2)
				form().PackB(memory.In, nr, n, 37, b.data, b.stride, transposed)
				b.bf16 = true
				for l := range b.depth(37) {
					for j := n; j < nr; j++ {
						if v := memory.In[l*nr+j]; v != 0 {
							t.Fatalf("%d columns, transposed=%t: column %d of row %d is %g", n, transposed, j, l, v)
						}
					}
				}
				if memory.Broken() {
					t.Fatalf("%d columns, transposed=%t: wrote outside of the panel", n, transposed)
				}
			}
		}
	})
}

// A sum just below the smallest normal number is zero, unless it rounds up to that number with 24 bits of mantissa.
func TestBF16SumsThatAreAlmostNormal(t *testing.T) {
	eachForm(t, func(t *testing.T) {
		switch kernel.Name() {
		case "neon":
			t.Skip("ARM64 flushes before it rounds")
		case "amx":
			t.Skip("the order of the sum is another")
		}
		for _, k := range []float32{4, 2, 1, 0.5, 0.25} { // the sum is 2⁻¹²⁶·(1 - k·2⁻²⁴)
			for _, sign := range []float32{1, -1} {
				a, b := []float32{-sign * k * 0x1p-75, sign * 0x1p-63}, []float32{0x1p-75, 0x1p-63}
				c := make([]float32, 1)
				Mul(Matrix(c, 1, 1), Matrix(a, 1, 2).BF16(), Matrix(b, 2, 1).BF16())
				sameBits(t, fmt.Sprintf("k = %g, sign %g", k, sign), c, []float32{exactDot(a, b, len(a))})
				if normal := k < 1; normal != (c[0] != 0) {
					t.Errorf("k = %g: %g", k, c[0])
				}
			}
		}
	})
}

// Deep products are cut at the same steps, and added to C, with the same bits by every set and form but amx, whose bits
// are its own.
func TestBF16SameBitsEverywhere(t *testing.T) {
	d := [3]int{70, 2*KCBF16 + 11, 90}
	a, b := kerneltest.Sample(d[0]*d[1], 1), kerneltest.Sample(d[1]*d[2], 2)
	wanted := map[bool][]float32{} // whether by AMX
	eachForm(t, func(t *testing.T) {
		for _, serial := range []bool{true, false} {
			c := kerneltest.Sample(d[0]*d[2], 3)
			Plan{Add: true, Serial: serial}.Mul(Matrix(c, d[0], d[2]), Matrix(a, d[0], d[1]).BF16(),
				Matrix(b, d[1], d[2]).BF16())
			amx := form() == &best.Blocks
			if wanted[amx] == nil {
				wanted[amx] = c
			}
			sameBits(t, fmt.Sprintf("serial=%t", serial), c, wanted[amx])
		}
	})
}

func TestRoundedIsTheNearest(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		x := make([]float32, 5001)
		for i := range x {
			x[i] = math.Float32frombits(r.Uint32())
			if i%3 == 0 { // ties
				x[i] = math.Float32frombits(math.Float32bits(x[i])&^0xffff | 1<<15)
			}
		}
		want := make([]float32, len(x))
		for i, v := range x {
			want[i] = nearest(v)
		}
		got := make([]float32, len(x))
		best.Rounded.PackA(got, 1, len(x), x, len(x), false)
		sameBits(t, "rounded", got, want)
	})
}
