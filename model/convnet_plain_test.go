package model

import (
	"fmt"
	"math"
)

// plainConvNet is the network in float64, from its definition with loops and nothing else.
type plainConvNet struct{ plainResNet }

func (p plainConvNet) forward(x batch) (logits [][]float64) {
	b := p.w["stem.bias"]
	x = convolve(x, p.w["stem.weight"], len(b), 1)
	for i, image := range x { // zeros stood below the image and to its right
		for r, row := range image {
			image[r] = row[:len(row)-1]
		}
		x[i] = image[:len(image)-1]
	}
	each(x, func(pixel []float64) {
		for c := range pixel {
			pixel[c] += float64(b[c])
		}
	})
	gelu(x)
	for i := range 3 {
		at := fmt.Sprintf("layers.%d.", i)
		out := len(p.w[at+"norm1.bias"])
		x = convolve(x, p.w[at+"conv1.weight"], out, 1)
		x = maxPooled(x, min(2, len(x[0])), min(2, len(x[0][0])))
		p.norm(at+"norm1", x)
		gelu(x)
		x = p.unit(at+"conv2", at+"norm2", x, 1)
		gelu(x)
	}
	for _, image := range maxPooled(x, len(x[0]), len(x[0][0])) {
		var row []float64
		for w := p.w["head.weight"]; len(w) > 0; w = w[len(image[0][0]):] {
			sum := 0.0
			for c, v := range image[0][0] {
				sum += float64(w[c]) * v
			}
			row = append(row, sum/9)
		}
		logits = append(logits, row)
	}
	return logits
}

func gelu(x batch) {
	each(x, func(pixel []float64) {
		for c, u := range pixel {
			pixel[c] = u / 2 * (1 + math.Erf(u/math.Sqrt2))
		}
	})
}

// maxPooled is max pooling of high × wide pixels.
func maxPooled(x batch, high, wide int) (y batch) {
	for _, image := range x {
		var lines [][][]float64
		for r := 0; r+high <= len(image); r += high {
			var line [][]float64
			for q := 0; q+wide <= len(image[0]); q += wide {
				pixel := make([]float64, len(image[0][0]))
				for c := range pixel {
					pixel[c] = math.Inf(-1)
					for u := range high {
						for v := range wide {
							pixel[c] = max(pixel[c], image[r+u][q+v][c])
						}
					}
				}
				line = append(line, pixel)
			}
			lines = append(lines, line)
		}
		y = append(y, lines)
	}
	return y
}
