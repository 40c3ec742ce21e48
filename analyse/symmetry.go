package analyse

import "math"

// Roll returns tokens shifted by s on a torus: the result at q + s is x at q.  x (T, channels)
func Roll(g Grid, channels int, x []float32, s Shift) ([]float32, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	if channels < 1 || len(x) != g.Tokens()*channels {
		return nil, wrong("x", "%d elements for %d tokens of %d channels", len(x), g.Tokens(), channels)
	}
	y := make([]float32, len(x))
	for q := range g.Tokens() {
		k, _ := Circular.read(g, q, s)
		copy(y[k*channels:(k+1)*channels], x[q*channels:])
	}
	return y, nil
}

// A Defect accumulates how far a map is from commuting with a shift,
//
//	ε_s = E‖T₋ₛ f(Tₛ x) - f(x)‖² / (2·tr Cov f)
//
// which is 0 for an equivariant map, and 1 for outputs as different as those of two images. Where f has no places, as
// logits, T₋ₛ is the identity.
type Defect struct {
	outputs          int
	images           float64
	differs, squares float64
	sum              []float64
}

// NewDefect returns an empty sum for outputs of so many elements.
func NewDefect(outputs int) (*Defect, error) {
	if outputs < 1 || outputs > maxValues {
		return nil, wrong("outputs", "%d: want 1 to %d", outputs, maxValues)
	}
	return &Defect{outputs: outputs, sum: make([]float64, outputs)}, nil
}

// Add adds an image: f(x), and T₋ₛ f(Tₛ x), which Roll makes.
func (d *Defect) Add(output, shifted []float32) error {
	if len(output) != d.outputs || len(shifted) != d.outputs {
		return wrong("outputs", "%d and %d elements, want %d", len(output), len(shifted), d.outputs)
	}
	for i, v := range output {
		by := float64(v) - float64(shifted[i])
		if math.IsNaN(by - by) {
			return wrong("outputs", "element %d is %v and %v", i, v, shifted[i])
		}
		d.differs += by * by
		d.squares += float64(v) * float64(v)
		d.sum[i] += float64(v)
	}
	d.images++
	return nil
}

// Value returns ε_s. It is NaN for fewer than two images, or if f is constant.
func (d *Defect) Value() float64 {
	variance := (d.squares - dot(d.sum, d.sum)/d.images) / (d.images - 1)
	if d.images < 2 || !(variance > 1e-12*d.squares/d.images) {
		return math.NaN()
	}
	return d.differs / d.images / (2 * variance)
}

// Translate returns tokens shifted by dy rows and dx columns, of which fractions are allowed, on a torus: as the
// band-limited function through them,
//
//	x(u) = Σ_j x_j·D(u - j),  D(u) = 1/n·(1 + 2·Σ_{m<n/2} cos 2πmu/n [+ cos πu, for even n])
//
// along each axis.  x (T, channels)
func Translate(g Grid, channels int, x []float64, dy, dx float64) ([]float64, error) {
	if err := check(g); err != nil {
		return nil, err
	}
	if channels < 1 || len(x) != g.Tokens()*channels || infinite(x) >= 0 {
		return nil, wrong("x", "%d elements for %d tokens of %d channels: want as many, and finite", len(x), g.Tokens(),
			channels)
	}
	if math.IsNaN(dy-dy) || math.IsNaN(dx-dx) {
		return nil, wrong("shift", "%v, %v", dy, dx)
	}
	rows, cols := translation(g.Rows, dy), translation(g.Cols, dx)
	half, y := make([]float64, len(x)), make([]float64, len(x))
	for r := range g.Rows {
		for from := range g.Rows {
			axpy(half[r*g.Cols*channels:(r+1)*g.Cols*channels], rows[(r-from+g.Rows)%g.Rows], x[from*g.Cols*channels:])
		}
		for c := range g.Cols {
			for from := range g.Cols {
				axpy(y[(r*g.Cols+c)*channels:][:channels], cols[(c-from+g.Cols)%g.Cols],
					half[(r*g.Cols+from)*channels:])
			}
		}
	}
	return y, nil
}

// translation returns D(i - by) for i in 0..n-1, the weights of a shift.
func translation(n int, by float64) []float64 {
	w := make([]float64, n)
	for i := range w {
		u := float64(i) - by
		w[i] = 1
		for m := 1; 2*m < n; m++ {
			w[i] += 2 * math.Cos(2*math.Pi*float64(m)*u/float64(n))
		}
		if n%2 == 0 {
			w[i] += math.Cos(math.Pi * u)
		}
		w[i] /= float64(n)
	}
	return w
}

func axpy(y []float64, a float64, x []float64) {
	for i := range y {
		y[i] += a * x[i]
	}
}

// A Field is a map of images: values (T, Channels) on a grid. Without places, as logits, the grid is 1 × 1.
type Field struct {
	Grid     Grid
	Channels int
}

// LieDerivative returns ‖L f(x)‖² per output element, for translations along an axis (0: rows, 1: columns),
//
//	L f = d/dt ρ(-t) f(ρ(t) x) at t = 0
//
// by a central difference at ± 0.01 tokens; its mean over images is the local equivariance error, LEE. ρ is Translate,
// and the identity where the output has no places. t is in the input's tokens; the output's are coarser by the ratio of
// their sides.
//
// Source: Gruver et al. 2022.
func LieDerivative(f func(x []float64) []float64, in, out Field, x []float64, axis int) (float64, error) {
	const t = 0.01
	if f == nil {
		return 0, wrong("f", "is nil")
	}
	if axis != 0 && axis != 1 {
		return 0, wrong("axis", "%d: want 0 (rows) or 1 (columns)", axis)
	}
	if err := check(out.Grid); err != nil {
		return 0, err
	}
	moved := func(t float64) ([]float64, error) {
		there, err := Translate(in.Grid, in.Channels, x, t*float64(1-axis), t*float64(axis))
		if err != nil {
			return nil, err
		}
		y := f(there)
		if out.Grid.Tokens() == 1 {
			return y, sized(y, out.Channels)
		}
		ratio := float64(out.Grid.Rows) / float64(in.Grid.Rows)
		if axis == 1 {
			ratio = float64(out.Grid.Cols) / float64(in.Grid.Cols)
		}
		return Translate(out.Grid, out.Channels, y, -t*ratio*float64(1-axis), -t*ratio*float64(axis))
	}
	forth, err := moved(t)
	if err != nil {
		return 0, err
	}
	back, err := moved(-t)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range forth {
		d := (v - back[i]) / (2 * t)
		sum += d * d
	}
	return sum / float64(len(forth)), nil
}

func sized(y []float64, n int) error {
	if len(y) != n || infinite(y) >= 0 {
		return wrong("f", "returned %d elements: want %d, finite", len(y), n)
	}
	return nil
}
