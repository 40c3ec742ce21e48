package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/conv"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/theorem"
)

// An InitKind is a way to initialize what blocks of attention learn.
type InitKind struct {
	Name, Help string
	check      func(BlockSpec) error // returns the first rule that is broken; nil: there is none
	set        func(*initial)        // changes the weights that have been drawn; nil: no change
}

// Entry implements option.Named.
func (k InitKind) Entry() (name, help string) { return k.Name, k.Help }

// Inits lists the initial weights of attention. Z are matrices with independent entries of variance 1/D, from
// U(±√(3/D)), D = dim; d is what queries and keys of a head have; products are those of rows, x·W.
//
// Mimetic is that of Trockman, Kolter 2023 (arXiv:2305.09828). Each head has a Z for its queries and keys, and the
// values of all heads have one. The factors of a matrix U·Σ·Vᵀ are U·√Σ and V·√Σ for its largest singular values.
// Biases of queries and keys are 0.
//
//	W_Q·W_Kᵀ ≈ 0.7·Z + 0.7·I of each head,    W_V·W_out ≈ 0.4·Z - 0.4·I
//
// Impulse is that of Zheng, Li, Lucey 2024 (arXiv:2404.01139, closed form of 2505.19985), with mimetic values. P̃ is
// the absolute encoding P (T, D) with each row normalized, E_h the map of the shift δ_h = impulses[h mod 9]. N is drawn
// from N(0, 0.6²) between ±2, and does not change the keys of E_h. Learned P are multiplied by 18.
//
//	M_h = 1000·E_h + 3·N,    A_h = P̃⁺·M_h·P̃⁺ᵀ = U·Σ·Vᵀ,    W_Q = 7·U√Σ/‖U√Σ‖,  W_K = 7·V√Σ/‖V√Σ‖
//
// P̃⁺ is the pseudo-inverse of the d largest singular values of P̃.
//
// Theorem-soft is Theorem 1 at a softness that has gradients. Heads are on the grid of the k × k taps of the
// convolution that a block of kind conv draws with the same seed. Their values are W_h = Σ_t Φ[h,t]·W_t with Φ the
// inverse of the heads' weights for the taps, so that the layer is that convolution.
var Inits = option.List[InitKind]{
	{Name: "default", Help: "as each kind of block draws them"},
	{Name: "mimetic", Help: "products of queries and keys near I, of values and output near -I",
		check: BlockSpec.checkMimetic, set: (*initial).mimetic},
	{Name: "impulse", Help: "content attends to shifts of absolute positions", check: BlockSpec.checkImpulse,
		set: (*initial).impulse},
	{Name: theoremSoft, Help: "a random convolution, by Gaussian heads on a grid", check: BlockSpec.checkTheoremSoft,
		set: (*initial).theoremSoft},
}

const theoremSoft = "theorem-soft"

// initial is the block of attention whose weights are initialized.
type initial struct {
	BlockSpec
	net   map[string]*nn.Param // parameters of the network by name
	at    string               // the prefix of the block's
	drawn nn.Scope             // the block's scope in a network of its own, for what is drawn
}

// param returns a parameter of the block's attention; nil if it has none of that name.
func (b *initial) param(name string) *nn.Param { return b.net[b.at+name] }

// z draws α·Z + β·I, (dim, dim).
func (b *initial) z(name string, alpha, beta float64) []float64 {
	p := b.drawn.Param(name, func(rng *rand.Rand, w []float32) {
		for i := range w {
			w[i] = float32((2*rng.Float64() - 1) * math.Sqrt(3/float64(b.Dim)))
		}
	}, b.Dim, b.Dim)
	m := make([]float64, len(p.Data))
	for i, v := range p.Data {
		m[i] = alpha * float64(v)
		if i%(b.Dim+1) == 0 {
			m[i] += beta
		}
	}
	return m
}

// factors returns U·√Σ and V·√Σ for the rank largest singular values of m (dim, dim), as a list of columns. Columns
// beyond dim are zero.
func (b *initial) factors(m []float64, rank int) (left, right [][]float64) {
	u, s, v := analyse.SVD(m, b.Dim, b.Dim)
	for r := range rank {
		if r >= len(s) {
			left, right = append(left, make([]float64, b.Dim)), append(right, make([]float64, b.Dim))
			continue
		}
		left, right = append(left, times(u[r], math.Sqrt(s[r]))), append(right, times(v[r], math.Sqrt(s[r])))
	}
	return left, right
}

