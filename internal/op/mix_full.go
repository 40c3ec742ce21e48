package op

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/attnconv/attnconv/internal/kernel"
)

// MixFull lets every head average the tokens by its own weights, shared by the batch, and maps the heads to the output:
//
//	y[b,q] = Σ_h Σ_k drop(P)[h,q,k] · x[b,k]·W_hᵀ + bias
//
// x (batch, T, in), P (heads, T, T), W (out, heads·in) head-major, bias (out) -> y (batch, T, out). The dropout mask is
// drawn once per run, for all images: row h·T+q, column k of its stream.
func MixFull(x, p, w, bias *Node, drop Dropout) *Node {
	return apply(mixFull(x.Shape(), w.Shape(), p.Shape()[0], drop), x, p, w, bias)
}

func mixFull(x, w Shape, heads int, drop Dropout) def {
	if x.Dims() != 3 || w.Dims() != 2 {
		return refuse("mix-full", mixWant)
	}
	batch, t, in, out := x[0], x[1], x[2], w[0]
	v := newValues(batch, t, heads, in, out)
	m := &fullMix{values: v, drop: drop}
	own := room{at: &m.room}
	if drop.Rate > 0 {
		own.floats = heads * t * t
	}
	return def{
		name: "mix-full" + drop.String(),
		want: mixWant,
		shape: func(s []Shape) (Shape, bool) {
			return Shape{batch, t, out}, s[1].Eq(Shape{heads, t, t}) && w[1] == heads*in && s[3].Eq(Shape{out})
		},
		unread:    []int{3, output},
		rooms:     append(v.rooms(), own),
		backRooms: append(v.backRooms(), own),
		fwd: func(y []float32, a [][]float32) {
			m.weigh(a[1])
			v.forward(y, a[0], a[2], a[3], m.mix)
		},
		lower: func(l *Lowering, a []*graph.Node) *graph.Node {
			z := l.product("hqk,bke->bqhe", l.masked(a[1], drop), a[0])
			return l.linear(graph.Reshape(z, batch, t, w[1]), a[2], a[3])
		},
		bwd: func(d [][]float32, dy, _ []float32, a [][]float32) {
			m.weigh(a[1])
			clear(d[0])
			clear(d[1])
			v.backward(d[2], d[3], dy, a[0], a[2], m.mix, func(dz, x []float32, first, n int) {
				m.unmix(d[0], d[1], dz, x, first, n)
			})
			if drop.Rate > 0 {
				m.masked(d[1], d[1])
			}
		},
	}
}

const mixWant = "x (batch, tokens, in), weights for each head, W (out, heads·in) and bias (out)"

// refuse is the operation that takes no shapes.
func refuse(name, want string) def {
	return def{name: name, want: want, shape: func([]Shape) (Shape, bool) { return nil, false }}
}

type fullMix struct {
	*values
	drop Dropout
	p    []float32 // this run's weights, after dropout
	room []float32 // for them
}

// weigh sets p to the weights of this run.
func (m *fullMix) weigh(p []float32) {
	if m.p = p; m.drop.Rate > 0 {
		m.p = m.room
		m.masked(m.p, p)
	}
}

// masked sets dst = mask ∘ src.
func (m *fullMix) masked(dst, src []float32) {
	t, drop := m.tokens, m.drop.now()
	kernel.Parallel(m.heads, func(h int) {
		room := kernel.Borrow(t)
		defer kernel.GiveBack(room)
		mask := *room
		for row := h * t; row < (h+1)*t; row++ {
			drop.Row(mask, uint32(row))
			for k, v := range mask {
				dst[row*t+k] = v * src[row*t+k]
			}
		}
	})
}

func (m *fullMix) head(h int) kernel.Mat {
	return kernel.Matrix(m.p[h*m.tokens*m.tokens:(h+1)*m.tokens*m.tokens], m.tokens, m.tokens)
}

// image returns the tokens of image b in x, and column returns head h's block of its rows in z.
func (m *fullMix) image(x []float32, b int) kernel.Mat {
	size := m.tokens * m.in
	return kernel.Matrix(x[b*size:(b+1)*size], m.tokens, m.in)
}

func (m *fullMix) column(z []float32, b, h int) kernel.Mat {
	wide := m.heads * m.in
	return kernel.Matrix(z, len(z)/wide, wide).Block(b*m.tokens, h*m.in, m.tokens, m.in)
}

// mix sets Z_h = P_h·X for n images.
func (m *fullMix) mix(z, x []float32, n int) {
	kernel.Parallel(n*m.heads, func(i int) {
		b, h := i/m.heads, i%m.heads
		kernel.MulSerial(m.column(z, b, h), m.head(h), m.image(x, b))
	})
}

// unmix adds dX = Σ_h P_hᵀ·dZ_h image by image, and dP_h = Σ_b dZ_h·Xᵀ head by head.
func (m *fullMix) unmix(dx, dp, dz, x []float32, first, n int) {
	kernel.Parallel(n+m.heads, func(i int) {
		if i < n {
			if len(dx) > 0 {
				for h := range m.heads {
					kernel.MulAddSerial(m.image(dx, first+i), m.head(h).T(), m.column(dz, i, h))
				}
			}
			return
		}
		h, tt := i-n, m.tokens*m.tokens
		for b := range n {
			kernel.MulAddSerial(kernel.Matrix(dp[h*tt:(h+1)*tt], m.tokens, m.tokens), m.column(dz, b, h), m.image(x, b).T())
		}
	})
}
