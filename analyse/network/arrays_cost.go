package network

import (
	"context"
	"fmt"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/internal/table"
)

const (
	speed    = 2.5e9 // multiplications a second, of a core at 2.8 GHz
	mostWork = 1e12  // multiplications that the layers of a file may take: about seven minutes
	garbage  = 2     // memory that the process takes, over what it uses: the collector waits until it has doubled
	// what a user hears of before it is begun
	longWork, muchMemory = 10 * speed, 500e6
)

// A cost is what it takes at most to measure a layer of arrays.
type cost struct {
	work  float64 // multiplications
	bytes float64 // of memory, besides the arrays as the file has them
}

// costOf counts, for N images, H heads, T tokens, S ≤ 4T shifts and I × O channels:
//
//	reading            30·N·H·T²              with a logarithm of each weight
//	a projection       H²·(T²/2 + S) + H·T²   one of all queries, four of the interior, one for each image
//	                                          and for each draw of two nulls
//	repeated edges     2·H·T² + H²·S
//	products of maps   H²·I·O/2
//	the kernel         S·H·I·O
//	its rank           30·H³                  two eigenvalue decompositions and the products between them
//	leverage           10·S·H·min(S, H)       a singular value decomposition
//	border bits        3000·H·T²              rounds of positionOnly
//	profiles           8·H²·T² + H³/3         each pair of heads at each shift, and complete linkage
//
// Five arrays are as large as the attention: an image twice, sum, mean, a draw. 16 are (H, H), nine (H, S).
func costOf(images, heads, tokens, in, out, draws int) cost {
	h, t, maps := float64(heads), float64(tokens), float64(in)*float64(out)
	s := 4 * t
	projections := 5 + 2*float64(draws) + float64(images)
	return cost{
		work: projections*(h*h*(t*t/2+s)+h*t*t) + 2*h*t*t + h*h*s + h*h*maps/2 + s*h*maps + 30*h*h*h +
			10*s*h*min(s, h) + (3000+30*float64(images))*h*t*t + 8*h*h*t*t + h*h*h/3,
		bytes: 8 * (5*h*t*t + 16*h*h + 9*h*s + (h+2)*maps),
	}
}

// cost is that of the layer, whose shapes check has passed.
func (l *arrayLayer) cost(draws int) cost {
	a, w, images := l.attention.Shape, l.maps.Shape, 1
	if len(a) == 4 {
		images = a[0]
	}
	return costOf(images, w[0], a[len(a)-1], w[1], w[2], draws)
}

// affordable returns what the layers take, one after the other, or an error if that is more memory than there is, or
// more work than a user waits for. It reads no array but grid.
func affordable(layers []*arrayLayer, draws, kernel int) (whole cost, err error) {
	fitted, drawn := 0.0, 0.0 // multiplications of regressions and of draws
	for _, l := range layers {
		c := l.cost(draws)
		g, err := l.tokens()
		if err != nil {
			return whole, fmt.Errorf("%s%w", l.called(), err)
		}
		k := l.kernelFor(g, kernel)
		on := l.inputCost(g, k)
		fitted, drawn = fitted+on.work, drawn+c.work-l.cost(0).work
		c.work, c.bytes = c.work+on.work, c.bytes+on.bytes
		for _, u := range l.untrained {
			of, fit := u.cost(0), cost{}
			if k >= nullKernel {
				fit = u.inputCost(g, nullKernel)
			}
			fitted += fit.work
			c.work, c.bytes = c.work+of.work+fit.work, max(c.bytes, c.bytes/2+of.bytes+fit.bytes)
		}
		whole.work, whole.bytes = whole.work+c.work, max(whole.bytes, garbage*c.bytes)
		if err := memory.Check(int64(min(c.bytes, 1<<62))); err != nil {
			return whole, fmt.Errorf("%sattention %v with maps %v: %w", l.called(), l.attention.Shape, l.maps.Shape,
				err)
		}
	}
	if whole.work <= mostWork {
		return whole, nil
	}
	less := "fewer layers: a file for each   or fewer heads, tokens or channels"
	if drawn > whole.work/4 {
		less = fmt.Sprintf("fewer draws of the nulls: --draws (now %d)   ", draws) + less
	}
	if fitted > whole.work/4 {
		less = fmt.Sprintf("smaller regressions: --kernel 1 (now %d)   ", kernel) + less
	}
	return whole, fmt.Errorf("to measure it takes about %.2g multiplications: want %.2g at most\n  %s", whole.work,
		mostWork, less)
}

// kernelFor returns the K of the largest regression of the inputs, at most k; 0 or less for none.
func (l *arrayLayer) kernelFor(g analyse.Grid, k int) int {
	if l.inputs == nil || k < 1 {
		return 0
	}
	return fitting(g, l.maps.Shape[1], l.inputs.Shape[0]/2*g.Tokens(), l.kernelOf(k))
}

// String says how long it takes, and how much memory.
func (c cost) String() string {
	return fmt.Sprintf("about %s of one core and up to %s of memory", table.Seconds(c.work/speed),
		table.Size(int64(c.bytes)))
}

// until returns what f returns or, as soon as ctx is done, the error of ctx. f then goes on with what only it has, and
// its result is dropped: a decomposition of a large matrix cannot be stopped.
func until(ctx context.Context, f func() error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ended, panics := make(chan error, 1), make(chan any, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				panics <- p
			}
		}()
		ended <- f()
	}()
	select {
	case err := <-ended:
		return err
	case p := <-panics:
		panic(p) // where a caller can recover
	case <-ctx.Done():
		return ctx.Err()
	}
}

// inputCost counts what inputs of N images add, with regressions up to K × K of C = K²·I columns, if there are any:
//
//	outputs        N·H·(T²·I + T·I·O)    of the layer, and of two mean attentions
//	moments        N·(P·I² + T·C·O)      for P pairs of tokens
//	the factor     C³/6 + C²·O
//	scores         2·N·T·C·O             of all K
//
// The inputs, an image of outputs and the moments are in memory. All but the factor are products in float32, which take
// a tenth of the time.
func (l *arrayLayer) inputCost(g analyse.Grid, k int) cost {
	if l.inputs == nil {
		return cost{}
	}
	k = max(0, k)
	n, t := float64(l.inputs.Shape[0]), float64(g.Tokens())
	h, in, out := float64(l.maps.Shape[0]), float64(l.maps.Shape[1]), float64(l.maps.Shape[2])
	columns, pairs := float64(k*k)*in, 0.0
	if k > 0 {
		pairs = float64(near(g, k))
	}
	return cost{
		work: 0.1*n*(3*h*(t*t*in+t*in*out)+pairs*in*in+3*t*columns*out) + columns*columns*columns/6 +
			columns*columns*out,
		bytes: float64(l.inputs.Elements)*8 + 8*(columns*columns+columns*out+pairs*in*in) + 8*t*(h+1)*(in+out),
	}
}
