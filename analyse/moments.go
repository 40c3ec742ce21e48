package analyse

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/memory"
	"github.com/attnconv/attnconv/posenc/geometry"
)

const (
	// chunk is how many images one product in float32 adds up; chunks are added in float64. Its rounding, about
	// 2⁻²⁴·√chunk of an entry, has to stay far below the ridge.
	chunk = 32
	// buffered is how many images wait to be added together, so that a block of the sums stays in cache for all of
	// them.
	buffered = 256
	// maxColumns bounds the unknowns of an output channel: a factor of so many takes 6·10¹² multiplications.
	maxColumns = 1 << 15
)

// Moments are the second moments of a layer's inputs and outputs over images, from which Fit makes the best
// convolutions:
//
//	S_pp' = Σ_X x_p·x_p'ᵀ,  Z_pq = Σ_X x_p·y_qᵀ
//
// for the pairs of tokens p ≤ p' with p - p' in Δ_{2K-1}, and for those with p - q in Δ_K. Patches of K × K tokens,
// whose moments are sums of these, are never formed: at 64 tokens that takes 35 times less work. It needs memory for
// in²·(T + Σ_{Δ_{2K-1}} N_δ)/2 + in·out·Σ_{Δ_K} N_δ float64: 0.3 GB for 7 × 7 on 64 tokens of 96 channels.
//
// A layer with fewer outputs than inputs is a convolution with a stride: its queries stand at every so many rows and
// columns of the inputs, from the first on.
type Moments struct {
	From, To Grid // of inputs and outputs
	In, Out  int
	K        int // the largest kernel
	Images   int

	queries []int   // where they stand among the inputs
	s, z    []block // by token p
	first   []int   // block of s where a token's begin
	sumX    []float64
	sumY    []float64
	x, y    []float32 // images that wait
	waiting int
}

// A block is a part of the rows of one token: Σ_X x_p·vᵀ, (In, width), with v the elements from first on of the other
// array.
type block struct {
	p, first, width int
	sum             []float64
}

// NewMoments returns empty sums. k is odd: 7 serves 1, 3, 5 and 7.
func NewMoments(from, to Grid, in, out, k int) (*Moments, error) {
	queries, err := sampled(from, to)
	if err != nil {
		return nil, err
	}
	g := from
	switch {
	case in < 1 || out < 1 || in > maxWidth || out > maxWidth:
		return nil, wrong("channels", "%d × %d: want 1 to %d", in, out, maxWidth)
	case k < 1 || k%2 == 0 || k > g.Side():
		return nil, wrong("k", "%d: want an odd number, %d at most on %d × %d tokens", k, g.Side(), g.Rows, g.Cols)
	}
	m := &Moments{From: from, To: to, In: in, Out: out, K: k, queries: queries}
	if err := m.fits(); err != nil {
		return nil, err
	}
	n := g.Tokens()
	for p := range n {
		m.first = append(m.first, len(m.s))
		// later tokens that are up to K - 1 rows and columns away: differences of two shifts
		for dy := range min(k, g.Rows-p/g.Cols) {
			lo, hi := max(0, p%g.Cols-k+1), min(g.Cols-1, p%g.Cols+k-1)
			if dy == 0 {
				lo = p % g.Cols
			}
			m.s = append(m.s, newBlock(p, ((p/g.Cols+dy)*g.Cols+lo)*in, in, (hi-lo+1)*in))
		}
		for dy := -(k / 2); dy <= k/2; dy++ {
			row, lo, hi := p/g.Cols-dy, max(0, p%g.Cols-k/2), min(g.Cols-1, p%g.Cols+k/2)
			if row >= 0 && row < g.Rows {
				m.z = append(m.z, newBlock(p, (row*g.Cols+lo)*out, in, (hi-lo+1)*out))
			}
		}
	}
	m.sumX, m.sumY = make([]float64, n*in), make([]float64, n*out)
	m.x, m.y = make([]float32, buffered*n*in), make([]float32, buffered*n*out)
	return m, nil
}

func newBlock(p, first, in, width int) block {
	return block{p, first, width, make([]float64, in*width)}
}

