package data

import "fmt"

// A Reduction makes images smaller: a pixel of the result is the mean of the image over the pixel's area.
//
//	y[r,c] = Σ_uv a[r,u]·b[c,v]·x[u,v],  with a[r,u] the part of row r of the result that row u of the image fills
//
// Sums have a fixed order.
type Reduction struct {
	rows, cols [][]part // for each row and each column of the result, what it is made of
	channels   int
	from       [2]int
}

// part is a row or a column of an image, and its weight; the weights of a row add up to 1.
type part struct {
	at     int
	weight float32
}

// NewReduction returns the reduction of images of rows × cols pixels to toRows × toCols, which are not more.
func NewReduction(rows, cols, channels, toRows, toCols int) (*Reduction, error) {
	if toRows < 1 || toCols < 1 || channels < 1 || toRows > rows || toCols > cols {
		return nil, fmt.Errorf("images of %d × %d × %d cannot be reduced to %d × %d: want 1 or more pixels, and no "+
			"more than there are",
			rows, cols, channels, toRows, toCols)
	}
	return &Reduction{parts(rows, toRows), parts(cols, toCols), channels, [2]int{rows, cols}}, nil
}

// parts divides n pixels into m equal lengths. All is counted in 1/m of a pixel, of which each length has n.
func parts(n, m int) [][]part {
	all := make([][]part, m)
	for i := range all {
		for u := i * n / m; u < n && u*m < (i+1)*n; u++ {
			common := min((u+1)*m, (i+1)*n) - max(u*m, i*n)
			all[i] = append(all[i], part{u, float32(float64(common) / float64(n))})
		}
	}
	return all
}

// Size is the number of values of an image, and of what it becomes.
func (r *Reduction) Size() (from, to int) {
	return r.from[0] * r.from[1] * r.channels, len(r.rows) * len(r.cols) * r.channels
}

// Images writes the images src, (n, rows, cols, channels), reduced to dst, (n, toRows, toCols, channels).
func (r *Reduction) Images(dst, src []float32) {
	from, to := r.Size()
	for i := range len(src) / from {
		r.image(dst[i*to:(i+1)*to], src[i*from:(i+1)*from])
	}
}

func (r *Reduction) image(dst, src []float32) {
	clear(dst)
	for _, rows := range r.rows {
		for _, cols := range r.cols {
			y := dst[:r.channels]
			for _, row := range rows {
				for _, col := range cols {
					w := row.weight * col.weight
					for c, v := range src[(row.at*r.from[1]+col.at)*r.channels:][:r.channels] {
						y[c] += float32(w * v)
					}
				}
			}
			dst = dst[r.channels:]
		}
	}
}
