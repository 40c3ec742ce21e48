package data

import (
	"math"
	"math/rand/v2"
)

// A change is one of those that randaugment draws from. It writes src, changed, to dst, both (channels, rows, cols). m
// is the strength divided by 10.
type change struct {
	name   string
	signed bool // m is negated with probability ½
	apply  func(dst, src []uint8, f Format, m float64)
}

// changes are those of the source. At strength 10 an image is turned by 30°, sheared by 0.3, moved by 0.3 of its side,
// its colors keep 4 bits, all values are inverted, or it differs from the degenerate image of a blend 1.9 or 0.1 times
// as much.
var changes = []change{
	{"identity", false, func(dst, src []uint8, _ Format, _ float64) { copy(dst, src) }},
	{"autocontrast", false, func(dst, src []uint8, f Format, _ float64) { eachChannel(dst, src, f, stretched) }},
	{"equalize", false, func(dst, src []uint8, f Format, _ float64) { eachChannel(dst, src, f, equalized) }},
	{"rotate", true, func(dst, src []uint8, f Format, m float64) {
		sin, cos := math.Sincos(m * math.Pi / 6)
		affine(dst, src, f, [2][3]float64{{cos, -sin, 0}, {sin, cos, 0}})
	}},
	{"solarize", false, func(dst, src []uint8, _ Format, m float64) {
		for i, v := range src {
			if dst[i] = v; float64(v) >= 256*(1-m) {
				dst[i] = 255 - v
			}
		}
	}},
	{"posterize", false, func(dst, src []uint8, _ Format, m float64) {
		mask := uint8(0xff) << int(math.Round(4*m))
		for i, v := range src {
			dst[i] = v & mask
		}
	}},
	{"color", true, func(dst, src []uint8, f Format, m float64) {
		blend(dst, src, f, m, func(_, pixel int) float64 { return grayOf(src, f, pixel) })
	}},
	{"contrast", true, func(dst, src []uint8, f Format, m float64) {
		var sum float64
		for pixel := range f.Rows * f.Cols {
			sum += grayOf(src, f, pixel)
		}
		mean := sum / float64(f.Rows*f.Cols)
		blend(dst, src, f, m, func(int, int) float64 { return mean })
	}},
	{"brightness", true, func(dst, src []uint8, f Format, m float64) {
		blend(dst, src, f, m, func(int, int) float64 { return 0 })
	}},
	{"sharpness", true, func(dst, src []uint8, f Format, m float64) {
		blend(dst, src, f, m, func(ch, pixel int) float64 { return smooth(src, f, ch, pixel) })
	}},
	{"shear-x", true, func(dst, src []uint8, f Format, m float64) {
		affine(dst, src, f, [2][3]float64{{1, 0, 0}, {0.3 * m, 1, 0}})
	}},
	{"shear-y", true, func(dst, src []uint8, f Format, m float64) {
		affine(dst, src, f, [2][3]float64{{1, 0.3 * m, 0}, {0, 1, 0}})
	}},
	{"translate-x", true, func(dst, src []uint8, f Format, m float64) {
		affine(dst, src, f, [2][3]float64{{1, 0, 0}, {0, 1, 0.3 * m * float64(f.Cols)}})
	}},
	{"translate-y", true, func(dst, src []uint8, f Format, m float64) {
		affine(dst, src, f, [2][3]float64{{1, 0, 0.3 * m * float64(f.Rows)}, {0, 1, 0}})
	}},
}

// randAugment applies so many changes of so much strength, drawn with equal probability.
func randAugment(img, spare []uint8, f Format, values []float64, r *rand.Rand) {
	for range int(values[0]) {
		change, m := changes[r.IntN(len(changes))], values[1]/10
		if change.signed && r.IntN(2) == 1 {
			m = -m
		}
		change.apply(spare, img, f, m)
		copy(img, spare)
	}
}

