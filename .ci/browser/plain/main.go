// Plain computes the theorem from its definition, with package internal/plain in float64, for the tests of the page: it
// reads a JSON list of cases from standard input, and writes for each the largest difference between a convolution and
// nine heads of attention.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/attnconv/attnconv/internal/plain"
)

const side, channels = 32, 3

// A question is a list of cases on one image.
type question struct {
	Image []float64 `json:"image"` // (32, 32, 3), from 0 to 1
	Cases []struct {
		Kernel [9]float64 `json:"kernel"`
		Border string     `json:"border"`
		Alpha  float64    `json:"alpha"`
	} `json:"cases"`
}

func main() {
	var q question
	if err := json.NewDecoder(os.Stdin).Decode(&q); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	answers := []float64{}
	mixed := map[string][9]plain.Matrix{} // of each head, by border and α: they do not depend on the kernel
	for _, c := range q.Cases {
		key := fmt.Sprint(c.Border, c.Alpha)
		if _, ok := mixed[key]; !ok {
			mixed[key] = attend(q.Image, c.Border, c.Alpha)
		}
		conv, worst := convolve(q.Image, c.Kernel, c.Border), 0.0
		for p := range side * side {
			for ch := range channels {
				sum := 0.0
				for h, k := range c.Kernel {
					sum += k * mixed[key][h][p][ch]
				}
				worst = math.Max(worst, math.Abs(sum-conv[p*channels+ch]))
			}
		}
		answers = append(answers, worst)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// attend returns the mean of the pixels that each of nine heads sees from every pixel, Σ_k softmax(-α‖δ-Δ‖²)·x_k.
func attend(image []float64, border string, alpha float64) (of [9]plain.Matrix) {
	pad := 0
	if border == "zero" {
		pad = 1
	}
	var queries, keys, values plain.Matrix
	for r := range side {
		for c := range side {
			queries = append(queries, []float64{float64(r), float64(c)})
		}
	}
	for r := -pad; r < side+pad; r++ {
		for c := -pad; c < side+pad; c++ {
			value := make([]float64, channels)
			if r >= 0 && c >= 0 && r < side && c < side {
				copy(value, image[(r*side+c)*channels:])
			}
			keys, values = append(keys, []float64{float64(r), float64(c)}), append(values, value)
		}
	}
	for h := range of {
		center := [2]float64{float64(h/3 - 1), float64(h%3 - 1)}
		score := func(query, key []float64) (s float64) {
			for i := range center {
				d := key[i] - query[i] - center[i]
				if border == "circular" {
					d = math.Mod(d+2.5*side, side) - side/2
				}
				s -= alpha * d * d
			}
			return s
		}
		of[h], _ = plain.Attend(queries, keys, values, score, nil)
	}
	return of
}

// convolve returns Σ_δ k_δ·x[q+δ].
func convolve(image []float64, kernel [9]float64, border string) []float64 {
	outside := map[string]plain.Outside{"zero": plain.Zeros, "replicate": plain.Edge, "circular": plain.Wrap}[border]
	c := plain.Conv{Kernel: []int{3, 3}, Same: true, Outside: outside, In: 1, Out: 1, Weight: kernel[:]}
	y := make([]float64, len(image))
	for ch := range channels {
		x := make([]float64, side*side)
		for p := range x {
			x[p] = image[p*channels+ch]
		}
		for p, v := range c.Forward([]int{side, side}, x) {
			y[p*channels+ch] = v
		}
	}
	return y
}