// fits says what the sums and the matrix of Fit need, before they are allocated.
func (m *Moments) fits() error {
	n, columns := m.From.Tokens(), 1+m.K*m.K*m.In
	tooLarge := wrong("k", "the moments of %d tokens of %d channels and %d × %d kernels are too large: want a smaller k",
		n, m.In, m.K, m.K)
	if columns > maxColumns { // before the shifts of K are listed
		return tooLarge
	}
	pairs := 0
	for _, s := range geometry.Square(m.K) {
		pairs += m.From.Pairs(s)
	}
	along := func(tokens int) int { // ordered pairs of one axis that are up to K - 1 apart
		d := min(m.K, tokens) - 1
		return tokens + d*(2*tokens-d-1)
	}
	both := n + along(m.From.Rows)*along(m.From.Cols)
	const most = 1 << 36 // floats, so that no product below overflows
	if n*m.In > most/(n*m.In) || pairs*m.In > most/m.Out {
		return tooLarge
	}
	floats := m.In*m.In*both/2 + pairs*m.In*m.Out + columns*(columns+m.Out) + buffered*n*(m.In+m.Out)/2
	if err := memory.Check(8 * int64(floats)); err != nil {
		return wrong("k", "%d × %d kernels of %d channels on %d tokens: %v; a smaller k takes less", m.K, m.K, m.In, n,
			err)
	}
	return nil
}

// Add adds images: x (images, T, in) and y (images, queries, out), the layer's input and output.
func (m *Moments) Add(x, y []float32) error {
	n, results := m.From.Tokens(), len(m.queries)
	images, err := images(x, y, n*m.In, results*m.Out)
	if err != nil {
		return err
	}
	for i := range images {
		if m.waiting == buffered {
			m.flush()
		}
		copy(m.x[m.waiting*n*m.In:], x[i*n*m.In:(i+1)*n*m.In])
		for j, q := range m.queries { // tokens of the input without a query stay zero
			copy(m.y[(m.waiting*n+q)*m.Out:][:m.Out], y[(i*results+j)*m.Out:])
		}
		m.waiting++
	}
	m.Images += images
	return nil
}

// images counts those of two arrays that go together.
func images(x, y []float32, in, out int) (int, error) {
	n := len(x) / in
	if n == 0 || len(x) != n*in || len(y) != n*out {
		return 0, wrong("images", "%d inputs and %d outputs: want as many images of %d and of %d elements", len(x),
			len(y), in, out)
	}
	for what, values := range map[string][]float32{"inputs": x, "outputs": y} {
		for i, v := range values {
			if v-v != 0 {
				return 0, wrong(what, "element %d is %v", i, v)
			}
		}
	}
	return n, nil
}

// flush adds the waiting images to the sums.
func (m *Moments) flush() {
	n := m.From.Tokens()
	x := gemm.Matrix(m.x[:m.waiting*n*m.In], m.waiting, n*m.In)
	y := gemm.Matrix(m.y[:m.waiting*n*m.Out], m.waiting, n*m.Out)
	threads.Parallel(len(m.s), func(i int) { m.s[i].add(x, x, m.In) })
	threads.Parallel(len(m.z), func(i int) { m.z[i].add(x, y, m.In) })
	for i := range m.waiting {
		addTo(m.sumX, x.Row(i))
		addTo(m.sumY, y.Row(i))
	}
	m.waiting = 0
}

func (b block) add(x, v gemm.Mat, in int) {
	buffer := pool.Get(in * b.width)
	defer pool.Put(buffer)
	product := gemm.Matrix(*buffer, in, b.width)
	images, _ := x.Dims()
	for i := 0; i < images; i += chunk {
		n := min(chunk, images-i)
		gemm.Plan{Serial: true}.Mul(product, x.Block(i, b.p*in, n, in).T(), v.Block(i, b.first, n, b.width))
		addTo(b.sum, *buffer)
	}
}

func addTo(sum []float64, x []float32) {
	sum = sum[:len(x)] // without checks of bounds: three quarters of the time
	for i, v := range x {
		sum[i] += float64(v)
	}
}

// pair returns S_pp' of two tokens p ≤ p' as rows of in elements, stride apart.
func (m *Moments) pair(p, other int) (rows []float64, stride int) {
	b := m.s[m.first[p]+other/m.From.Cols-p/m.From.Cols]
	return b.sum[other*m.In-b.first:], b.width
}
