package analyse

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/attnconv/attnconv/posenc/geometry"
)

func chainsOf(t *testing.T, g Grid, margin int, images ...[][]float64) []Chain {
	t.Helper()
	a, err := NewAttention(g, len(images[0]))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range images {
		if err := a.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	c, err := a.Chain(margin)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func divergence(p, q []float64) (bits float64) {
	for i, v := range p {
		if v > 0 {
			bits += v * math.Log2(v/q[i])
		}
	}
	return bits
}

// The terms are the divergences of their definitions, and add up to the entropies, in both coordinates.
func TestChainRule(t *testing.T) {
	g := Grid{Rows: 3, Cols: 5}
	const n, images = 15, 4
	var all [][][]float64
	for i := range images {
		all = append(all, randomLayer(uint64(20+i), g, 2, 1, 1).Attention)
	}
	for margin := range 2 {
		chains := chainsOf(t, g, margin, all...)
		for h, c := range chains {
			var queries []int
			for q := range n {
				if y, x := q/5, q%5; y >= margin && y < 3-margin && x >= margin && x < 5-margin {
					queries = append(queries, q)
				}
			}
			u := 1 / float64(len(queries))
			mean, pi, keys := make([][]float64, n), make([]float64, 81), make([]float64, n)
			for _, q := range queries {
				mean[q] = make([]float64, n)
				for k := range n {
					for _, p := range all {
						mean[q][k] += p[h][q*n+k] / images
					}
					pi[(k/5-q/5+4)*9+k%5-q%5+4] += u * mean[q][k]
					keys[k] += u * mean[q][k]
				}
			}
			var blur, place, keyPlace, content float64
			for _, q := range queries {
				byKey := make([]float64, n) // π as a distribution of keys, from q
				for k := range n {
					byKey[k] = pi[(k/5-q/5+4)*9+k%5-q%5+4]
				}
				place += u * divergence(mean[q], byKey)
				keyPlace += u * divergence(mean[q], keys)
				for _, p := range all {
					row := p[h][q*n : (q+1)*n]
					content += u / images * divergence(row, mean[q])
					for _, v := range row {
						blur -= u / images * v * math.Log2(v)
					}
				}
			}
			for what, v := range map[string][2]float64{"blur": {c.Blur, blur}, "place": {c.Place, place},
				"content": {c.Content, content},
				"I(q;k)":  {c.KeyPlace, keyPlace}, "H(δ)": {c.Shift, blur + place + content},
				"H(k)": {c.Key, blur + keyPlace + content}} {
				near(t, what, v[0], v[1], 1e-12)
			}
			near(t, "chain rule", c.Blur+c.Place+c.Content, c.Shift, 1e-12)
			near(t, "chain rule of keys", c.Blur+c.KeyPlace+c.Content, c.Key, 1e-12)
		}
	}
}

func TestKnownEntropies(t *testing.T) {
	g := Grid{Rows: 8, Cols: 8}
	two := func(p float64) float64 { return -p*math.Log2(p) - (1-p)*math.Log2(1-p) }
	taps := chainsOf(t, g, 0, must(Taps(g, []Shift{{0, 0}, {0, 1}, {2, 0}}, Replicate)))
	three := -0.75*math.Log2(0.75) - 2*0.125*math.Log2(0.125) // of rows 0 to 7: six have δ = 2, one has 1, one has 0
	for h, place := range []float64{0, two(1. / 8), three} {
		near(t, "blur of a tap", taps[h].Blur, 0, 1e-12)
		near(t, "content of a tap", taps[h].Content, 0, 1e-12)
		near(t, "place of a tap", taps[h].Place, place, 1e-12)
		near(t, "place of a tap from its borders", taps[h].Border, place, 1e-5)
	}
	near(t, "0.54 bit for (0, 1) on 8 × 8", taps[1].Place, 0.54, 0.005)
	near(t, "I(q;k) of the identity", taps[0].KeyPlace, 6, 1e-12)
	near(t, "NMI of the identity", taps[0].NMI, 1, 1e-12)
	for h, c := range chainsOf(t, g, 2, must(Taps(g, []Shift{{0, 0}, {0, 1}, {2, 0}}, Replicate))) {
		near(t, "place of a tap away from borders", c.Place, 0, 1e-12)
		near(t, "I(q;k) of a tap", c.KeyPlace, math.Log2(16), 1e-12)
		if h > 0 && c.NMI >= 1 {
			t.Errorf("NMI of a tap with replicated edges: %g", c.NMI)
		}
	}
	c := chainsOf(t, g, 0, [][]float64{uniform(g)})[0]
	near(t, "blur of a mean over all tokens", c.Blur, 6, 1e-12)
	near(t, "its I(q;k)", c.KeyPlace, 0, 1e-12)
	near(t, "its place, from its borders", c.Place-c.Border, 0, 1e-6)
	near(t, "its NMI", c.NMI, 0, 1e-7)

	absolute := make([]float64, 64*64)
	for q := range 64 {
		absolute[q*64+27] = 1
	}
	c = chainsOf(t, g, 0, [][]float64{absolute})[0]
	near(t, "blur of an absolute head", c.Blur, 0, 1e-12)
	near(t, "its place", c.Place, 6, 1e-12)
	near(t, "its I(q;k)", c.KeyPlace, 0, 1e-12)
	if c.Place-c.Border < 2 {
		t.Errorf("borders cause %.2f of the %.2f place bits of an absolute head", c.Border, c.Place)
	}
	gauss := gaussians(t, g, 0.5, [2]float64{0.5, 1})
	c = chainsOf(t, g, 0, gauss.Attention)[0]
	near(t, "place of a Gaussian head, from its borders", c.Place, c.Border, 1e-6)
	interior := chainsOf(t, g, 3, gauss.Attention)[0]
	if interior.Blur < 2 || interior.Place > 0.1 || c.Content > 1e-12 {
		t.Errorf("a Gaussian head: %+v, interior %+v", c, interior)
	}
	near(t, "blur of a Gaussian, ½·log₂(2πe·σ²) along each axis", interior.Blur, math.Log2(2*math.Pi*math.E*2), 0.25)

	rng := rand.New(rand.NewPCG(1, 1)) // every query reads one random token of each image
	var images [][][]float64
	for range 300 {
		p := make([]float64, 64*64)
		for q := range 64 {
			p[q*64+rng.IntN(64)] = 1
		}
		images = append(images, [][]float64{p})
	}
	c = chainsOf(t, g, 0, images...)[0]
	near(t, "blur of a content head", c.Blur, 0, 1e-12)
	near(t, "its content", c.Content, 6-63/(2*math.Ln2*300), 0.05) // the bias of 300 draws is known
	if c.KeyPlace > 0.01+63/(2*math.Ln2*300) {
		t.Errorf("a content head: %+v", c)
	}
}

// Place - Border is the divergence from the position-only head of the same π, and that of a position-only head is 0.
func TestBorderIsTheNearestPositionOnlyHead(t *testing.T) {
	g := Grid{Rows: 4, Cols: 3}
	rng := rand.New(rand.NewPCG(4, 4))
	scores := normals(rng, 35)
	p := make([]float64, 144)
	for q := range 12 {
		row := p[q*12 : (q+1)*12]
		for k := range row {
			row[k] = scores[(k/3-q/3+3)*5+k%3-q%3+2]
		}
		geometry.Softmax(row)
	}
	c := chainsOf(t, g, 0, [][]float64{p})[0]
	near(t, "position-only", c.Border, c.Place, 1e-7)
	if c.Place < 0.05 {
		t.Errorf("random scores have %.3f place bits", c.Place)
	}
	for i := range p {
		p[i] = math.Exp(rng.NormFloat64())
	}
	for q := range 12 {
		sum := 0.0
		for k := range 12 {
			sum += p[q*12+k]
		}
		for k := range 12 {
			p[q*12+k] /= sum
		}
	}
	c = chainsOf(t, g, 0, [][]float64{p})[0]
	near(t, "excess of random rows", c.Place-c.Border, excess(g, p), 1e-5)
	if c.Place-c.Border < 0.1 {
		t.Errorf("random rows exceed their borders by %.3f bits only", c.Place-c.Border)
	}
}

// excess is min over scores f of E_q KL(P_q ‖ softmax_k f(k - q)), by plain gradient descent.
func excess(g Grid, p []float64) (least float64) {
	n, wide := g.Rows*g.Cols, 2*g.Cols-1
	f := make([]float64, (2*g.Rows-1)*wide)
	for range 5000 {
		least = 0
		step := make([]float64, len(f))
		for q := range n {
			row := make([]float64, n)
			at := func(k int) int { return (k/g.Cols-q/g.Cols+g.Rows-1)*wide + k%g.Cols - q%g.Cols + g.Cols - 1 }
			for k := range row {
				row[k] = f[at(k)]
			}
			geometry.Softmax(row)
			least += divergence(p[q*n:(q+1)*n], row) / float64(n)
			for k := range row {
				step[at(k)] += p[q*n+k] - row[k]
			}
		}
		for i := range f {
			f[i] += 0.5 * step[i]
		}
	}
	return least
}

func TestAttentionRefuses(t *testing.T) {
	a, err := NewAttention(Grid{Rows: 2, Cols: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"no grid": second(NewAttention(Grid{}, 1)), "no heads": second(NewAttention(Grid{Rows: 2, Cols: 2}, 0)),
		"too much": second(NewAttention(Grid{Rows: 64, Cols: 64}, 100)), "nothing added": second(a.Chain(0)),
		"heads": a.Add(nil), "ragged": a.Add([][]float64{{1}}), "rows": a.Add([][]float64{make([]float64, 16)}),
		"ragged float32": a.AddFloat32(make([]float32, 15)),
	} {
		if _, ok := err.(*Error); !ok {
			t.Errorf("%s: %v, want an *Error", name, err)
		}
	}
	p := must(Taps(Grid{Rows: 2, Cols: 2}, []Shift{{0, 0}}, Zeros))[0]
	narrow := make([]float32, 16)
	for i, v := range p {
		narrow[i] = float32(v)
	}
	if err := a.AddFloat32(narrow); err != nil || a.Images != 1 || a.Mean()[0][5] != 1 || a.Mean()[0][4] != 0 {
		t.Errorf("%v, mean %v", err, a.Mean())
	}
	if _, err := a.Chain(1); err == nil {
		t.Error("no query is away from the borders of 2 × 2")
	}
}
