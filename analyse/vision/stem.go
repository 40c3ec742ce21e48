package vision

import (
	"math"

	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// A convolution turns an image (channels, rows, cols) into one of other channels.
type convolution struct {
	weight              []float32 // (out, in, rows, cols)
	bias                []float32 // nil: none
	out, in, rows, cols int
	stride              [2]int
	padding             int
	pooled              bool // ReLU and maxima of 3 × 3 pixels follow, with stride 2 and padding 1, as CCT has them
}

// size returns the rows and columns of the result.
func (c convolution) size(rows, cols int) (int, int) {
	rows, cols = (rows+2*c.padding-c.rows)/c.stride[0]+1, (cols+2*c.padding-c.cols)/c.stride[1]+1
	if c.pooled {
		rows, cols = (rows-1)/2+1, (cols-1)/2+1
	}
	return rows, cols
}

// apply returns tokens, (rows·cols, out), of an image (rows·cols, in) whose pixels are rows of channels.
func (c convolution) apply(x []float32, rows, cols int) []float32 {
	r, s := (rows+2*c.padding-c.rows)/c.stride[0]+1, (cols+2*c.padding-c.cols)/c.stride[1]+1
	values := c.in * c.rows * c.cols
	patches := make([]float32, r*s*values)
	threads.Parallel(r, func(i int) {
		for j := range s {
			to := patches[(i*s+j)*values:]
			for u := range c.rows {
				for v := range c.cols {
					y, z := i*c.stride[0]+u-c.padding, j*c.stride[1]+v-c.padding
					if y < 0 || z < 0 || y >= rows || z >= cols {
						continue
					}
					for ch, p := range x[(y*cols+z)*c.in:][:c.in] {
						to[(ch*c.rows+u)*c.cols+v] = p
					}
				}
			}
		}
	})
	y := make([]float32, r*s*c.out)
	gemm.Mul(gemm.Matrix(y, r*s, c.out), gemm.Matrix(patches, r*s, values), gemm.Matrix(c.weight, c.out, values).T())
	for i := range y {
		if c.bias != nil {
			y[i] += c.bias[i%c.out]
		}
		if c.pooled {
			y[i] = max(0, y[i])
		}
	}
	if c.pooled {
		return maxima(y, r, s, c.out)
	}
	return y
}

// maxima are those of 3 × 3 pixels, with stride 2 and padding 1.
func maxima(x []float32, rows, cols, channels int) []float32 {
	r, s := (rows-1)/2+1, (cols-1)/2+1
	y := make([]float32, r*s*channels)
	for i := range y {
		y[i] = float32(math.Inf(-1))
	}
	for i := range r {
		for j := range s {
			to := y[(i*s+j)*channels:][:channels]
			for u := max(0, 2*i-1); u <= min(rows-1, 2*i+1); u++ {
				for v := max(0, 2*j-1); v <= min(cols-1, 2*j+1); v++ {
					for c, p := range x[(u*cols+v)*channels:][:channels] {
						to[c] = max(to[c], p)
					}
				}
			}
		}
	}
	return y
}

// embed returns the tokens of an image (channels, rows, cols): (others + grid, channels).
func (n *Network) embed(image []float32) []float32 {
	rows, cols := n.Facts.Image[0], n.Facts.Image[1]
	x := make([]float32, len(image)) // pixels as rows of channels
	for i, v := range image {
		x[i%(rows*cols)*n.stem[0].in+i/(rows*cols)] = v
	}
	for _, c := range n.stem {
		x = c.apply(x, rows, cols)
		rows, cols = c.size(rows, cols)
	}
	x = n.normed.apply(x)
	if n.place != nil {
		for i, v := range n.place {
			x[i] += v
		}
	}
	if n.blocks[0].others > 0 {
		x = append(append(make([]float32, 0, len(n.others)+len(x)), n.others...), x...)
	}
	return x
}
