package depthwise

import "github.com/attnconv/attnconv/internal/kernel"

//go:generate go run -C ../gen ./depth -pkg depthwise -out ../depthwise/routines_amd64.s -stubs ../depthwise/stubs_amd64.go -table ../depthwise/routines_amd64.go

//go:generate go run -C ../gen ./neon -pkg depthwise -out ../depthwise/routines_arm64.s -stubs ../depthwise/stubs_arm64.go -table ../depthwise/routines_arm64.go

// lanes is how many channels a pixel of a plane has.
const lanes = 16

// routines is what a kernel set has, on grids of pixels with 16 channels each, 0 ≤ c < 16. Steps between rows and
// between pixels count elements; where a grid has no step between pixels, its pixels are neighbors. The plain functions
// define the routines. Those in assembly trust that no extent is 0 and that grids are within their slices, and round
// once where the plain ones round a product and a sum.
type routines struct {
	// Copy sets dst[i·di + j·dj + c] = src[i·si + j·sj + c] for i < rows, j < cols. A step of src may be 0.
	Copy func(rows, cols int, dst []float32, di, dj int, src []float32, si, sj int)

	// Correlate sets
	//
	//	y[i·yi + j·yj + c] = b[c] + Σ_{u<high, v<wide} w[u·wi + 16·v + c]·x[(i+u)·xi + 16·(j+v) + c]
	//
	// for i < rows, j < cols. It adds the products in the order of u, then v. If past, it may write y past the caches:
	// then pixels of y begin at multiples of 64 bytes.
	Correlate func(rows, cols int, y []float32, yi, yj int, x []float32, xi int, w []float32, wi, high, wide int,
		b []float32, past bool)
}

// best is the routines in use.
var best routines

func init() { kernel.Follow(&best, sets) }

// plain defines every routine.
var plain = routines{Copy: copyPlain, Correlate: correlatePlain}

func copyPlain(rows, cols int, dst []float32, di, dj int, src []float32, si, sj int) {
	for i := range rows {
		for j := range cols {
			copy(dst[i*di+j*dj:][:lanes], src[i*si+j*sj:])
		}
	}
}

func correlatePlain(rows, cols int, y []float32, yi, yj int, x []float32, xi int, w []float32, wi, high, wide int,
	b []float32, _ bool,
) {
	for i := range rows {
		for j := range cols {
			sum := [lanes]float32(b)
			for u := range high {
				for v := range wide {
					ws, xs := (*[lanes]float32)(w[u*wi+v*lanes:]), (*[lanes]float32)(x[(i+u)*xi+(j+v)*lanes:])
					for c := range sum {
						sum[c] += ws[c] * xs[c]
					}
				}
			}
			copy(y[i*yi+j*yj:], sum[:])
		}
	}
}
