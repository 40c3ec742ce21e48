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
// which is 0 for an equivariant map, and 1 for outputs as different as those of two images.
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
