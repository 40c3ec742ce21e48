package theorem

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyConv draws a convolution and a size of images that are large enough for it.
func anyConv[F Float](t *rapid.T) (c *Conv[F], size []int) {
	c = &Conv[F]{Groups: rapid.IntRange(1, 2).Draw(t, "groups"), Flip: rapid.Bool().Draw(t, "flip")}
	c.In = c.Groups * rapid.IntRange(1, 2).Draw(t, "in/groups")
	c.Out = c.Groups * rapid.IntRange(1, 2).Draw(t, "out/groups")
	c.Border = Border(rapid.IntRange(0, len(Borders)-1).Draw(t, "border"))
	for range rapid.IntRange(1, 3).Draw(t, "axes") {
		draw := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
		k, d := draw("kernel", 1, 4), draw("dilation", 1, 2)
		c.Kernel, c.Dilation, c.Stride = append(c.Kernel, k), append(c.Dilation, d),
			append(c.Stride, draw("stride", 1, 3))
		before, after := draw("before", 0, 3), draw("after", 0, 3)
		c.Before, c.After = append(c.Before, before), append(c.After, after)
		size = append(size, max(1, (k-1)*d+1-before-after, draw("size", 1, 4)))
	}
	c.draw(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
	return c, size
}

// draw draws normal weights and biases.
func (c *Conv[F]) draw(rng *rand.Rand) {
	in := c.In / c.groups()
	c.Weight, c.Bias = normal[F](rng, c.Out*in*c.Entries(), 1/float64(in*c.Entries())), normal[F](rng, c.Out, 1)
}

func normal[F Float](rng *rand.Rand, n int, variance float64) []F {
	v := make([]F, n)
	for i := range v {
		v[i] = F(rng.NormFloat64() * math.Sqrt(variance))
	}
	return v
}

// Theorem 1, for every geometry, bit for bit: both sum in the same order.
func TestConvolutionBecomesAttention(t *testing.T) {
	t.Run("float32", rapid.MakeCheck(becomesAttention[float32]))
	t.Run("float64", rapid.MakeCheck(becomesAttention[float64]))
}

func becomesAttention[F Float](t *rapid.T) {
	c, size := anyConv[F](t)
	rng := rand.New(rand.NewPCG(1, uint64(c.Entries())))
	x := normal[F](rng, Volume(size)*c.In, 1)
	l, err := FromConv(c, FromOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, got := c.Forward(size, x)[0], l.Forward(size, x)[0]
	if !slices.Equal(got, want) {
		t.Errorf("%+v on %v: attention %v, convolution %v", c.Geometry, size, got, want)
	}
}

// Padding on one side puts queries several periods behind the first key.
func TestQueriesBehindManyPeriods(t *testing.T) {
	c := &Conv[float64]{Geometry: Geometry{Kernel: []int{2}, After: []int{7}, Border: Circular}, In: 1, Out: 1,
		Weight: []float64{1, 10}}
	l, err := FromConv(c, FromOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{21, 12, 21, 12, 21, 12, 21, 12} // x = 1, 2, 1, 2, …
	if got := l.Forward([]int{2}, []float64{1, 2})[0]; !slices.Equal(got, want) {
		t.Errorf("attention is %v, want %v", got, want)
	}
}

// The paper's eq. 5 in one dimension: x = 1, 2, 3, kernel 1, 10, 100 at shifts -1, 0, 1.
func TestConvolution(t *testing.T) {
	for _, tt := range []struct {
		name string
		g    Geometry
		flip bool
		want []float64
	}{
		{"unpadded", Geometry{Kernel: []int{3}}, false, []float64{321}},
		{"zeros", Geometry{Kernel: []int{3}, Before: []int{1}, After: []int{1}}, false, []float64{210, 321, 32}},
		{"flipped", Geometry{Kernel: []int{3}, Before: []int{1}, After: []int{1}}, true, []float64{12, 123, 230}},
		{"replicate", Geometry{Kernel: []int{3}, Before: []int{1}, After: []int{1}, Border: Replicate}, false,
			[]float64{211, 321, 332}},
		{"circular", Geometry{Kernel: []int{3}, Before: []int{1}, After: []int{1}, Border: Circular}, false,
			[]float64{213, 321, 132}},
		{"stride 2", Geometry{Kernel: []int{3}, Before: []int{1}, After: []int{1}, Stride: []int{2}}, false,
			[]float64{210, 32}},
		{"dilation 2", Geometry{Kernel: []int{3}, Before: []int{2}, After: []int{2}, Dilation: []int{2}}, false,
			[]float64{310, 20, 31}},
	} {
		c := Conv[float64]{Geometry: tt.g, In: 1, Out: 1, Flip: tt.flip, Weight: []float64{1, 10, 100}}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		if got := c.Forward([]int{3}, []float64{1, 2, 3})[0]; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A hard head copies pixels bit for bit, whatever values the others have.
func TestHardHeadsCopy(t *testing.T) {
	t.Run("float32", copies[float32])
	t.Run("float64", copies[float64])
}

func copies[F Float](t *testing.T) {
	big, tiny := F(1e30), F(1e-30)
	c := &Conv[F]{Geometry: Geometry{Kernel: []int{3, 3}, Before: []int{1, 1}, After: []int{1, 1}}, In: 1, Out: 1}
	c.draw(rand.New(rand.NewPCG(1, 1)))
	l, err := FromConv(c, FromOptions{Alpha: Hard[F]()})
	if err != nil {
		t.Fatal(err)
	}
	x, z := make([]F, 25), make([]F, 1)
	for i := range x {
		x[i] = []F{big, tiny}[i%2]
	}
	shifts := c.Shifts()
	l.Attend([]int{5, 5}, func(h, q int, keys []int, p []F) {
		if sorted := slices.Sorted(slices.Values(p)); sorted[len(p)-2] != 0 {
			t.Errorf("head %d, query %d: a wrong pixel has weight %g", h, q, sorted[len(p)-2])
		}
		Mix(z, x, keys, p)
		var want F
		if k, inside := Zero.Resolve([]int{5, 5}, []int{q/5 + shifts[h][0], q%5 + shifts[h][1]}); inside {
			want = x[k]
		}
		if z[0] != want {
			t.Errorf("head %d, query %d: %g, want %g", h, q, z[0], want)
		}
	})
}

func TestGaussianIsTheQuadraticEncoding(t *testing.T) {
	g := Gaussian[float64]{Center: []float64{1, -2}, Alpha: 3}
	for _, shift := range [][]int{{0, 0}, {1, -2}, {4, 5}, {-3, 1}} {
		v, r := g.Vectors(shift)
		dot := -3.0 * (1 + 4)
		for i := range v {
			dot += v[i] * r[i]
		}
		if got := g.Score(shift); math.Abs(got-dot) > 1e-12 {
			t.Errorf("at %v: score %g, v·r - α‖Δ‖² = %g", shift, got, dot)
		}
	}
}

func TestWhatCannotBeConverted(t *testing.T) {
	ok := func() *Conv[float64] {
		return &Conv[float64]{Geometry: Geometry{Kernel: []int{2}}, In: 1, Out: 2, Weight: make([]float64, 4)}
	}
	for _, tt := range []struct {
		spoil func(c *Conv[float64], o *FromOptions)
		want  string
	}{
		{func(c *Conv[float64], _ *FromOptions) { c.Kernel = nil }, "want a size for every axis"},
		{func(c *Conv[float64], _ *FromOptions) { c.Stride = []int{0} }, "stride: want integers from 1, got [0]"},
		{func(c *Conv[float64], _ *FromOptions) { c.Before = []int{1, 1} }, "padding before: want 1 integers"},
		{func(c *Conv[float64], _ *FromOptions) { c.Border = 7 }, "want one of zero, replicate, circular"},
		{func(c *Conv[float64], _ *FromOptions) { c.Groups = 2 }, "want channels that 2 groups divide"},
		{func(c *Conv[float64], _ *FromOptions) { c.Weight = nil }, "weight: want 4 elements"},
		{func(c *Conv[float64], _ *FromOptions) { c.Bias = make([]float64, 1) }, "bias: want 2 elements"},
		{func(_ *Conv[float64], o *FromOptions) { o.Order = []int{0, 0} },
			"want each entry of the kernel once at most"},
		{func(_ *Conv[float64], o *FromOptions) { o.Alpha = -1 }, "want a number above 0"},
	} {
		c, o := ok(), FromOptions{}
		tt.spoil(c, &o)
		if _, err := FromConv(c, o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}
