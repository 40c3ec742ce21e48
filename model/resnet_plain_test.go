package model

import (
	"fmt"
	"math"
)

// depthsOf are the blocks in the stages of each residual network, from its paper's table.
var depthsOf = map[string][4]int{"resnet10": {1, 1, 1, 1}, "resnet18": {2, 2, 2, 2}, "resnet34": {3, 4, 6, 3}}

// plainResNet is the network in float64, from its definition with loops and nothing else.
type plainResNet struct {
	oracle
	train bool
}

// batch are images: batch, rows, columns, channels.
type batch [][][][]float64

func (p plainResNet) forward(x batch) [][]float64 {
	x = relu(p.unit("conv1", "bn1", x, 1))
	for i, depth := range depthsOf[p.spec.Kind] {
		for j := range depth {
			at, stride := fmt.Sprintf("layer%d.%d.", i+1, j), 1
			if i > 0 && j == 0 {
				stride = 2
			}
			y := relu(p.unit(at+"conv1", at+"bn1", x, stride))
			y = p.unit(at+"conv2", at+"bn2", y, 1)
			if _, ok := p.w[at+"downsample.0.weight"]; ok {
				x = p.unit(at+"downsample.0", at+"downsample.1", x, stride)
			}
			for b := range y {
				for r := range y[b] {
					for q := range y[b][r] {
						y[b][r][q] = add(y[b][r][q], x[b][r][q])
					}
				}
			}
			x = relu(y)
		}
	}
	var logits [][]float64
	for _, image := range x {
		mean := make([]float64, len(image[0][0]))
		for _, row := range image {
			for _, pixel := range row {
				for c, v := range pixel {
					mean[c] += v / float64(len(image)*len(row))
				}
			}
		}
		logits = append(logits, p.linear("fc", mean))
	}
	return logits
}

func (p plainResNet) unit(conv, norm string, x batch, stride int) batch {
	return p.norm(norm, convolve(x, p.w[conv+".weight"], len(p.w[norm+".weight"]), stride))
}

func (p plainResNet) norm(norm string, y batch) batch {
	for c, gamma := range p.w[norm+".weight"] {
		mean, variance := float64(p.w[norm+".running_mean"][c]), float64(p.w[norm+".running_var"][c])
		if p.train {
			mean, variance = moments(y, c)
		}
		each(y, func(pixel []float64) {
			pixel[c] = (pixel[c]-mean)/math.Sqrt(variance+1e-5)*float64(gamma) + float64(p.w[norm+".bias"][c])
		})
	}
	return y
}

func convolve(x batch, w []float32, out, stride int) batch {
	in := len(x[0][0][0])
	k := int(math.Sqrt(float64(len(w) / in / out)))
	y := make(batch, len(x))
	for b := range x {
		rows, cols := len(x[b]), len(x[b][0])
		for r := 0; r < rows; r += stride {
			var line [][]float64
			for q := 0; q < cols; q += stride {
				pixel := make([]float64, out)
				for u := range k {
					for v := range k {
						i, j := r+u-(k-1)/2, q+v-(k-1)/2
						if i < 0 || i >= rows || j < 0 || j >= cols {
							continue
						}
						for o := range out {
							for c := range in {
								pixel[o] += float64(w[((o*in+c)*k+u)*k+v]) * x[b][i][j][c]
							}
						}
					}
				}
				line = append(line, pixel)
			}
			y[b] = append(y[b], line)
		}
	}
	return y
}

func moments(x batch, c int) (mean, variance float64) {
	n := 0.0
	each(x, func(pixel []float64) { mean += pixel[c]; n++ })
	mean /= n
	each(x, func(pixel []float64) { variance += (pixel[c] - mean) * (pixel[c] - mean) / n })
	return mean, variance
}

func relu(x batch) batch {
	each(x, func(pixel []float64) {
		for c, v := range pixel {
			pixel[c] = max(0, v)
		}
	})
	return x
}

func each(x batch, f func(pixel []float64)) {
	for _, image := range x {
		for _, row := range image {
			for _, pixel := range row {
				f(pixel)
			}
		}
	}
}
