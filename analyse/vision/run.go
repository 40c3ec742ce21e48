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

// together is how many images are computed at once: their tokens are rows of the same products.
const together = 4

// Run computes all images layer by layer, and returns their logits or, without a classifier, their features. see,
// unless nil, gets what each layer did on each image, and may keep it.
func (n *Network) Run(ctx context.Context, images Images, see func(layer, image int, s Seen) error) ([][]float32,
	error) {
	var batches [][]float32
	for first := 0; first < images.Count; first += together {
		var x []float32
		for i := first; i < min(first+together, images.Count); i++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x = append(x, n.embed(images.At(i))...)
		}
		batches = append(batches, x)
	}
	for layer, b := range n.blocks {
		for i := range batches {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			count := min(together, images.Count-i*together)
			x := b.enter(batches[i], n.others, count)
			var record func(int, Seen) error
			if see != nil {
				record = func(image int, s Seen) error { return see(layer, i*together+image, s) }
			}
			y, err := b.attend(x, count, record)
			if err != nil {
				return nil, err
			}
			batches[i] = b.leave(x, y)
			if v := batches[i][0]; v-v != 0 {
				return nil, fmt.Errorf("%s: image %d gives numbers that are not finite", b.name, i*together+1)
			}
		}
	}
	var all [][]float32
	for i, x := range batches {
		count := min(together, images.Count-i*together)
		for image := range slices.Chunk(x, len(x)/count) {
			all = append(all, n.classify(image))
		}
	}
	return all, nil
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
		x := n.embed(images.At(i)) // of the network as it is, and then of each one with a layer replaced
		for layer, b := range n.blocks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x = b.enter(x, n.others, layer+1)
			y, err := b.attend(x, layer+1, nil)
			if err != nil {
				return nil, err
			}
			own := x[:b.tokens()*b.attention.channels]
			x = b.leave(append(x, own...), append(y, b.convolve(own, taps[layer])...))
		}
		size := len(x) / (len(n.blocks) + 1)
		before := n.classify(x[:size])
		for layer := range n.blocks {
			after := n.classify(x[(layer+1)*size:][:size])
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
