package vision

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Images are what a network reads: number i is (channels, rows, cols), normalized.
type Images struct {
	Count int
	At    func(i int) []float32
}

// Run computes all images layer by layer, and returns their logits or, without a classifier, their features. see,
// unless nil, gets what each layer did on each image, and may keep it.
func (n *Network) Run(ctx context.Context, images Images, see func(layer, image int, s Seen) error) ([][]float32, error) {
	tokens := make([][]float32, images.Count)
	for i := range tokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tokens[i] = n.embed(images.At(i))
	}
	for layer, b := range n.blocks {
		for i := range tokens {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x := b.enter(tokens[i], n.others)
			var record func(Seen) error
			if see != nil {
				record = func(s Seen) error { return see(layer, i, s) }
			}
			y, err := b.attend(x, record)
			if err != nil {
				return nil, err
			}
			tokens[i] = b.leave(x, y)
			if v := tokens[i][0]; v-v != 0 {
				return nil, fmt.Errorf("%s: image %d gives numbers that are not finite", b.name, i+1)
			}
		}
	}
	for i := range tokens {
		tokens[i] = n.classify(tokens[i])
	}
	return tokens, nil
}

// Agreement says how much of what a network answers is left.
type Agreement struct {
	Same   int     // images with the class of the network as it is; 0 without a classifier
	Cosine float64 // mean over images, of the logits or features with those of the network as it is
}

// Replace computes the images with taps instead of one layer, for each layer. done is called after each image.
func (n *Network) Replace(ctx context.Context, images Images, taps []Taps, done func()) ([]Agreement, error) {
	all := make([]Agreement, len(n.blocks))
	for i := range images.Count {
		inputs := make([][]float32, len(n.blocks)) // of each block
		x := n.embed(images.At(i))
		for layer, b := range n.blocks {
			inputs[layer] = b.enter(x, n.others)
			y, err := b.attend(inputs[layer], nil)
			if err != nil || ctx.Err() != nil {
				return nil, ctx.Err()
			}
			x = b.leave(inputs[layer], y)
		}
		before := n.classify(x)
		for layer, b := range n.blocks {
			x := b.leave(inputs[layer], b.convolve(inputs[layer], taps[layer]))
			for _, later := range n.blocks[layer+1:] {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				x = later.enter(x, n.others)
				y, _ := later.attend(x, nil)
				x = later.leave(x, y)
			}
			after := n.classify(x)
			if len(n.pooled.heads) > 0 && largest(before) == largest(after) {
				all[layer].Same++
			}
			all[layer].Cosine += cosine(before, after) / float64(images.Count)
		}
		done()
	}
	return all, nil
}

func largest(x []float32) int { return slices.Index(x, slices.Max(x)) }

func cosine(x, y []float32) float64 {
	xy, xx, yy := 0.0, 0.0, 0.0
	for i := range x {
		xy += float64(x[i]) * float64(y[i])
		xx += float64(x[i]) * float64(x[i])
		yy += float64(y[i]) * float64(y[i])
	}
	return xy / math.Sqrt(xx*yy)
}
