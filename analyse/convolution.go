package analyse

import "github.com/attnconv/attnconv/posenc/geometry"

// A Border is what a convolution reads outside of the grid.
type Border int

const (
	Zeros     Border = iota // 0
	Replicate               // the nearest token, as a softmax over the grid does
	Circular                // the opposite side
)

// Convolution returns a convolution as a layer: a hard head for each shift of the kernel. It is the door for networks
// of convolutions, such as a twin.
func Convolution(g Grid, k Kernel, b Border) (Layer, error) {
	l := Layer{Grid: g, In: k.In, Out: k.Out, Maps: k.Maps, Padded: b == Zeros}
	attention, err := Taps(g, k.Shifts, b)
	if err != nil {
		return l, err
	}
	l.Attention = attention
	return l, l.Check()
}

// Taps returns hard attention, (T, T) for each head: all weight of q on q + s. It is the layer of Lemma 1, and with
// Operator.TapScore's shifts it is what replaces a layer's attention to ask what its taps alone can do.
func Taps(g Grid, shifts []Shift, b Border) ([][]float64, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	if len(shifts) > maxHeads {
		return nil, wrong("shifts", "%d: want %d at most", len(shifts), maxHeads)
	}
	n := g.Tokens()
	attention := make([][]float64, len(shifts))
	for h, s := range shifts {
		attention[h] = make([]float64, n*n)
		for q := range n {
			if k, ok := b.read(g, q, s); ok {
				attention[h][q*n+k] = 1
			}
		}
	}
	return attention, nil
}

// read returns the token that a border has at s from q.
func (b Border) read(g Grid, q int, s Shift) (k int, ok bool) {
	r, onRow := b.along(q/g.Cols+s[0], g.Rows)
	c, onCol := b.along(q%g.Cols+s[1], g.Cols)
	return r*g.Cols + c, onRow && onCol
}

// along returns the token that a border has at a place along an axis of n tokens.
func (b Border) along(at, n int) (k int, ok bool) {
	switch b {
	case Replicate:
		at = min(max(at, 0), n-1)
	case Circular:
		at = (at%n + n) % n
	}
	return at, at >= 0 && at < n
}

// ShiftMean returns the layer's attention made shift-invariant: p̄_h(k - q) for every pair on the grid, (T, T) for each
// head. With the layer's maps it is the nearest convolution Ŵ, and its rows need not add up to 1. k limits it to the
// shifts of Δ_K; 0 is all.
func (o *Operator) ShiftMean(k int) [][]float64 {
	g, n := o.Layer.Grid, o.Layer.Grid.Tokens()
	attention := make([][]float64, len(o.Layer.Attention))
	for h := range attention {
		attention[h] = make([]float64, n*n)
		for i := range attention[h] {
			if s := g.Shift(i/n, i%n); k < 1 || s.Side() <= k {
				attention[h][i] = o.whole.mean[h][g.Index(s)]
			}
		}
	}
	return attention
}

// Gaussian returns the attention of a quadratic head, softmax_k(-½(δ-Δ)ᵀΣ⁻¹(δ-Δ)) over the grid, (T, T). With the
// trained precisions and other centers it is one of the nulls.
func Gaussian(g Grid, center [2]float64, precision [2][2]float64) ([]float64, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	n := g.Tokens()
	p := make([]float64, n*n)
	for q := range n {
		row := p[q*n : (q+1)*n]
		for k := range row {
			s := g.Shift(q, k)
			y, x := float64(s[0])-center[0], float64(s[1])-center[1]
			row[k] = -0.5 * (y*y*precision[0][0] + x*y*(precision[0][1]+precision[1][0]) + x*x*precision[1][1])
		}
		geometry.Softmax(row)
	}
	if i := infinite(p); i >= 0 {
		return nil, wrong("precision", "center %v, precision %v: no distribution", center, precision)
	}
	return p, nil
}
