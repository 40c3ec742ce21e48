package claims

import (
	"fmt"
	"math"
	"strings"

	"github.com/attnconv/attnconv/attention"
	"github.com/attnconv/attnconv/internal/kernel/vec"
	"github.com/attnconv/attnconv/internal/op"
	"github.com/attnconv/attnconv/internal/plain"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/theorem"
)

// The program's results, compared with float64.
var program = []Claim{
	{
		ID: "program",
		Statement: "The layer that this program trains, on its fast kernels, becomes a convolution in the same way, " +
			"with replicate padding. With every encoding, for soft and hard heads, integer and fractional centers, " +
			"with and without dropout, its results and gradients agree with its definition in float64.",
		By: Ours, Verdict: Holds, Tolerance: 2e-5,
		Reason: "package attention; gradients by central differences",
		check: func(t *trial) {
			for range min(t.n, 20) {
				size := []int{t.between(3, 8), t.between(3, 8)}
				c := &theorem.Conv[float32]{Geometry: square(1+2*t.rng.IntN(2), theorem.Replicate), In: t.between(1, 4),
					Out: t.between(1, 4)}
				randomize(c, t.rng)
				l := must(theorem.FromConv(c, theorem.FromOptions{Alpha: 46}))
				x := normal[float32](t.rng, theorem.Volume(size)*c.In, 1)
				t.equal(widened(must(inFloat32(l, size, x))), exact(c, size, x))
			}
			for range max(1, t.n/50) {
				for _, v := range programLayers() {
					t.program(v)
				}
			}
		},
	},
	{
		ID: "negligible",
		Statement: "The program treats weights below 2⁻³² as zero without an effect on results, because in float32 " +
			"they do not change a sum of weights that is one.",
		By: Ours, Verdict: HoldsIf, Tolerance: 2e-6,
		Reason: "the comment on these weights in internal/op",
		Condition: "no value in a query's weighted sum is more than 2⁸ times as large as the result, so that 2⁻³² of " +
			"it is half a unit in the last place of the result. An infinite value spreads to all queries, because " +
			"zero times infinity is NaN",
		check: negligible,
	},
}

// negligible puts one large value among others of order 1, next to a hard head's own.
func negligible(t *trial) {
	const rows, cols = 4, 5
	attend := func(alpha float64, x []float32) (got, want []float64) {
		l := &theorem.Layer[float32]{Geometry: square(1, theorem.Replicate), In: 1, Out: 1, Weights: [][]float32{{1}},
			Heads: []theorem.Head[float32]{theorem.Gaussian[float32]{Center: make([]float32, 2),
				Alpha: float32(alpha)}}}
		wide := &theorem.Layer[float64]{Geometry: l.Geometry, In: 1, Out: 1, Weights: [][]float64{{1}},
			Heads: []theorem.Head[float64]{theorem.Gaussian[float64]{Center: make([]float64, 2), Alpha: alpha}}}
		return widened(must(inFloat32(l, []int{rows, cols}, x))), wide.Forward([]int{rows, cols},
			widened(x))[0]
	}
	for range min(t.n, 20) {
		x := make([]float32, rows*cols) // values of at least 1
		for i := range x {
			x[i] = float32(1 + t.rng.Float64())
		}
		x[t.rng.IntN(len(x))] = 0x1p8
		got, want := attend(20+5*t.rng.Float64(), x)
		for i := range got {
			t.scalar(got[i]/want[i], 1)
		}
	}
	x := make([]float32, rows*cols)
	for i := range x {
		x[i] = 1
	}
	x[7] = 1e12
	got, want := attend(23, x)
	t.differs(math.Abs(got[8]-want[8]), 50,
		"α = 23, a value of 1e12 among ones: its neighbor becomes %.6g, by definition %.6g", got[8], want[8])
	x[7] = float32(math.Inf(1))
	got, _ = attend(23, x)
	t.true(math.IsNaN(got[0]) || math.IsInf(got[0], 0), "an infinite value leaves %g of a query three tokens off",
		got[0])
}

// A programLayer is a configuration of the program's layer.
type programLayer struct {
	encoding, absolute string
	terms              []string
	alpha              float64 // of Gaussian heads
	round              bool    // their centers are integers
	split              bool
	rate               float64 // of dropout
	masks              attention.Masks
}

