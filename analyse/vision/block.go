package vision

import (
	"math"

	"github.com/attnconv/attnconv/analyse"
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A block is a branch of attention and a branch of two maps:
//
//	x ← x + λ₁·proj(attention(norm1(x)))
//	x ← x + λ₂·fc2(act(fc1(norm2(x))))      middle: x ← norm2(x), x ← x + fc2(act(fc1(x)))
type block struct {
	name           string // in the file
	others         int    // tokens that are not on the grid, in front of the others
	merge          *merge // in front of the block; nil: none
	norm1, norm2   *norm
	attention      *attention
	proj           linear
	scale1, scale2 []float32 // λ; nil: 1
	fc1, fc2       linear
	gated          bool // act is SiLU of the first half of fc1's result times the second half; else GELU
	middle         bool
}

// A merge makes one token of 2 × 2: in the order (0,0), (1,0), (0,1), (1,1) of rows and columns, normed together.
type merge struct {
	grid      analyse.Grid // in front of it
	norm      *norm
	reduction linear
}

func (m *merge) apply(x []float32) []float32 {
	d := m.reduction.in / 4
	y := make([]float32, 0, len(x))
	for r := 0; r < m.grid.Rows; r += 2 {
		for c := 0; c < m.grid.Cols; c += 2 {
			for _, at := range [4][2]int{{r, c}, {r + 1, c}, {r, c + 1}, {r + 1, c + 1}} {
				y = append(y, x[(at[0]*m.grid.Cols+at[1])*d:][:d]...)
			}
		}
	}
	return m.reduction.apply(m.norm.apply(y))
}

// Seen is what a layer did on an image, or in one of its windows.
type Seen struct {
	// (heads, tokens, tokens), where the first Others of the tokens are not on the grid; rows add up to 1
	Attention []float32
	Others    int
	Stream    []float32 // what the layer adds to, (tokens, channels)
	Output    []float32 // what it adds, (tokens, channels)
	heads     int
}

// OnGrid returns the attention between tokens of the grid, (heads, tokens, tokens): rows add up to 1 or less.
func (s Seen) OnGrid() []float32 {
	if s.Others == 0 {
		return s.Attention
	}
	all := int(math.Round(math.Sqrt(float64(len(s.Attention) / s.heads)))) // tokens
	p := make([]float32, 0, len(s.Attention))
	for row := 0; row*all < len(s.Attention); row++ {
		if row%all >= s.Others {
			p = append(p, s.Attention[row*all+s.Others:(row+1)*all]...)
		}
	}
	return p
}

// tokens is how many tokens an image has in the block.
func (b *block) tokens() int { return b.others + b.attention.all.Tokens() }

// enter returns the tokens of images that the block begins with.
func (b *block) enter(x, others []float32, images int) []float32 {
	if b.merge == nil && len(x) == images*b.tokens()*b.attention.channels {
		return x
	}
	y := make([]float32, 0, images*b.tokens()*b.attention.channels)
	for image := range images {
		of := x[image*len(x)/images : (image+1)*len(x)/images]
		if b.merge != nil {
			of = b.merge.apply(of)
		} else { // they join here
			y = append(y, others...)
		}
		y = append(y, of...)
	}
	return y
}

// leave returns the tokens behind the block, for those that it began with and what attention adds.
func (b *block) leave(x, y []float32) []float32 {
	sum := make([]float32, len(x))
	vec.AddSerial(sum, x, y)
	z := b.norm2.apply(sum)
	if b.middle {
		sum = z
	}
	h := b.fc1.apply(z)
	if b.gated {
		h = silus(h, b.fc2.in)
	} else {
		vec.GELU(h, h, make([]float32, b.fc1.out))
	}
	h = b.fc2.apply(h)
	scale(h, b.scale2)
	vec.AddSerial(h, h, sum)
	return h
}

// silus returns silu(u)·v of rows (u, v), of n numbers each.
func silus(x []float32, n int) []float32 {
	y := make([]float32, len(x)/2)
	for i := range y {
		u := float64(x[i/n*2*n+i%n])
		y[i] = float32(u/(1+math.Exp(-u))) * x[i/n*2*n+n+i%n]
	}
	return y
}

// scale multiplies rows by λ.
func scale(x, by []float32) {
	if by == nil {
		return
	}
	for i := range x {
		x[i] *= by[i%len(by)]
	}
}

// attend returns what attention adds to the tokens of images. see, unless nil, gets what it did on each.
func (b *block) attend(x []float32, images int, see func(image int, s Seen) error) ([]float32, error) {
	a := b.attention
	n := b.tokens()
	qkv := a.project(b.norm1.apply(x))
	y := make([]float32, len(x))
	var seen []Seen
	for image := range images {
		of, to := qkv[image*n*3*a.channels:][:n*3*a.channels], y[image*n*a.channels:][:n*a.channels]
		a.each(func(tokens, hidden []int) {
			part := gather(of, tokens, 3*a.channels)
			p := a.weights(part, hidden)
			scatter(to, a.mix(p, part, 3*a.channels), tokens, a.channels)
			if see != nil && hidden == nil {
				seen = append(seen, Seen{Attention: p, Others: b.others, heads: a.heads})
			}
		})
	}
	y = b.proj.apply(y)
	scale(y, b.scale1)
	at := 0
	var err error
	for image := range images {
		from, to := image*n*a.channels, (image+1)*n*a.channels
		a.each(func(tokens, hidden []int) {
			if see == nil || hidden != nil || err != nil {
				return
			}
			s := seen[at]
			s.Stream, s.Output = gather(x[from:to], tokens, a.channels), gather(y[from:to], tokens, a.channels)
			at++
			err = see(image, s)
		})
	}
	return y, err
}

// each calls f with the tokens that attend to one another; nil: all.
func (a *attention) each(f func(tokens, hidden []int)) {
	if a.split == nil {
		f(nil, nil)
		return
	}
	for i, tokens := range a.split.tokens {
		f(tokens, a.split.hidden[i])
	}
}

// Taps are a convolution instead of the attention of each head between tokens of the grid.
type Taps struct {
	Shifts  []analyse.Shift
	Weights [][]float32 // of each head and shift
}

// convolve returns what attention adds to the tokens of an image with taps between those of the grid, zeros around it.
// Attention to and of the other tokens stays. Of n = n̂·diag(γ) + β, the constant β is added in full, as attention
// does:
//
//	y_q = Σ_δ t(δ)·n̂_{q+δ}·diag(γ)·V + Σ_others P_qs·n̂_s·diag(γ)·V + β·V + b
func (b *block) convolve(x []float32, t Taps) []float32 {
	a := b.attention
	qkv := a.project(b.norm1.apply(x))
	centered := b.norm1.hat(x)
	scale(centered, b.norm1.gamma)
	value := linear{a.qkv.weight[2*a.channels*a.channels:], nil, a.channels, a.channels}
	v, constant := value.apply(centered), value.apply(b.norm1.beta)
	if a.qkv.bias != nil {
		vec.AddSerial(constant, constant, a.qkv.bias[2*a.channels:])
	}
	y := make([]float32, len(x))
	a.each(func(tokens, hidden []int) {
		values := gather(v, tokens, a.channels)
		p := a.weights(gather(qkv, tokens, 3*a.channels), hidden)
		scatter(y, a.mixTaps(p, values, b.others, t), tokens, a.channels)
	})
	vec.AddRow(y, y, constant)
	y = b.proj.apply(y)
	scale(y, b.scale1)
	return y
}

// mixTaps is mix with taps between the tokens of the grid.
func (a *attention) mixTaps(p, values []float32, others int, t Taps) []float32 {
	n := others + a.grid.Tokens()
	for h := range a.heads {
		for q := others; q < n; q++ {
			row := p[(h*n+q)*n:][:n]
			clear(row[others:])
			r, c := (q-others)/a.grid.Cols, (q-others)%a.grid.Cols
			for i, s := range t.Shifts {
				if k, l := r+s[0], c+s[1]; k >= 0 && l >= 0 && k < a.grid.Rows && l < a.grid.Cols {
					row[others+k*a.grid.Cols+l] += t.Weights[h][i]
				}
			}
		}
	}
	return a.mix(p, values, a.channels)
}

// maps returns W_h of each head, λ₁ included.
func (b *block) maps() [][]float64 {
	a, d, n := b.attention, b.attention.width(), b.attention.channels
	value := a.qkv.weight[2*n*n:]
	maps := make([][]float64, a.heads)
	product := make([]float32, n*n)
	for h := range maps {
		gemm.Mul(gemm.Matrix(product, n, n), gemm.Matrix(value[h*d*n:(h+1)*d*n], d, n).T(),
			gemm.Strided(b.proj.weight[h*d:], n, d, n).T())
		maps[h] = wide(product)
		if b.scale1 == nil {
			continue
		}
		for i := range maps[h] {
			maps[h][i] *= float64(b.scale1[i%n])
		}
	}
	return maps
}
