package vision

import (
	"math"
	"slices"
	"strings"
	"sync"
)

// gated are the names of gated positional attention.
var gated = renamings(
	`blocks\.(\d+)\.attn\.((?:qk|v)\.(?:weight|bias))`, "$1.$2",
	`blocks\.(\d+)\.attn\.pos_proj\.(weight|bias)`, "$1.local.$2",
	`blocks\.(\d+)\.attn\.gating_param`, "$1.gate",
)

// convit begins with blocks of gated positional attention, which a class token joins later.
//
// Source: convit.py.
var convit = family{
	name:  "ConViT",
	marks: []string{"blocks.0.attn.pos_proj.weight"},
	block: "blocks.%d",
	eps:   1e-6, mean: imageNet[0], std: imageNet[1], crop: 0.875,
	names: sync.OnceValue(func() []renaming { return slices.Concat(gated(), timm.names()) }),
	build: (*family).plain,
	draw: func(name string, shape []int) (drawing, bool) {
		switch {
		case strings.HasSuffix(name, ".gate"):
			return drawing{constant: 1}, true
		case strings.HasSuffix(name, ".v.weight"):
			return drawing{each: func(i int) float64 { return float64(b2i(i/shape[1] == i%shape[1])) }}, true
		case strings.HasSuffix(name, ".local.weight"):
			return drawing{each: func(i int) float64 { return localStart(shape[0], i/3)[i%3] }}, true
		case name == "cls":
			return drawing{deviation: 0.02}, true
		}
		return drawing{}, false
	},
}

// localStart is what a head's map of shifts begins with: a grid of heads around the query.
func localStart(heads, head int) (w [3]float64) {
	side := int(math.Sqrt(float64(heads)))
	if head >= side*side {
		return w // drawn by the source; it is small, and no head of the official networks
	}
	center := float64(side / 2)
	if side%2 == 0 {
		center = float64(side-1) / 2
	}
	return [3]float64{2 * (float64(head/side) - center), 2 * (float64(head%side) - center), -1}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