// programLayers lists every encoding with the options that it can be combined with.
func programLayers() (all []programLayer) {
	for _, kind := range posenc.Kinds {
		if kind.Registered() { // package plain knows no score of it
			continue
		}
		v := programLayer{encoding: kind.Name, alpha: 0.7}
		if kind.Terms {
			for _, terms := range [][]string{{"vr"}, {"qk", "vr"}, {"qr", "uk"}} {
				some := v
				some.terms = terms
				all = append(all, some)
			}
			v.terms = posenc.TermNames()
		}
		for _, masks := range []attention.Masks{attention.MasksPerBatch, attention.MasksPerImage} {
			dropped := v
			dropped.rate, dropped.masks = 0.3, masks
			split := dropped
			split.split = true
			all = append(all, dropped, split)
		}
		all = append(all, v)
	}
	for _, encoding := range []string{"quadratic", "quadratic-general"} {
		for _, alpha := range []float64{0.2, 3, 46} {
			for _, round := range []bool{true, false} {
				all = append(all, programLayer{encoding: encoding, alpha: alpha, round: round})
			}
		}
	}
	for _, absolute := range []string{"sinusoid", "learned"} {
		all = append(all, programLayer{encoding: "content-only", absolute: absolute},
			programLayer{encoding: "quadratic", absolute: absolute, alpha: 1})
	}
	return all
}

func (v programLayer) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %v α=%g split=%t dropout=%g", v.encoding, v.absolute, v.terms,
		v.alpha, v.split, v.rate)), " ")
}

// A probe is the program's layer followed by a small classifier, and the definitions of both.
type probe struct {
	programLayer
	layer    *attention.SelfAttention
	absolute posenc.Absolute // nil: none
	params   []*nn.Param     // of the layer, with its input
	x        *nn.Param       // (batch, tokens, in)
	places   []float32       // added to the layer's output, (tokens, wide)
	shift    *nn.Param       // (wide), bias before the GELU
	readout  *nn.Linear      // (classes, wide), after the GELU
	labels   []int32
	wide     int // output channels of the layer
	plain    plain.Layer
}

const probeBatch, probeClasses, probeStep = 2, 3, 7

// program compares forward and every gradient of a random layer with its definition. The layer is followed by a GELU,
// so that the gradient differs from query to query, a linear map, the mean over the tokens and a cross-entropy.
func (t *trial) program(v programLayer) {
	p := t.probe(v)
	y, loss, grads, err := p.run()
	if err != nil {
		t.fail("%v: %v", v, err)
		return
	}
	want, wantLoss := p.definition()
	hard := max(1, v.alpha/4) // rounding errors of scores grow with α
	abs, wide := distance(widened(y), want)
	t.scalar(abs/max(1, wide)/hard, 0)
	t.scalar((loss-wantLoss)/hard, 0)
	slopes, top := make([][]float64, len(p.params)), 0.0
	for i, q := range p.params {
		slopes[i] = p.slope(q)
		for _, s := range slopes[i] {
			top = max(top, math.Abs(s))
		}
	}
	for i, q := range p.params {
		got := grads[q]
		if got == nil { // the loss does not depend on it
			got = make([]float32, len(slopes[i]))
		}
		abs, own := distance(got, slopes[i])
		t.scalar(abs/max(own, top/100)/hard, 0)
	}
}

func (t *trial) probe(v programLayer) *probe {
	const heads, in, out, dim, side = 2, 3, 3, 4, 4
	grid := posenc.Grid{Rows: t.between(2, 3), Cols: t.between(2, 4)}
	s := nn.NewScope(t.rng.Uint64())
	enc := posenc.Kinds.Find(v.encoding).New(s, posenc.Options{Heads: heads, Dim: in, HeadDim: dim, MaxSide: side,
		Terms: v.terms})
	p := &probe{programLayer: v, wide: out}
	if v.split {
		p.layer, p.wide = attention.NewSplit(s, enc, grid, heads, in, dim, v.rate), heads*dim
	} else {
		p.layer = attention.New(s, enc, grid, heads, in, out, v.rate)
	}
	p.layer.Masks = v.masks
	if v.absolute != "" {
		p.absolute = posenc.Absolutes.Find(v.absolute).New(s, grid, in)
	}
	tokens := grid.Rows * grid.Cols
	p.x = s.Param("x", nn.Normal(0, 1), probeBatch, tokens, in)
	p.params = s.Params()
	for _, q := range p.params {
		switch {
		case strings.HasSuffix(q.Name, "attention_centers"):
			t.centers(q.Data, v.round)
		case strings.HasSuffix(q.Name, "attention_spreads"):
			t.spreads(q.Data, len(q.Shape) > 1, v.alpha)
		case strings.HasSuffix(q.Name, "position_embeddings.weight"):
			copy(q.Data, normal[float32](t.rng, len(q.Data), 1))
		}
	}
	behind := nn.NewScope(t.rng.Uint64())
	p.places, p.shift = normal[float32](t.rng, tokens*p.wide, 1), behind.Param("shift", nn.Normal(0, 1), p.wide)
	p.readout = nn.NewLinear(behind, p.wide, probeClasses)
	p.labels = []int32{int32(t.rng.IntN(probeClasses)), int32(t.rng.IntN(probeClasses))}
	p.plain = plain.Layer{Encoding: v.encoding, Terms: v.terms, Absolute: v.absolute, Rows: grid.Rows, Cols: grid.Cols,
		Heads: heads,
		In:    in, Out: out, HeadDim: dim, MaxSide: side, Split: v.split, Params: map[string][]float64{},
		Rate: float64(float32(v.rate))}
	for _, q := range p.params {
		p.plain.Params[strings.TrimPrefix(q.Name, "model.")] = widened(q.Data)
	}
	if v.rate > 0 {
		p.plain.Kept = p.kept(s.Key("dropout"), heads, tokens)
	}
	return p
}

