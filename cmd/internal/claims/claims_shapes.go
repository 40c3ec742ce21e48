package claims

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/theorem"
)

// Heads that are not Gaussian, and heads whose shape depends on the content.
var shapes = []Claim{
	{
		ID: "edge-detectors",
		Statement: "One layer with content can be two edge detectors, at +45° and -45°, and choose between them for " +
			"each pixel by its content. The best 3 × 3 convolution is far from that.",
		By: Article, Verdict: Holds, Tolerance: 1e-12,
		Reason: "the term query·shift of eq. 8; the distance from a convolution: ours",
		check:  edgeDetectors,
	},
	{
		ID: "disc",
		Statement: "Heads with uniform attention on a disc of radius R, each around a different shift, are also one " +
			"convolution.",
		By: Slides, Verdict: HoldsIf, Tolerance: 1e-12,
		Condition: "the discs are inside the image, or on a torus. At a border they are truncated, and the rest gets " +
			"more weight. No quadratic score has such a profile; it needs a free value for each shift",
		check: discs,
	},
	{
		ID:        "rotations",
		Statement: "Isotropic heads commute with rotations of the image by 90°.",
		By:        Ours, Verdict: HoldsIf, Tolerance: 1e-12,
		Reason: "‖δ‖ does not change",
		Condition: "the rotation permutes the layer's centers, with one matrix per orbit; a head on the query is an " +
			"orbit by itself. A head of any other shape becomes one of the rotated shape: S becomes R·S",
		check: rotations,
	},
}

// edgeDetectors has images of two channels: brightness, and a gate g, 1 or -1, which selects one of two detectors for
// each pixel. Two heads attend to (-1, g) and (1, -g) from a query with gate g: in the score -α‖δ - Δ‖² that is the
// term 2α·g·δ₂, a product of the query's content and the shift.
func edgeDetectors(t *trial) {
	const side, samples = 5, 30
	inner := (side - 2) * (side - 2)
	patches, wanted := mat.NewDense(samples*inner, 2*9+1, nil), mat.NewDense(samples*inner, 1, nil)
	for s := range samples {
		bright, gate := t.normal(side*side), make([]float64, side*side)
		for i := range gate {
			gate[i] = float64(2*t.rng.IntN(2) - 1)
		}
		row := s * inner
		for r := 1; r < side-1; r++ {
			for c := 1; c < side-1; c++ {
				q := r*side + c
				var y float64
				for _, sign := range []float64{1, -1} { // head (-1, g) with weight 1, head (1, -g) with weight -1
					scores := make([]float64, side*side)
					for k := range scores {
						down, right := float64(k/side-r), float64(k%side-c)
						scores[k] = theorem.Hard[float64]() *
							(-down*down - right*right - 2*sign*down + 2*sign*gate[q]*right)
					}
					for k, p := range plain.Softmax(scores) {
						y += sign * p * bright[k]
					}
				}
				rising := bright[(r-1)*side+c+1] - bright[(r+1)*side+c-1]  // +45°
				falling := bright[(r-1)*side+c-1] - bright[(r+1)*side+c+1] // -45°
				want := rising
				if gate[q] < 0 {
					want = falling
				}
				t.scalar(y, want)
				for e := range 9 {
					k := (r+e/3-1)*side + c + e%3 - 1
					patches.Set(row, 2*e, bright[k])
					patches.Set(row, 2*e+1, gate[k])
				}
				patches.Set(row, 18, 1)
				wanted.Set(row, 0, want)
				row++
			}
		}
	}
	residual := theorem.Solve(patches, wanted).Residual
	t.differs(residual, 0.5, "two heads are both detectors, as each pixel's gate selects; the best 3 × 3 convolution "+
		"of brightness and gate "+
		"leaves %.2f of the norm", residual)
}

