package kernel

import "fmt"

// RowDots sets c[i,j] = Σ_p a[p,i]·b[p,j], or adds it to c, on the calling goroutine: sums over rows of n numbers, which
// lie ld apart, in parts that begin step apart. It is a·bᵀ for few rows, without packing.  c (rows of a, rows of b)
func RowDots(c Mat, a, b []float32, ld, n, parts, step int, add bool) {
	if parts < 1 || n < 0 || ld < n && max(c.rows, c.cols) > 1 || c.turned ||
		len(a) < (parts-1)*step+(c.rows-1)*ld+n || len(b) < (parts-1)*step+(c.cols-1)*ld+n {
		panic(fmt.Sprintf("kernel: no %d × %d products of %d parts, %d apart, of rows of %d, %d apart, in %d and %d numbers",
			c.rows, c.cols, parts, step, n, ld, len(a), len(b)))
	}
	tall, wide := c.rows/best.dotRows*best.dotRows, c.cols/4*4
	for i := 0; i < tall; i += best.dotRows {
		for j := 0; j < wide; j += 4 {
			best.dots(n, parts, a[i*ld:], b[j*ld:], ld, step, c.data[i*c.stride+j:], c.stride, add)
		}
	}
	for i := range c.rows {
		j := wide
		if i >= tall {
			j = 0
		}
		for ; j < c.cols; j++ {
			sum := float32(0)
			for p := range parts {
				sum += best.dot(a[p*step+i*ld:][:n], b[p*step+j*ld:][:n])
			}
			if add {
				sum += c.data[i*c.stride+j]
			}
			c.data[i*c.stride+j] = sum
		}
	}
}

func dotsGeneric(n, parts int, a, b []float32, ld, step int, c []float32, _ int, add bool) {
	for j := range 4 {
		var s float32
		for p := range parts {
			s += dotGeneric(a[p*step:][:n], b[p*step+j*ld:][:n])
		}
		if add {
			s += c[j]
		}
		c[j] = s
	}
}
