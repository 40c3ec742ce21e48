package analyse

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// ridge is λ as a fraction of the mean of the diagonal of A.
const ridge = 1e-6

// Fit returns the best K × K convolution with zero borders for each odd K up to m.K, in this order: the W that minimises
//
//	Σ_{X,q} ‖y_q - b - Σ_{δ∈Δ_K} x_{q+δ}·W_δ‖² + λ·Σ‖W_δ‖²
//
// with λ = 10⁻⁶ of the mean of diag A, the same for every K. The columns of A are a constant, which has no ridge, and the
// shifts in rings, so one Cholesky factor serves every K. It takes (K²·in)³/3 multiplications.
func (m *Moments) Fit() ([]Kernel, error) {
	return m.fit(m.Grid.inside(0), 1, m.K)
}

// FitInterior returns the best K × K convolution for the queries whose K × K neighbourhood lies on the grid. It returns an
// *Error if they are fewer than twice the unknowns of an output channel, 1 + K²·in.
func (m *Moments) FitInterior(k int) (Kernel, error) {
	if k < 1 || k%2 == 0 || k > m.K {
		return Kernel{}, wrong("k", "%d: want an odd number, %d at most", k, m.K)
	}
	queries, err := m.Grid.queries(k / 2)
	if err != nil {
		return Kernel{}, err
	}
	kernels, err := m.fit(queries, k, k)
	if err != nil {
		return Kernel{}, err
	}
	return kernels[0], nil
}

func (m *Moments) fit(queries []int, least, most int) ([]Kernel, error) {
	if m.waiting > 0 {
		m.flush()
	}
	shifts := Square(most)
	columns := 1 + len(shifts)*m.In
	if rows := m.Images * len(queries); rows < 2*columns {
		return nil, wrong("images", "%d images have %d queries for %d unknowns of %d × %d: want twice as many", m.Images, rows, columns, most, most)
	}
	a, b := m.normal(queries, shifts)
	trace := 0.0
	for i := 1; i < columns; i++ {
		trace += a[i*columns+i]
	}
	if trace == 0 {
		return nil, wrong("inputs", "all are zero")
	}
	for i := 1; i < columns; i++ {
		a[i*columns+i] += ridge * trace / float64(columns-1)
	}
	u, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: columns, Stride: columns, Data: a})
	if !ok {
		return nil, wrong("inputs", "their moments are not positive: their scales differ too much for float32")
	}
	z := blas64.General{Rows: columns, Cols: m.Out, Stride: m.Out, Data: b}
	blas64.Trsm(blas.Left, blas.Trans, 1, u, z) // rows of U⁻ᵀB for Δ_K are the first of those for all
	var kernels []Kernel
	for k := least; k <= most; k += 2 {
		n := 1 + len(Square(k))*m.In
		w := blas64.General{Rows: n, Cols: m.Out, Stride: m.Out, Data: append([]float64{}, b[:n*m.Out]...)}
		u.N = n
		blas64.Trsm(blas.Left, blas.NoTrans, 1, u, w)
		kernels = append(kernels, m.kernel(k, w.Data))
	}
	return kernels, nil
}

// kernel splits W (1 + K²·in, out) into the bias and a map for each shift.
func (m *Moments) kernel(k int, w []float64) Kernel {
	kernel := Kernel{In: m.In, Out: m.Out, Shifts: Square(k), Bias: w[:m.Out]}
	for i := range kernel.Shifts {
		kernel.Maps = append(kernel.Maps, w[m.Out+i*m.In*m.Out:][:m.In*m.Out])
	}
	return kernel
}

// normal returns the upper half of A and B for queries, with columns 1, x_{q+δ} for each shift:
//
//	A_δδ' = Σ_q S_{q+δ,q+δ'},  B_δ = Σ_q Z_{q+δ,q}
func (m *Moments) normal(queries []int, shifts []Shift) (a, b []float64) {
	columns := 1 + len(shifts)*m.In
	a, b = make([]float64, columns*columns), make([]float64, columns*m.Out)
	a[0] = float64(m.Images * len(queries))
	for _, q := range queries {
		add(b[:m.Out], m.sumY[q*m.Out:])
		for i, s := range shifts {
			if p, ok := m.Grid.at(q, s); ok {
				add(a[1+i*m.In:][:m.In], m.sumX[p*m.In:])
			}
		}
	}
	z := m.crosses()
	threads.Parallel(len(shifts), func(i int) {
		for _, q := range queries {
			if p, ok := m.Grid.at(q, shifts[i]); ok {
				rows, stride := z.of(p, q)
				for r := range m.In {
					add(b[(1+i*m.In+r)*m.Out:][:m.Out], rows[r*stride:])
				}
			}
		}
		sum := make([]float64, m.In*m.In)
		for j := i; j < len(shifts); j++ {
			m.between(sum, queries, shifts[i], shifts[j])
			for r := range m.In {
				copy(a[(1+i*m.In+r)*columns+1+j*m.In:], sum[r*m.In:(r+1)*m.In])
			}
		}
	})
	return a, b
}

func add(sum, x []float64) {
	for i := range sum {
		sum[i] += x[i]
	}
}

// between sets sum to A_δδ', (in, in). S has each pair of tokens once, and which of the two comes first depends on the shifts
// alone.
func (m *Moments) between(sum []float64, queries []int, s, other Shift) {
	clear(sum)
	back := (s[0]-other[0])*m.Grid.Cols+s[1]-other[1] > 0
	for _, q := range queries {
		p, ok := m.Grid.at(q, s)
		o, also := m.Grid.at(q, other)
		if !ok || !also {
			continue
		}
		rows, stride := m.pair(min(p, o), max(p, o))
		for r := range m.In {
			add(sum[r*m.In:(r+1)*m.In], rows[r*stride:])
		}
	}
	if back {
		for r := range m.In {
			for c := range r {
				sum[r*m.In+c], sum[c*m.In+r] = sum[c*m.In+r], sum[r*m.In+c]
			}
		}
	}
}

// crosses finds Z_pq.
func (m *Moments) crosses() crosses {
	first := make([]int, m.Grid.Tokens())
	for i := len(m.z) - 1; i >= 0; i-- {
		first[m.z[i].p] = i
	}
	return crosses{m, first}
}

type crosses struct {
	*Moments
	first []int // block of a token
}

// of returns the rows of Z_pq, of out elements, stride apart.
func (c crosses) of(p, q int) (rows []float64, stride int) {
	for _, b := range c.z[c.first[p]:] {
		if at := q*c.Out - b.first; at >= 0 && at < b.width {
			return b.sum[at:], b.width
		}
	}
	return nil, 0 // of no pair that has p - q in Δ_K
}
