package analyse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

// seen accumulates images.
func seen(t *testing.T, g Grid, prefixed bool, images ...[][]float64) *Attention {
	t.Helper()
	a := must(NewAttention(g, len(images[0])))
	a.Prefixed = prefixed
	for _, p := range images {
		if err := a.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// ofImages is the layer of a mean over images, and its attention.
func ofImages(t *testing.T, l Layer, images ...[][]float64) (*Operator, *Attention) {
	t.Helper()
	a := seen(t, l.Grid, l.Prefixed, images...)
	l.Attention = a.Mean()
	return measured(t, l), a
}

// lose takes part of the weight of each row from the grid, another part for each head, query and image.
func lose(seed int, p [][]float64, n int) [][]float64 {
	all := make([][]float64, len(p))
	for h := range p {
		for q := range n {
			on := 0.1 + 0.9*math.Abs(math.Sin(float64(seed+1)*float64(1+h+7*q)))
			for _, v := range p[h][q*n : (q+1)*n] {
				all[h] = append(all[h], on*v)
			}
		}
	}
	return all
}

// The parts are those of the dense operators of the images: distances from the mean, and of the mean from convolutions.
func TestContentIsThatOfDenseOperators(t *testing.T) {
	g := Grid{Rows: 4, Cols: 9}
	for _, prefixed := range []bool{false, true} {
		l := randomLayer(1, g, 3, 2, 3)
		l.Prefixed = prefixed
		var images [][][]float64
		var all []dense
		for i := range 4 {
			p := randomLayer(uint64(10+i), g, 3, 1, 1).Attention
			if prefixed {
				p = lose(i, p, 36)
			}
			images = append(images, p)
			all = append(all, operatorOf(Layer{Grid: g, In: 2, Out: 3, Attention: p, Maps: l.Maps}))
		}
		o, a := ofImages(t, l, images...)
		c, err := o.Content(a)
		if err != nil {
			t.Fatal(err)
		}
		mean := operatorOf(o.Layer)
		norm, away := 0.0, 0.0 // E‖L_X‖², E‖L_X - E L‖²
		for _, d := range all {
			for q := range d.block {
				for k := range d.block[q] {
					for i, v := range d.block[q][k] {
						norm += v * v / 4
						away += (v - mean.block[q][k][i]) * (v - mean.block[q][k][i]) / 4
					}
				}
			}
		}
		kernel := mean.nearest(0)
		left := mean.distance(0, -1, nil)
		s := c.Sample.Mean
		for i, got := range []float64{s.K1, s.K3, s.K5, s.K7, s.Larger} {
			reach := i
			if i == 4 {
				reach = 99
			}
			next := mean.distance(0, reach, kernel)
			near(t, "a ring", got, (left-next)/norm, 1e-12)
			left = next
		}
		near(t, "place", s.Place, left/norm, 1e-12)
		near(t, "content", c.Sample.Content, away/norm, 1e-12)
		if c.Sample.Content < 0.01 {
			t.Errorf("random images differ by %g only", c.Sample.Content)
		}
		u := c.Unbiased
		near(t, "all of the unbiased parts", u.Mean.Within(99)+u.Mean.Place+u.Content, 1, 1e-12)
		near(t, "unbiased content", u.Content, c.Sample.Content*4/3, 1e-12)
	}
}

// Over all pairs of images that can be drawn from four, the unbiased parts of the squared norm are on average those of
// the four, and the parts of the sample are not.
func TestContentIsUnbiased(t *testing.T) {
	l := randomLayer(3, Grid{Rows: 9, Cols: 3}, 2, 2, 2)
	var images [][][]float64
	for i := range 4 {
		images = append(images, randomLayer(uint64(30+i), l.Grid, 2, 1, 1).Attention)
	}
	parts := func(c Content, s ImageShares, o *Operator) []float64 {
		norm := o.Norm() / (1 - c.Sample.Content) // E‖L_X‖²
		all := append(s.Mean.List(), s.Content)
		for i := range all {
			all[i] *= norm
		}
		return all
	}
	o, a := ofImages(t, l, images...)
	whole := must(o.Content(a))
	want := parts(whole, whole.Sample, o)
	unbiased, biased := make([]float64, 7), make([]float64, 7)
	for _, x := range images {
		for _, y := range images {
			o, a := ofImages(t, l, x, y)
			c := must(o.Content(a))
			for i, v := range parts(c, c.Unbiased, o) {
				unbiased[i] += v / 16
				biased[i] += parts(c, c.Sample, o)[i] / 16
			}
		}
	}
	for i := range want {
		near(t, "a part of two images", unbiased[i], want[i], 1e-12)
	}
	near(t, "content of two images", biased[6], want[6]/2, 1e-12)
	if biased[5] < want[5]*1.05 {
		t.Errorf("place of two images is %g, of all %g: want more", biased[5], want[5])
	}
}

// Uniform attention has Σ_Δ N_δ/T² of its norm in K × K, 100 of 256 on 4 × 4, and nothing of the image.
func TestContentOfUniformAttention(t *testing.T) {
	g := Grid{Rows: 4, Cols: 4}
	l := Layer{Grid: g, In: 1, Out: 1, Maps: [][]float64{{2}}}
	o, a := ofImages(t, l, [][]float64{uniform(g)}, [][]float64{uniform(g)}, [][]float64{uniform(g)})
	c := must(o.Content(a))
	for _, s := range []ImageShares{c.Sample, c.Unbiased} {
		near(t, "3 × 3", s.Mean.Within(3), 100./256, 1e-12)
		near(t, "place", s.Mean.Place, 0, 1e-12)
		near(t, "content", s.Content, 0, 1e-12)
	}
	if shares, _ := o.Shares(0); math.Abs(shares.Within(3)-0.390625) > 1e-12 {
		t.Errorf("3 × 3 of the mean: %g", shares.Within(3))
	}
	if one := seen(t, g, false, [][]float64{uniform(g)}); second(o.Content(one)) == nil {
		t.Error("one image says nothing on content")
	}
	if other := seen(t, Grid{Rows: 2, Cols: 8}, false, [][]float64{uniform(g)}, [][]float64{uniform(g)}); second(
		o.Content(other)) == nil {
		t.Error("of another grid")
	}
}

// One head is a mean of 3 × 3 with 5 % on a class token. The other has 95 % on it, and the rest on one far key. As the
// layer computes, 94.0 % is one 3 × 3 convolution; with rows divided by what is left, it would be 10.9 %.
func TestPrefixOfRowsAsTheyAre(t *testing.T) {
	g := Grid{Rows: 14, Cols: 14}
	share := func(near, far float64) float64 {
		local, away := make([]float64, 196*196), make([]float64, 196*196)
		for q := range 196 {
			var keys []int
			for k := range 196 {
				if abs(k/14-q/14) <= 1 && abs(k%14-q%14) <= 1 {
					keys = append(keys, k)
				}
			}
			for _, k := range keys {
				local[q*196+k] = near / float64(len(keys))
			}
			away[q*196+(q+73)%196] = far
		}
		l := Layer{Grid: g, In: 1, Out: 2, Attention: [][]float64{local, away}, Maps: [][]float64{{1, 0}, {0, 1}},
			Prefixed: true}
		return must(measured(t, l).Shares(0)).Within(3)
	}
	near(t, "as the layer computes", share(0.95, 0.05), 0.940, 0.0005)
	near(t, "divided by what is left", share(1, 1), 0.109, 0.0005)
}

// With a prefix, the terms are of the distribution that a pair (q, X) has by its weight on the grid. With the choice
// between grid and prefix they add up to the entropy of the shift or none.
func TestChainRuleWithPrefix(t *testing.T) {
	g := Grid{Rows: 3, Cols: 5}
	const n, images = 15, 4
	var all [][][]float64
	for i := range images {
		all = append(all, lose(i, randomLayer(uint64(40+i), g, 2, 1, 1).Attention, n))
	}
	a := seen(t, g, true, all...)
	for h, c := range must(a.Chain(0)) {
		joint := map[[2]int]float64{} // of shift and query, given that the key is on the grid
		pi, at, on := map[int]float64{}, make([]float64, n), 0.0
		shift := func(q, k int) int { return (k/5-q/5)*100 + k%5 - q%5 }
		for _, p := range all {
			for i, v := range p[h] {
				on += v / (n * images)
				joint[[2]int{shift(i/n, i%n), i / n}] += v
				pi[shift(i/n, i%n)] += v
				at[i/n] += v
			}
		}
		h0 := func(values ...float64) (bits float64) {
			sum := 0.0
			for _, v := range values {
				sum += v
			}
			for _, v := range values {
				if v > 0 {
					bits -= v / sum * math.Log2(v/sum)
				}
			}
			return bits
		}
		var shifts, joints, rows, weights []float64
		for _, v := range pi {
			shifts = append(shifts, v)
		}
		for _, v := range joint {
			joints = append(joints, v)
		}
		for _, p := range all {
			for q := range n {
				weights = append(weights, 0)
				for _, v := range p[h][q*n : (q+1)*n] {
					rows = append(rows, v)
					weights[len(weights)-1] += v
				}
			}
		}
		near(t, "blur", c.Blur, h0(rows...)-h0(weights...), 1e-12)
		near(t, "shift", c.Shift, h0(shifts...), 1e-12)
		near(t, "place", c.Place, h0(shifts...)-h0(joints...)+h0(at...), 1e-12)
		near(t, "chain rule", c.Blur+c.Place+c.Content, c.Shift, 1e-12)
		near(t, "chain rule of keys", c.Blur+c.KeyPlace+c.Content, c.Key, 1e-12)
		near(t, "elsewhere", a.Elsewhere()[h], 1-on, 1e-12)
		none := append([]float64{(1 - on) * n * images}, shifts...)
		near(t, "with the choice", c.Choice+(1-a.Elsewhere()[h])*c.Shift, h0(none...), 1e-12)
	}
}

// Where a head looks does not depend on what it has on a prefix: a tap is one, and a position-only head has the place
// bits of its borders.
func TestLooksOfPrefixedHeads(t *testing.T) {
	g := Grid{Rows: 6, Cols: 6}
	scores := normals(rand.New(rand.NewPCG(4, 4)), 121)
	p := make([]float64, 36*36)
	for q := range 36 {
		row := p[q*36 : (q+1)*36]
		for k := range row {
			row[k] = scores[(k/6-q/6+5)*11+k%6-q%6+5]
		}
		geometry.Softmax(row)
	}
	heads := append(must(Taps(g, []Shift{{0, 1}}, Zeros)), p)
	images := [][][]float64{lose(1, heads, 36), lose(2, heads, 36)}
	o, a := ofImages(t, Layer{Grid: g, In: 1, Out: 1, Maps: [][]float64{{1}, {1}}, Prefixed: true}, images...)
	near(t, "weight of a tap", o.Weight(0, Shift{0, 1}), 1, 1e-12)
	near(t, "peak of a tap", o.Geometry()[0].PeakMean, 1, 1e-12)
	near(t, "distance of a tap", o.Geometry()[0].Distance, 1, 1e-12)
	if p := must(o.Profiles())[0]; p.Tap == nil || *p.Tap != (Shift{0, 1}) {
		t.Errorf("profile of a tap: %v", p.Tap)
	}
	if _, f, _ := o.TapScore(); f[0] != (Shift{0, 1}) {
		t.Errorf("layout of a tap: %v", f[0])
	}
	near(t, "mean of the operator", o.MeanByShift(0, Shift{0, 1}), 1-meanLoss(images, 0), 1e-12)
	c := must(a.Chain(0))
	near(t, "content of a head that does not depend on the image", c[1].Content, 0, 1e-12)
	near(t, "place of a position-only head, from its borders", c[1].Border, c[1].Place, 1e-6)
	if c[1].Place < 0.05 || c[0].NMI < 0.9 {
		t.Errorf("%+v", c)
	}
}

// meanLoss is what the tap (0, 1) loses to the prefix, over the queries for which it is on the grid of 6 × 6.
func meanLoss(images [][][]float64, h int) (loss float64) {
	for _, p := range images {
		for q := range 36 {
			if q%6 < 5 {
				loss += (1 - p[h][q*36+q+1]) / float64(30*len(images))
			}
		}
	}
	return loss
}

// A head that has all of its weight on a prefix looks nowhere.
func TestHeadOnItsPrefix(t *testing.T) {
	g := Grid{Rows: 2, Cols: 3}
	p := [][]float64{make([]float64, 36), uniform(g)}
	o, a := ofImages(t, Layer{Grid: g, In: 1, Out: 1, Maps: [][]float64{{1}, {1}}, Prefixed: true}, p, p)
	if c := must(a.Chain(0)); c[0] != (Chain{}) || c[1].Choice != 0 {
		t.Errorf("%+v", c)
	}
	if m := a.Elsewhere(); m[0] != 1 || m[1] > 1e-12 {
		t.Errorf("elsewhere: %v", m)
	}
	if v := o.Geometry()[0]; v.Distance != 0 || v.PeakMean != 0 {
		t.Errorf("%+v", v)
	}
}