// centers draws centers of up to two tokens from the query.
func (t *trial) centers(c []float32, round bool) {
	for i := range c {
		if c[i] = float32(4*t.rng.Float64() - 2); round {
			c[i] = float32(t.between(-2, 2))
		}
	}
}

// spreads draws the spreads of heads with a sharpness near alpha; general ones are slanted, with two different widths.
func (t *trial) spreads(s []float32, general bool, alpha float64) {
	for i := range s {
		wide := math.Sqrt(2 * alpha)
		switch {
		case general && i%4 == 1, general && i%4 == 2:
			wide *= (t.rng.Float64() - 0.5) / 2
		case general:
			wide *= (1 + t.rng.Float64()) / 2
		}
		s[i] = float32(wide)
	}
}

// kept returns the program's dropout mask of pairs: row h·T+q and column k of the layer's stream; if each image has its
// own mask, row (b·H+h)·T+q.
func (p *probe) kept(key uint64, heads, tokens int) func(b, h, q, k int) bool {
	mask := vec.Dropout{Key: key, Step: probeStep, Rate: float32(p.rate)}
	return func(b, h, q, k int) bool {
		if p.masks == attention.MasksPerBatch {
			b = 0
		}
		return mask.Kept(uint32((b*heads+h)*tokens+q), uint32(k))
	}
}

func (p *probe) run() (y []float32, loss float64, grads map[*nn.Param][]float32, err error) {
	var out, end *nn.Node
	tokens := p.plain.Rows * p.plain.Cols
	g, err := nn.Build(true, func(g *nn.Graph) {
		x := g.Use(p.x)
		if p.absolute != nil {
			x = p.absolute.Forward(g, x)
		}
		out = p.layer.Forward(g, x)
		u := op.Apply(op.AddToEachOp{}, out, g.Input("places", p.places, tokens, p.wide))
		u = op.Apply(op.GELULinearOp{}, u, g.Use(p.shift), g.Use(p.readout.W), g.Use(p.readout.B))
		end = op.Apply(op.CrossEntropyOp{Target: &op.Target{Labels: p.labels}}, op.Apply(op.MeanTokensOp{}, u))
	})
	if err != nil {
		return nil, 0, nil, err
	}
	f, err := nn.Compile(g, end, out)
	if err != nil {
		return nil, 0, nil, err
	}
	defer f.Close()
	params, nodes := f.Gradients()
	if err := f.Run(probeStep); err != nil {
		return nil, 0, nil, err
	}
	grads = map[*nn.Param][]float32{}
	for i, q := range params {
		grads[q] = append([]float32{}, nn.Value(nodes[i])...)
	}
	return append(y, nn.Value(out)...), float64(nn.Value(end)[0]), grads, nil
}

// definition returns the expected results of run.
func (p *probe) definition() (y []float64, loss float64) {
	y = p.plain.Forward(p.plain.Params["x"])
	n := len(y) / probeBatch // values per image
	for b, label := range p.labels {
		logits := widened(p.readout.B.Data)
		for i, v := range y[b*n : (b+1)*n] {
			u := v + float64(p.places[i]) + float64(p.shift.Data[i%p.wide])
			for c := range logits {
				logits[c] += float64(p.readout.W.Data[c*p.wide+i%p.wide]) * u / 2 * (1 +
					math.Erf(u/math.Sqrt2)) / float64(n/p.wide)
			}
		}
		loss -= math.Log(plain.Softmax(logits)[label]) / probeBatch
	}
	return y, loss
}

// slope returns the derivative of the definition's loss with respect to q, by central differences.
func (p *probe) slope(q *nn.Param) []float64 {
	v := p.plain.Params[strings.TrimPrefix(q.Name, "model.")]
	d := make([]float64, len(v))
	step := 1e-5 / (1 + p.alpha)
	for i, at := range v {
		v[i] = at + step
		_, above := p.definition()
		v[i] = at - step
		_, below := p.definition()
		v[i] = at
		d[i] = (above - below) / (2 * step)
	}
	return d
}