func (b *initial) mimetic() {
	b.mimeticValues()
	if !b.ReadsContent() {
		return
	}
	for h := range b.Heads {
		b.putHead(h, func(d int) (q, k [][]float64) {
			return b.factors(b.z(fmt.Sprintf("mimetic.%d", h), 0.7, 0.7), d)
		})
	}
}

// putHead sets queries and keys of head h to the d columns that of returns, and their biases to 0.
func (b *initial) putHead(h int, of func(d int) (q, k [][]float64)) {
	d := b.headDim()
	q, k := of(d)
	b.putColumns("self.query", h*d, q)
	b.putColumns("self.key", h*d, k)
}

// putColumns sets rows of the map of that name, from first on, and their biases to 0.
func (b *initial) putColumns(name string, first int, columns [][]float64) {
	bias := b.param(name + ".bias")
	for r, column := range columns {
		put(b.param(name + ".weight").Data[(first+r)*b.Dim:], column)
		if bias != nil {
			bias.Data[first+r] = 0
		}
	}
}

// mimeticValues sets values and output. Values beyond dim stay as drawn, and the output does not read them.
func (b *initial) mimeticValues() {
	value, dense := b.param("self.value.weight"), b.param("output.dense.weight")
	wide := value.Shape[0]
	left, right := b.factors(b.z("mimetic.value", 0.4, -0.4), wide)
	for r := range wide {
		if r < b.Dim {
			put(value.Data[r*b.Dim:], left[r])
		}
		for o, v := range right[r] {
			dense.Data[o*wide+r] = float32(v)
		}
	}
}

