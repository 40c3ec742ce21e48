package theorem

import (
	"errors"
	"fmt"
)

// A Conv is a convolution on images of any number of axes, in the paper's convention (eq. 5; elsewhere it is called a
// cross-correlation):
//
//	y[o] = b + Σ_t x[o·stride + t·dilation - before]·W_t
//
// x (size..., in) -> y (out size..., out).
type Conv[F Float] struct {
	Geometry
	In, Out int
	Groups  int  // 0: one
	Flip    bool // the mathematicians' convolution: entry t of the kernel is at the mirrored position
	Weight  []F  // (out, in/groups, kernel...), as PyTorch stores it
	Bias    []F  // (out); nil: none
}

func (c *Conv[F]) groups() int { return max(1, c.Groups) }

// Validate returns an error if sizes do not match.
func (c *Conv[F]) Validate() error {
	if c == nil {
		return errors.New("the convolution is nil: want its sizes and weights")
	}
	if err := c.Geometry.validate(); err != nil {
		return err
	}
	g := c.groups()
	if c.In < 1 || c.Out < 1 || c.In%g != 0 || c.Out%g != 0 {
		return fmt.Errorf("want channels that %d groups divide, got %d in and %d out", g, c.In, c.Out)
	}
	if want := c.Out * c.In / g * c.Entries(); len(c.Weight) != want {
		return fmt.Errorf("weight: want %d elements, (%d, %d) and the kernel's %v; got %d",
			want, c.Out, c.In/g, c.Kernel, len(c.Weight))
	}
	if c.Bias != nil && len(c.Bias) != c.Out {
		return fmt.Errorf("bias: want %d elements, one per output channel; got %d", c.Out, len(c.Bias))
	}
	return nil
}

// Matrix returns W (in, out) of the entry at Shifts()[t]. It is zero between channels of different groups.
func (c *Conv[F]) Matrix(t int) []F {
	if c.Flip {
		t = c.Entries() - 1 - t
	}
	in, out := c.In/c.groups(), c.Out/c.groups()
	w := make([]F, c.In*c.Out)
	for o := range c.Out {
		first := o / out * in
		for i := range in {
			w[(first+i)*c.Out+o] = c.Weight[(o*in+i)*c.Entries()+t]
		}
	}
	return w
}

// Forward convolves images of one size in type F, in the order of summation of a layer made by FromConv: if the two
// differ, attention has used another pixel. It shares that layer's geometry; claims are checked against package plain,
// which does not. It panics if an image does not have the elements of size.
func (c *Conv[F]) Forward(size []int, images ...[]F) [][]F {
	ys := make([][]F, len(images))
	for n := range ys {
		ys[n] = Repeated(c.Bias, Volume(c.OutSize(size)), c.Out)
	}
	key := make([]int, len(size))
	for t, shift := range c.Shifts() {
		w, o := c.Matrix(t), 0
		for out := range Positions(c.OutSize(size)) {
			for a, q := range c.Query(out) {
				key[a] = q + shift[a]
			}
			if k, inside := c.Border.Resolve(size, key); inside {
				for n, x := range images {
					AddProduct(ys[n][o*c.Out:(o+1)*c.Out], x[k*c.In:(k+1)*c.In], w)
				}
			}
			o++
		}
	}
	return ys
}

// Repeated returns n copies of bias (channels), or zeros if bias is nil.
func Repeated[F Float](bias []F, n, channels int) []F {
	y := make([]F, n*channels)
	for i := range y {
		if bias != nil {
			y[i] = bias[i%channels]
		}
	}
	return y
}

// AddProduct adds x·W to y.  x (in), w (in, out), y (out)
func AddProduct[F Float](y, x, w []F) {
	for i, v := range x {
		for o, u := range w[i*len(y) : (i+1)*len(y)] {
			y[o] += v * u
		}
	}
}
