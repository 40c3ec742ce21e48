package analyse

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/posenc/geometry"
)

// ridge is λ as a fraction of the mean of the diagonal of A.
const ridge = 1e-6

// Fit returns the best K × K convolution with zero borders for each odd K up to m.K, in this order: the W that
// minimizes
//
//	Σ_{X,q} ‖y_q - b - Σ_{δ∈Δ_K} x_{q+δ}·W_δ‖² + λ·Σ‖W_δ‖²
//
// with λ = 10⁻⁶ of the mean of diag A, the same for every K. The columns of A are a constant, which has no ridge, and
// the shifts in rings, so one Cholesky factor serves every K. It takes (K²·in)³/6 multiplications, and ends with the
// error of ctx once that is done.
func (m *Moments) Fit(ctx context.Context) ([]Kernel, error) {
	return m.fit(ctx, m.queries, 1, m.K)
}

// FitInterior returns the best K × K convolution for the queries whose K × K neighborhood lies on the grid. It returns
// an *Error if they are fewer than twice the unknowns of an output channel, 1 + K²·in.
func (m *Moments) FitInterior(ctx context.Context, k int) (Kernel, error) {
	if k < 1 || k%2 == 0 || k > m.K {
		return Kernel{}, wrong("k", "%d: want an odd number, %d at most", k, m.K)
	}
	inside, err := queriesInside(m.From, k/2)
	if err != nil {
		return Kernel{}, err
	}
	queries := slices.DeleteFunc(slices.Clone(m.queries), func(q int) bool { return !slices.Contains(inside, q) })
	kernels, err := m.fit(ctx, queries, k, k)
	if err != nil {
		return Kernel{}, err
	}
	return kernels[0], nil
}

func (m *Moments) fit(ctx context.Context, queries []int, least, most int) ([]Kernel, error) {
	if m.waiting > 0 {
		m.flush()
	}
	shifts := geometry.Square(most)
	columns := 1 + len(shifts)*m.In
	if rows := m.Images * len(queries); rows < 2*columns {
		return nil, wrong("images", "%d images have %d queries for %d unknowns of %d × %d: want twice as many",
			m.Images, rows, columns, most, most)
	}
	s := m.normal(queries, shifts)
	trace := 0.0
	for i := 1; i < columns; i++ {
		trace += s.data[i*columns+i]
	}
	if trace == 0 {
		return nil, wrong("inputs", "all are zero")
	}
	for i := 1; i < columns; i++ {
		s.data[i*columns+i] += ridge * trace / float64(columns-1)
	}
	if ok, err := s.factor(ctx); err != nil {
		return nil, err
	} else if !ok {
		return nil, wrong("inputs", "their moments are not positive: their scales differ too much for float32")
	}
	var kernels []Kernel
	for k := least; k <= most; k += 2 { // L and Zᵀ for Δ_K are the first of those for all
		kernels = append(kernels, m.kernel(k, s.solve(1+len(geometry.Square(k))*m.In)))
	}
	return kernels, nil
}

// kernel splits Wᵀ (out, 1 + K²·in) into the bias and a map for each shift.
func (m *Moments) kernel(k int, w system) Kernel {
	kernel := Kernel{In: m.In, Out: m.Out, Shifts: geometry.Square(k)}
	columns := func(first, n int) []float64 { // (n, out)
		rows := make([]float64, n*m.Out)
		for i := range n {
			for o := range m.Out {
				rows[i*m.Out+o] = w.data[o*w.n+first+i]
			}
		}
		return rows
	}
	kernel.Bias = columns(0, 1)
	for i := range kernel.Shifts {
		kernel.Maps = append(kernel.Maps, columns(1+i*m.In, m.In))
	}
	return kernel
}

// normal returns the lower half of A, and Bᵀ, for queries, with columns 1, x_{q+δ} for each shift:
//
//	A_δδ' = Σ_q S_{q+δ,q+δ'},  B_δ = Σ_q Z_{q+δ,q}
func (m *Moments) normal(queries []int, shifts []Shift) system {
	columns := 1 + len(shifts)*m.In
	a := newSystem(columns, m.Out)
	a.data[0] = float64(m.Images * len(queries))
	bias := make([]float64, m.Out)
	for _, q := range queries {
		floats.Add(bias, m.sumY[q*m.Out:][:m.Out])
	}
	for o, v := range bias {
		a.data[(columns+o)*columns] = v
	}
	z := m.crosses()
	threads.Parallel(len(shifts), func(i int) {
		column := 1 + i*m.In
		m.right(a, column, z, queries, shifts[i])
		first := make([]float64, m.In)
		for _, q := range queries {
			if p, ok := m.From.Key(q, shifts[i]); ok {
				floats.Add(first, m.sumX[p*m.In:][:m.In])
			}
		}
		for r, v := range first {
			a.data[(column+r)*columns] = v
		}
		sum := make([]float64, m.In*m.In)
		for j := i; j < len(shifts); j++ {
			m.between(sum, queries, shifts[j], shifts[i])
			for r := range m.In {
				copy(a.data[(1+j*m.In+r)*columns+column:], sum[r*m.In:(r+1)*m.In])
			}
		}
	})
	return a
}

// right sets B_δᵀ, whose columns begin at column.
func (m *Moments) right(a system, column int, z crosses, queries []int, s Shift) {
	sum := make([]float64, m.In*m.Out)
	for _, q := range queries {
		if p, ok := m.From.Key(q, s); ok {
			rows, stride := z.of(p, q)
			for r := range m.In {
				floats.Add(sum[r*m.Out:(r+1)*m.Out], rows[r*stride:][:m.Out])
			}
		}
	}
	for r := range m.In {
		for o := range m.Out {
			a.data[(a.n+o)*a.n+column+r] = sum[r*m.Out+o]
		}
	}
}

// between sets sum to A_δδ', (in, in). S has each pair of tokens once, and which of the two comes first depends on the
// shifts alone.
func (m *Moments) between(sum []float64, queries []int, s, other Shift) {
	clear(sum)
	back := (s[0]-other[0])*m.From.Cols+s[1]-other[1] > 0
	for _, q := range queries {
		p, ok := m.From.Key(q, s)
		o, also := m.From.Key(q, other)
		if !ok || !also {
			continue
		}
		rows, stride := m.pair(min(p, o), max(p, o))
		for r := range m.In {
			floats.Add(sum[r*m.In:(r+1)*m.In], rows[r*stride:][:m.In])
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
	first := make([]int, m.From.Tokens())
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