// impulses are the shifts (rows, columns) of heads, in their order.
var impulses = [9][2]int{{0, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}

func (b *initial) impulse() {
	b.mimeticValues()
	grid := b.Grid()
	tokens := grid.Rows * grid.Cols
	u, s, v := analyse.SVD(b.positions(tokens), tokens, b.Dim)
	for h := range b.Heads {
		b.putHead(h, func(d int) (q, k [][]float64) {
			rank := min(d, len(s))
			for rank > 1 && s[rank-1] < 1e-6*s[0] { // normalized rows have one dimension less than channels
				rank--
			}
			m := b.impulseMap(h, grid)
			inner := make([]float64, rank*rank) // Σ⁻¹·Uᵀ·M·U·Σ⁻¹
			for j := range rank {
				mu := make([]float64, tokens)
				for i := range mu {
					mu[i] = dot(m[i*tokens:][:tokens], u[j])
				}
				for i := range rank {
					inner[i*rank+j] = dot(u[i], mu) / s[i] / s[j]
				}
			}
			left, values, right := analyse.SVD(inner, rank, rank)
			var nuclear float64
			for _, value := range values {
				nuclear += value
			}
			for r := range d {
				q, k = append(q, make([]float64, b.Dim)), append(k, make([]float64, b.Dim))
				for i := 0; i < rank && r < rank; i++ {
					scale := 7 * math.Sqrt(values[r]/nuclear)
					plus(q[r], v[i], scale*left[r][i])
					plus(k[r], v[i], scale*right[r][i])
				}
			}
			return q, k
		})
	}
}

// positions returns P̃ (tokens, dim).
func (b *initial) positions(tokens int) (rows []float64) {
	e := posenc.Absolutes.Find(b.Absolute).New(nn.ShapesOnly(), b.Grid(), b.Dim)
	var p []float32
	if waves, ok := e.(posenc.Sinusoid); ok {
		p = waves.E()
	} else {
		p = b.net["model.position_embeddings.weight"].Data
	}
	for t := range tokens {
		var mean, square float64
		row := p[t*b.Dim:][:b.Dim]
		for _, v := range row {
			mean += float64(v) / float64(b.Dim)
		}
		for _, v := range row {
			square += (float64(v) - mean) * (float64(v) - mean) / float64(b.Dim)
		}
		for _, v := range row {
			rows = append(rows, (float64(v)-mean)/math.Sqrt(square+1e-12))
		}
	}
	return rows
}

// impulseMap returns M of head h, (tokens, tokens).
func (b *initial) impulseMap(h int, grid posenc.Grid) []float64 {
	const impulse, scale, deviation, bound = 1000, 3, 0.6, 2
	tokens, shift := grid.Rows*grid.Cols, impulses[h%len(impulses)]
	noise := b.drawn.Param(fmt.Sprintf("impulse.%d", h), func(rng *rand.Rand, w []float32) {
		for i := range w {
			for w[i] = bound + 1; math.Abs(float64(w[i])) > bound; {
				w[i] = float32(deviation * rng.NormFloat64())
			}
		}
	}, tokens, tokens)
	m := make([]float64, tokens*tokens)
	for i, v := range noise.Data {
		q, k := i/tokens, i%tokens
		m[i] = scale * float64(v)
		if k/grid.Cols-q/grid.Cols == shift[0] && k%grid.Cols-q%grid.Cols == shift[1] {
			m[i] = impulse
		}
	}
	return m
}

func (b *initial) theoremSoft() {
	k := side(b.Heads)
	kernel := conv.New(attention.MixScope(b.drawn).In("conv"), b.Dim, b.Dim, k, 1, true)
	fit := theorem.OnTaps(k, b.headStart().Alpha())
	fit.Values(b.param("self.value.weight").Data, kernel.W.Data, b.Dim)
	copy(b.param("self.value.bias").Data, kernel.B.Data)
}

// headStart is where Gaussian heads of the block start: with theorem-soft on the grid, softly unless heads_init says
// how.
func (b BlockSpec) headStart() *posenc.Start {
	start := b.drawnStart()
	if b.Init == theoremSoft && !start.OnGrid() {
		return posenc.Starts.Find("grid-soft")
	}
	return start
}

// drawnStart is where the settings by themselves put Gaussian heads: at random, with a donor, whose heads Network.Place
// puts over them.
func (s Spec) drawnStart() *posenc.Start {
	if isDonor(s.HeadsInit) {
		return posenc.Starts.Find(posenc.Starts.Default())
	}
	return posenc.Starts.Find(s.HeadsInit)
}

func (b BlockSpec) checkInit() error {
	if check := Inits.Find(b.Init).check; check != nil {
		return check(b)
	}
	return nil
}

func (b BlockSpec) badInit(format string, args ...any) error {
	return option.Errorf(b.key("init"), b.Init+": "+format, args...)
}

func (b BlockSpec) checkMimetic() error {
	if !b.Factored() {
		return b.badInit("is about a map of values and one of outputs, which heads with combined values do not have: " +
			"say model.value factored")
	}
	if b.encodingKind().Terms && b.ReadsContent() && !slices.Contains(b.Terms, posenc.QueryKey) {
		return b.badInit("is about queries and keys: want the term %s of encoding %s", posenc.QueryKey, b.Encoding)
	}
	return nil
}

func (b BlockSpec) checkImpulse() error {
	switch {
	case b.Encoding != "content-only":
		return b.badInit("is about content that attends by absolute positions: want encoding content-only, got %s",
			b.Encoding)
	case b.Absolute == "none":
		return b.badInit("has no positions to attend to: say model.absolute learned or sinusoid")
	case b.joined:
		return b.badInit("a class token has no place on the grid: say another readout")
	}
	return b.checkMimetic()
}

func (b BlockSpec) checkTheoremSoft() error {
	k, w := side(b.Heads), b.Window
	switch {
	case !b.encodingKind().Gaussian() || b.Content != noContent:
		return b.badInit("want Gaussian heads without content: encoding quadratic or quadratic-general")
	case isDonor(b.HeadsInit):
		return b.badInit("puts the heads on the grid of the convolution: want another model.heads_init than from:FILE")
	case b.Factored():
		return b.badInit("a head has all channels of the convolution: say model.value combined")
	case !b.QKVBias:
		return b.badInit("the convolution has a bias: say model.qkv_bias true")
	case !square(b.Heads):
		return b.badInit("want square numbers of heads, such as 9; got %d", b.Heads)
	case w.Size == 0 && b.HeadsInit == "grid":
		return nil
	case w.plain() != Window{Size: k}:
		return b.badInit("soft heads are a convolution where they see its taps only: say model.window %d, or "+
			"model.heads_init grid and no window", k)
	}
	return nil
}

func put(to []float32, from []float64) {
	for i, v := range from {
		to[i] = float32(v)
	}
}

func times(x []float64, by float64) []float64 {
	y := make([]float64, len(x))
	plus(y, x, by)
	return y
}

// plus adds by·x to y.
func plus(y, x []float64, by float64) {
	for i, v := range x {
		y[i] += by * v
	}
}

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

func multiply(x []float32, by float32) {
	for i := range x {
		x[i] *= by
	}
}
