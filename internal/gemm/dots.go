package gemm

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// dots is the kernel of Dots.
type dots struct {
	Rows int // of a that it takes at a time
	// Of is Dots for so many rows of a and four of b.
	Of func(n, parts int, a, b []float32, ld, step int, c []float32, ldc int, add bool)
}

// Dots sets c[i,j] = Σ_p a[p,i]·b[p,j], or adds it to c, on the calling goroutine: sums over rows of n elements, which
// lie ld apart, in parts that begin step apart. It is a·bᵀ for few rows and a long k, without packing: lanes run along
// k.  c (rows of a, rows of b)
func Dots(c Mat, a, b []float32, ld, n, parts, step int, add bool) {
	if parts < 1 || n < 0 || ld < n && max(c.rows, c.cols) > 1 || c.layout != byRows ||
		len(a) < (parts-1)*step+(c.rows-1)*ld+n || len(b) < (parts-1)*step+(c.cols-1)*ld+n {
		panic(fmt.Sprintf("gemm: no %d × %d products of %d parts, %d apart, of rows of %d, %d apart, in %d and %d "+
			"elements",
			c.rows, c.cols, parts, step, n, ld, len(a), len(b)))
	}
	tall, wide := c.rows/best.Dots.Rows*best.Dots.Rows, c.cols/4*4
	for i := 0; i < tall; i += best.Dots.Rows {
		for j := 0; j < wide; j += 4 {
			best.Dots.Of(n, parts, a[i*ld:], b[j*ld:], ld, step, c.data[i*c.stride+j:], c.stride, add)
		}
	}
	for i := range c.rows { // what whole kernels leave over
		j := wide
		if i >= tall {
			j = 0
		}
		for ; j < c.cols; j++ {
			sum := float32(0)
			for p := range parts {
				sum += vec.Dot(a[p*step+i*ld:][:n], b[p*step+j*ld:][:n])
			}
			if add {
				sum += c.data[i*c.stride+j]
			}
			c.data[i*c.stride+j] = sum
		}
	}
}

func dotsPlain(n, parts int, a, b []float32, ld, step int, c []float32, _ int, add bool) {
	for j := range 4 {
		var s float32
		for p := range parts {
			var part float32
			for i, v := range a[p*step:][:n] {
				part += v * b[p*step+j*ld+i]
			}
			s += part
		}
		if add {
			s += c[j]
		}
		c[j] = s
	}
}