// affine sets the pixel at (y, x), from the center of the image, to the nearest pixel at a·(y, x, 1); outside is black.
func affine(dst, src []uint8, f Format, a [2][3]float64) {
	plane := f.Rows * f.Cols
	up, left := float64(f.Rows-1)/2, float64(f.Cols-1)/2
	for pixel := range plane {
		y, x := float64(pixel/f.Cols)-up, float64(pixel%f.Cols)-left
		row := int(math.Floor(a[0][0]*y + a[0][1]*x + a[0][2] + up + 0.5))
		col := int(math.Floor(a[1][0]*y + a[1][1]*x + a[1][2] + left + 0.5))
		inside := row >= 0 && row < f.Rows && col >= 0 && col < f.Cols
		for at := pixel; at < len(src); at += plane {
			if dst[at] = 0; inside {
				dst[at] = src[at-pixel+row*f.Cols+col]
			}
		}
	}
}

// blend sets dst = (1+0.9·m)·src - 0.9·m·degenerate, rounded, in 0..255.
func blend(dst, src []uint8, f Format, m float64, degenerate func(channel, pixel int) float64) {
	plane := f.Rows * f.Cols
	for i, v := range src {
		low := degenerate(i/plane, i%plane)
		dst[i] = uint8(max(0, min(255, math.Floor(low+(1+0.9*m)*(float64(v)-low)+0.5))))
	}
}

// grayOf is the brightness of a pixel: 0.299·R + 0.587·G + 0.114·B, or the mean of other than three channels.
func grayOf(img []uint8, f Format, pixel int) (gray float64) {
	plane := f.Rows * f.Cols
	if f.Channels == 3 {
		return float64(299*int(img[pixel])+587*int(img[pixel+plane])+114*int(img[pixel+2*plane])) / 1000
	}
	for at := pixel; at < len(img); at += plane {
		gray += float64(img[at])
	}
	return gray / float64(f.Channels)
}

// smooth is the mean of a pixel and its eight neighbors, with weights 5 and 1; at the border it is the pixel.
func smooth(img []uint8, f Format, channel, pixel int) float64 {
	at, row, col := channel*f.Rows*f.Cols+pixel, pixel/f.Cols, pixel%f.Cols
	if row == 0 || col == 0 || row == f.Rows-1 || col == f.Cols-1 {
		return float64(img[at])
	}
	sum := 4 * int(img[at])
	for y := -f.Cols; y <= f.Cols; y += f.Cols {
		sum += int(img[at+y-1]) + int(img[at+y]) + int(img[at+y+1])
	}
	return float64(sum) / 13
}

// eachChannel maps the values of each channel by the table that mapping makes of its histogram.
func eachChannel(dst, src []uint8, f Format, mapping func(counts *[256]int) [256]uint8) {
	plane := f.Rows * f.Cols
	for at := 0; at < len(src); at += plane {
		var counts [256]int
		for _, v := range src[at : at+plane] {
			counts[v]++
		}
		to := mapping(&counts)
		for i, v := range src[at : at+plane] {
			dst[at+i] = to[v]
		}
	}
}

// stretched maps the least value to 0 and the largest to 255.
func stretched(counts *[256]int) (to [256]uint8) {
	low, high := 255, 0
	for v, n := range counts {
		if n > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	for v := range to {
		to[v] = uint8(v)
		if low < high && v >= low && v <= high {
			to[v] = uint8((255*(v-low) + (high-low)/2) / (high - low))
		}
	}
	return to
}

// equalized maps values so that they are spread evenly: the number of smaller ones, in units of a 255th of all but
// those of the largest value.
func equalized(counts *[256]int) (to [256]uint8) {
	all, last := 0, 0
	for v, n := range counts {
		if to[v] = uint8(v); n > 0 {
			all, last = all+n, n
		}
	}
	step := (all - last) / 255
	if step == 0 {
		return to
	}
	sum := step / 2
	for v, n := range counts {
		to[v] = uint8(min(255, sum/step))
		sum += n
	}
	return to
}