func discs(t *trial) {
	for range min(t.n, 6) {
		radius := 1 + t.rng.Float64()
		g := square(9, theorem.Circular)
		l := &theorem.Layer[float64]{Geometry: g, In: 2, Out: 2}
		for range t.between(1, 4) {
			row, col := t.between(-2, 2), t.between(-2, 2)
			disc := theorem.Table[float64]{}
			for _, s := range g.Shifts() {
				if y, x := float64(s[0]-row), float64(s[1]-col); y*y+x*x <= radius*radius {
					disc.Shifts, disc.Scores = append(disc.Shifts, s), append(disc.Scores, 0)
				}
			}
			l.Heads, l.Weights = append(l.Heads, disc), append(l.Weights, t.normal(4))
		}
		c, residual := theorem.ToConv(l, []int{9, 9})
		t.scalar(residual, 0)
		t.compare(l, c, []int{9, 9})
		cut := &theorem.Layer[float64]{Geometry: square(9, theorem.Replicate), In: 1, Out: 1, Weights: [][]float64{{1}},
			Heads: []theorem.Head[float64]{
				theorem.HeadFunc[float64](func(d []int) float64 {
					if float64(d[0]*d[0]+d[1]*d[1]) <= radius*radius {
						return 0
					}
					return -theorem.Hard[float64]()
				})}}
		off := zeroPadded(cut, []int{5, 5})
		t.differs(off, 0.05, "discs of radius %.2f on 5 × 5 pixels: the nearest zero-padded convolution is off by "+
			"%.2g of the norm", radius, off)
	}
	// distance (total variation) of a disc of nine tokens from the nearest Gaussian.
	least := math.Inf(1)
	for alpha := 0.01; alpha < 5; alpha *= 1.02 {
		var sum, off float64
		for d := range theorem.Positions([]int{9, 9}) {
			sum += math.Exp(-alpha * float64((d[0]-4)*(d[0]-4)+(d[1]-4)*(d[1]-4)))
		}
		for d := range theorem.Positions([]int{9, 9}) {
			y, x := d[0]-4, d[1]-4
			p := math.Exp(-alpha*float64(y*y+x*x)) / sum
			if y*y+x*x <= 2 {
				p -= 1. / 9
			}
			off += math.Abs(p) / 2
		}
		least = min(least, off)
	}
	t.true(least > 0.15, "a Gaussian is within %.3f of the weight of a uniform disc", least)
}

// zeroPadded returns the distance of a layer, whose keys are the pixels, from the nearest zero-padded convolution of
// its kernel's size, relative to the layer's norm.
func zeroPadded(l *theorem.Layer[float64], size []int) float64 {
	n := theorem.Volume(size)
	e := mat.NewDense(n*n, l.Entries(), nil)
	p := mat.NewDense(n*n, len(l.Heads), nil)
	l.Attend(size, func(h, q int, _ []int, w []float64) {
		for k, v := range w {
			p.Set(q*n+k, h, float64(v))
		}
	})
	for t, s := range l.Shifts() {
		for q := range n {
			row, col := q/size[1]+s[0], q%size[1]+s[1]
			if row >= 0 && row < size[0] && col >= 0 && col < size[1] {
				e.Set(q*n+row*size[1]+col, t, 1)
			}
		}
	}
	var off mat.Dense
	off.Mul(e, theorem.Solve(e, p).Phi)
	off.Sub(p, &off)
	return math.Sqrt(max(0, l.Square(&off)) / l.Square(p))
}

func rotations(t *trial) {
	rotated := func(x []float64, n int) []float64 { // by 90°: from (row, col) to (col, n-1-row)
		y := make([]float64, len(x))
		each := len(x) / (n * n)
		for at := range n * n {
			to := at%n*n + n - 1 - at/n
			copy(y[to*each:(to+1)*each], x[at*each:(at+1)*each])
		}
		return y
	}
	for range t.n {
		n, alpha := t.between(3, 6), 0.2+t.rng.Float64()
		size, x := []int{n, n}, t.normal(n*n*2)
		layer := func(w []float64, heads ...theorem.Head[float64]) *theorem.Layer[float64] {
			l := &theorem.Layer[float64]{Geometry: square(1, theorem.Replicate), In: 2, Out: 2, Heads: heads}
			for range heads {
				l.Weights = append(l.Weights, w)
			}
			return l
		}
		both := func(l *theorem.Layer[float64]) (first, then []float64) {
			return l.Forward(size, rotated(x, n))[0], rotated(l.Forward(size, x)[0], n)
		}
		w, y, z := t.normal(4), 4*t.rng.Float64()-2, 4*t.rng.Float64()-2
		t.equal(both(layer(w, theorem.Gaussian[float64]{Center: []float64{0, 0}, Alpha: alpha})))
		t.equal(both(layer(w, theorem.Gaussian[float64]{Center: []float64{y, z}, Alpha: alpha},
			theorem.Gaussian[float64]{Center: []float64{z, -y}, Alpha: alpha},
			theorem.Gaussian[float64]{Center: []float64{-y, -z}, Alpha: alpha},
			theorem.Gaussian[float64]{Center: []float64{-z, y}, Alpha: alpha})))
		long := func(a, b float64) theorem.Elliptic[float64] {
			return theorem.Elliptic[float64]{Center: []float64{0, 0}, Precision: [][]float64{{2 * a, 0}, {0, 2 * b}}}
		}
		wide, tall := layer(w, long(alpha, 4*alpha)), layer(w, long(4*alpha, alpha))
		t.equal(tall.Forward(size, rotated(x, n))[0], rotated(wide.Forward(size, x)[0], n))
		d := gap(both(wide))
		t.differs(d, 0.05, "a head four times as narrow along the columns, %d × %d pixels: off by %.2g of the "+
			"largest output", n, n, d)
	}
}
