package op

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// mixed is a tensor by image, head, query or key, and channel or key. Where heads share values, they share slices.
type mixed = [][][][]float64

// plainMix adds z[q] = Σ_k p[q,k]·v[k] of every image and head, and for given dz the gradients of v and p.
func plainMix(z, dv, dp, p, v, dz mixed) {
	for b := range p {
		for h := range p[b] {
			for q := range p[b][h] {
				for k := range p[b][h][q] {
					for c := range v[b][h][k] {
						z[b][h][q][c] += p[b][h][q][k] * v[b][h][k][c]
						dv[b][h][k][c] += p[b][h][q][k] * dz[b][h][q][c]
						dp[b][h][q][k] += dz[b][h][q][c] * v[b][h][k][c]
					}
				}
			}
		}
	}
}

// The loops in the documentation of MixSeparable are those that the tests run.
func TestMixLoopsAreQuoted(t *testing.T) {
	test, err := os.ReadFile("mix_plain_test.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("mix_separable.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(test, []byte("func plainMix("))
	_, body, _ = bytes.Cut(body, []byte("{\n"))
	body, _, _ = bytes.Cut(body, []byte("\n}\n"))
	if quote := append([]byte("//"), bytes.ReplaceAll(body, []byte("\n"), []byte("\n//"))...); !bytes.Contains(doc,
		quote) {
		t.Errorf("mix_separable.go does not have\n%s", quote)
	}
}

// plainSizes are what the plain operations loop over.
type plainSizes struct{ batch, heads, tokens int }

// values views x (batch, tokens, channels of one head or all), and weights views p (batch, heads, tokens, tokens).
func (n plainSizes) values(x []float64, channels int) mixed {
	wide := len(x) / (n.batch * n.tokens)
	return n.each(func(b, h, t int) []float64 {
		return x[(b*n.tokens+t)*wide+h*channels%wide:][:channels]
	})
}

func (n plainSizes) weights(p []float64) mixed {
	return n.each(func(b, h, q int) []float64 { return p[((b*n.heads+h)*n.tokens+q)*n.tokens:][:n.tokens] })
}

func (n plainSizes) each(row func(b, h, t int) []float64) (m mixed) {
	m = make(mixed, n.batch)
	for b := range m {
		m[b] = make([][][]float64, n.heads)
		for h := range m[b] {
			for t := range n.tokens {
				m[b][h] = append(m[b][h], row(b, h, t))
			}
		}
	}
	return m
}

// eachPair calls f for every image, head, query and key; i counts them.
func (n plainSizes) eachPair(f func(i, b, h, q, k int)) {
	for i := range n.batch * n.heads * n.tokens * n.tokens {
		f(i, i/(n.heads*n.tokens*n.tokens), i/(n.tokens*n.tokens)%n.heads, i/n.tokens%n.tokens, i%n.tokens)
	}
}

// mask is drop's, by image, head, query and key.
func (n plainSizes) mask(drop Dropout) (all []float64) {
	row := make([]float32, n.tokens)
	for i := range n.batch * n.heads * n.tokens {
		if !drop.PerImage {
			i %= n.heads * n.tokens
		}
		drop.now().Row(row, uint32(i))
		all = append(all, wide(row)...)
	}
	return all
}

// plain returns the result of a mixing operation, and the gradients of its inputs where dy is the result's.
func plain(o Op, s []Shape, in [][]float64, dy []float64) (y []float64, d [][]float64) {
	for _, x := range in {
		d = append(d, make([]float64, len(x)))
	}
	switch o := o.(type) {
	case MixSeparableOp:
		return plainSeparable(o, s, in, d, dy)
	case MixFullOp:
		return plainFull(plainSizes{s[0][0], s[1][0], s[0][1]}, o.Drop, in, d, dy), d
	case MixHeadsOp:
		z := make([]float64, len(dy))
		plainHeads(plainSizes{s[0][0], s[1][0], s[0][1]}, o.Drop, z, d[0], d[1], in[0], in[1], dy)
		return z, d
	}
	return plainContent(o.(MixContentOp), s, in, d, dy)
}

// plainHeads mixes by weights p (heads, tokens, tokens) that images share.
func plainHeads(n plainSizes, drop Dropout, z, dv, dp, v, p, dz []float64) {
	masked, dMasked := n.mask(drop), make([]float64, n.batch*len(p))
	mask := slices.Clone(masked)
	n.eachPair(func(i, _, _, _, _ int) { masked[i] *= p[i%len(p)] })
	channels := len(z) / (n.batch * n.heads * n.tokens)
	plainMix(n.values(z, channels), n.values(dv, channels), n.weights(dMasked), n.weights(masked),
		n.values(v, channels),
		n.values(dz, channels))
	n.eachPair(func(i, _, _, _, _ int) { dp[i%len(p)] += mask[i] * dMasked[i] })
}

// plainFull is plainHeads and a linear map.
func plainFull(n plainSizes, drop Dropout, in, d [][]float64, dy []float64) (y []float64) {
	x, p, w, bias := in[0], in[1], in[2], in[3]
	out, wide := len(bias), len(w)/len(bias)
	z, dz := make([]float64, n.batch*n.tokens*wide), make([]float64, n.batch*n.tokens*wide)
	for i := range dz {
		for o := range out {
			dz[i] += dy[i/wide*out+o] * w[o*wide+i%wide]
		}
	}
	plainHeads(n, drop, z, d[0], d[1], x, p, dz)
	y = make([]float64, len(dy))
	for i := range y {
		t, o := i/out, i%out
		y[i] = bias[o]
		d[3][o] += dy[i]
		for c := range wide {
			y[i] += z[t*wide+c] * w[o*wide+c]
			d[2][o*wide+c] += dy[i] * z[t*wide+c]
		}
	}
	return y
}

// plainSeparable is plainFull with P = R⊗C.
func plainSeparable(o MixSeparableOp, s []Shape, in, d [][]float64, dy []float64) ([]float64, [][]float64) {
	heads, rows, cols := s[1][0], s[1][1], s[2][1]
	n := plainSizes{s[0][0], heads, rows * cols}
	one := plainSizes{1, heads, rows * cols}
	factors := func(h, q, k int) (r, c int) {
		return (h*rows+q/cols)*rows + k/cols, (h*cols+q%cols)*cols + k%cols
	}
	p := make([]float64, heads*n.tokens*n.tokens)
	dp := make([]float64, len(p))
	one.eachPair(func(i, _, h, q, k int) {
		r, c := factors(h, q, k)
		p[i] = in[1][r] * in[2][c]
	})
	y := plainFull(n, o.Drop, [][]float64{in[0], p, in[3], in[4]}, [][]float64{d[0], dp, d[3], d[4]}, dy)
	one.eachPair(func(i, _, h, q, k int) {
		r, c := factors(h, q, k)
		d[1][r] += dp[i] * in[2][c]
		d[2][c] += dp[i] * in[1][r]
	})
	return y, d
}

// plainContent mixes by the softmax of scores.
func plainContent(o MixContentOp, s []Shape, in, d [][]float64, dz []float64) ([]float64, [][]float64) {
	if !o.Heads.Window.All() {
		return plainWindow(o, s, in, d, dz)
	}
	n := plainSizes{s[0][0], o.Heads.Count, o.Heads.tokens()}
	scores := newPlainScores(n)
	next := 0
	take := func(channels int) (x, dx mixed) {
		next++
		return n.values(in[next-1], channels), n.values(d[next-1], channels)
	}
	channels := s[0][2]
	if o.Each {
		channels /= n.heads
	}
	v, dv := take(channels)
	if o.Content {
		width := s[1][2] / n.heads
		q, dq := take(width)
		k, dk := v, dv
		if !o.KeyIsValue {
			k, dk = take(width)
		}
		scores.addDots(float64(o.Scale), q, dq, k, dk)
	}
	if rows, cols := o.Heads.Rows, o.Heads.Cols; o.Position {
		x, dx := take(2*rows - 1)
		scores.addShifts(x, dx, func(q, k int) int { return k/cols - q/cols + rows - 1 })
		x, dx = take(2*cols - 1)
		scores.addShifts(x, dx, func(q, k int) int { return k%cols - q%cols + cols - 1 })
	}
	if rows, cols := o.Heads.Rows, o.Heads.Cols; o.Shift {
		table, grad := in[next], d[next]
		scores.addTable(table, grad, func(q, k int) int {
			return (k/cols-q/cols+rows-1)*(2*cols-1) + k%cols - q%cols + cols - 1
		})
	}
	z := make([]float64, len(dz))
	p, backward := scores.softmax(n.mask(o.Drop))
	plainMix(n.values(z, channels), dv, n.weights(scores.d), n.weights(p), v, n.values(dz, channels))
	backward()
	return z, d
}

// plainScores are scores of all pairs, what to do with their gradients, and these.
type plainScores struct {
	plainSizes
	a, d     []float64
	backward []func()
}

func newPlainScores(n plainSizes) *plainScores {
	pairs := n.batch * n.heads * n.tokens * n.tokens
	return &plainScores{plainSizes: n, a: make([]float64, pairs), d: make([]float64, pairs)}
}

// addDots adds scale·q·k.
func (s *plainScores) addDots(scale float64, q, dq, k, dk mixed) {
	s.eachPair(func(i, b, h, qi, ki int) {
		for c := range q[b][h][qi] {
			s.a[i] += scale * q[b][h][qi][c] * k[b][h][ki][c]
		}
	})
	s.backward = append(s.backward, func() {
		s.eachPair(func(i, b, h, qi, ki int) {
			for c := range q[b][h][qi] {
				dq[b][h][qi][c] += scale * s.d[i] * k[b][h][ki][c]
				dk[b][h][ki][c] += scale * s.d[i] * q[b][h][qi][c]
			}
		})
	})
}

// addShifts adds x[q, shift(q, k)].
func (s *plainScores) addShifts(x, dx mixed, shift func(q, k int) int) {
	s.eachPair(func(i, b, h, q, k int) { s.a[i] += x[b][h][q][shift(q, k)] })
	s.backward = append(s.backward, func() {
		s.eachPair(func(i, b, h, q, k int) { dx[b][h][q][shift(q, k)] += s.d[i] })
	})
}

// addTable adds the score of each pair's shift from the head's part of a table, the same for all images.
func (s *plainScores) addTable(table, grad []float64, shift func(q, k int) int) {
	at := func(h, q, k int) int { return h*len(table)/s.heads + shift(q, k) }
	s.eachPair(func(i, _, h, q, k int) { s.a[i] += table[at(h, q, k)] })
	s.backward = append(s.backward, func() {
		s.eachPair(func(i, _, h, q, k int) { grad[at(h, q, k)] += s.d[i] })
	})
}

// softmax returns the weights under a mask. backward takes their gradient in d, and goes on to what the scores were
// made of.
func (s *plainScores) softmax(mask []float64) (p []float64, backward func()) {
	w := slices.Clone(s.a)
	for row := range slices.Chunk(w, s.tokens) {
		sum := 0.0
		for k, a := range row {
			row[k] = math.Exp(a)
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
	}
	p = slices.Clone(w)
	for i, m := range mask {
		p[i] *= m
	}
	return p, func() {
		for i := 0; i < len(p); i += s.tokens {
			sum := 0.0
			for k := i; k < i+s.tokens; k++ {
				sum += p[k] * s.d[k]
			}
			for k := i; k < i+s.tokens; k++ {
				s.d[k] = p[k]*s.d[k] - w[k]*sum
			}
		}
		for _, f := range s.backward {
			f()
		}
	}
}

func wide(x []float32) (y []float64) {
	for _, v := range x {
		y = append(y, float64(v))
	}
	return y
}

// mixCases are the mixing operations of Cases, and larger ones: each has more than one of something that others have
// one of.
func mixCases() (all []Case) {
	for _, c := range Cases() {
		if strings.HasPrefix(c.Op.String(), "mix-") {
			all = append(all, c)
		}
	}
	drop, perImage := caseDrop()
	for _, d := range []Dropout{{}, drop} {
		for _, s := range []separableSizes{
			{batch: 3, heads: 2, rows: 4, cols: 6, in: sliceChannels + 10, out: 7}, // slices
			{batch: 6, heads: 2, rows: 21, cols: 20, in: 6, out: 5},                // bands, segments, chunks
		} {
			all = append(all, Case{MixSeparableOp{Drop: d}, []Shape{{s.batch, s.tokens(), s.in},
				{s.heads, s.rows, s.rows},
				{s.heads, s.cols, s.cols}, {s.out, s.heads * s.in}, {s.out}}})
		}
		all = append(all, Case{MixFullOp{Drop: d}, []Shape{{9, 240, 3}, {2, 240, 240}, {5, 6}, {5}}}) // chunks
	}
	const tokens = 15 * 14 // tiles
	for _, w := range []Window{
		{Size: 5, Stride: 1, Dilation: 2, Border: AbsentBorder},
		{Size: 4, Stride: 4, Dilation: 1, Offset: 2, Border: AbsentBorder},
		{Size: 8, Stride: 4, Dilation: 1},
		{Size: 6, Stride: 1, Dilation: 2, Border: ClampBorder},
	} {
		reach := Shape{2, (2*w.Reach(15) + 1) * (2*w.Reach(14) + 1)}
		all = append(all, Case{MixContentOp{Content: true, Shift: true, Scale: 0.5, Drop: perImage,
			Heads: Heads{2, 15, 14, w}}, []Shape{{2, tokens, 5}, {2, tokens, 10}, {2, tokens, 5}, reach}})
	}
	// A grid of one row, whose reach differs from that of the columns.
	flat := Window{Size: 6, Stride: 4, Dilation: 1, Offset: 2, Border: AbsentBorder}
	if flat.Reach(1) == flat.Reach(8) {
		panic("the window reaches equally far along both axes")
	}
	all = append(all, Case{MixContentOp{Shift: true, Heads: Heads{2, 1, 8, flat}},
		[]Shape{{2, 8, 3}, {2, (2*flat.Reach(1) + 1) * (2*flat.Reach(8) + 1)}}})
	return append(all, Case{MixContentOp{Content: true, KeyIsValue: true, Position: true, Scale: 0.5,
		Heads: Heads{Count: 2, Rows: 15, Cols: 14},
		Drop:  perImage}, []Shape{{2, tokens, 5}, {2, tokens, 10}, {2, tokens, 2 * 29}, {2, tokens, 2 * 27}}})
}

// Every mixing operation, forward and backward, is the plain loops to rounding, and the same to the bit on any number
// of threads.
func TestMixIsPlain(t *testing.T) {
	defer threads.SetLimit(0)
	for _, tt := range mixCases() {
		t.Run(fmt.Sprintf("%s %v", tt.Op, tt.In), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			var in [][]float32
			var x [][]float64
			for _, s := range tt.In {
				in = append(in, random(rng, s.TotalSize()))
				x = append(x, wide(in[len(in)-1]))
			}
			k, out := kernelOf(t, tt)
			dy := random(rng, out.TotalSize())
			y, d := plain(tt.Op, tt.In, x, wide(dy))
			var first [][]float32
			for _, limit := range []int{1, 2, 4} {
				threads.SetLimit(limit)
				lay(k)
				got := [][]float32{make([]float32, len(dy))}
				for _, x := range in {
					got = append(got, random(rng, len(x))) // gradients start dirty
				}
				k.Forward(got[0], in)
				k.Backward(got[1:], dy, nil, in)
				if first == nil {
					first = got
				}
				if !slices.EqualFunc(got, first, slices.Equal) {
					t.Errorf("other bytes on %d threads than on one", limit)
				}
			}
			nearPlain(t, "y", first[0], y)
			for i, d := range d {
				nearPlain(t, fmt.Sprintf("gradient of input %d", i), first[i+1], d)
			}
		})
	}
}

func nearPlain(t *testing.T, name string, got []float32, want []float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range got {
		// plain Go adds one by one: it rounds more than lanes do
		if d := math.Abs(float64(v) - want[i]); !(d <= 1e-5*largest) {
			t.Errorf("%s[%d] = %v, want %v (largest %v)", name, i, v, want[i], largest)
			return
		}
	}
}
