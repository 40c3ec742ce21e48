package train

import (
	"context"
	"iter"
	"slices"

	"github.com/attnconv/attnconv/data"
)

// Batches are images with labels, in batches of one shape. *data.Loader is one.
type Batches interface {
	// Shape is the extent of a batch: images, rows, columns, channels.
	Shape() [4]int
	// Batches is the number of batches in an epoch.
	Batches() int
	// Len is the number of images in an epoch.
	Len() int
	// Labels is the largest label, or -1 if there are none.
	Labels() int
	// Epoch gives the batches from, from+1, ... of an epoch, both counted from 0. For a run that can be resumed with
	// the same bytes, batch i of an epoch depends only on the epoch and on i. A batch may be overwritten in the next
	// iteration. The sequence may stop early once ctx is done.
	Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch]
}

// source is Batches to embed: its name is none of its methods'.
type source = Batches

// limitedBatches are the first batches of each epoch.
type limitedBatches struct {
	source
	steps int
}

func (l limitedBatches) Batches() int { return l.steps }

func (l limitedBatches) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	return func(yield func(*data.Batch) bool) {
		if from >= l.steps {
			return
		}
		for b := range l.source.Epoch(ctx, epoch, from) {
			if from++; !yield(b) || from == l.steps {
				return
			}
		}
	}
}

// partOf are images lo to hi-1 of each batch.
type partOf struct {
	source
	lo, hi int
}

func (p partOf) Shape() [4]int {
	shape := p.source.Shape()
	shape[0] = p.hi - p.lo
	return shape
}

func (p partOf) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	whole := p.source.Shape()
	size := whole[1] * whole[2] * whole[3]
	return func(yield func(*data.Batch) bool) {
		for b := range p.source.Epoch(ctx, epoch, from) {
			if b == nil || len(b.X) != whole[0]*size || len(b.Labels) != whole[0] {
				yield(b) // the step says what it needs
				return
			}
			if own := b.Part(p.lo, p.hi); !yield(&own) {
				return
			}
		}
	}
}

// resize returns the batches of b at a side.
func resize(b Batches, side int) Batches {
	if b.Shape()[1] == side {
		return b
	}
	return smaller{b, side}
}

// smaller are batches of images reduced to a side.
type smaller struct {
	source
	side int
}

func (s smaller) Shape() [4]int {
	shape := s.source.Shape()
	return [4]int{shape[0], s.side, s.side, shape[3]}
}

// Epoch reduces images behind augmentation and normalization, where they are used: that takes far less time than a
// step.
func (s smaller) Epoch(ctx context.Context, epoch, from int) iter.Seq[*data.Batch] {
	shape := s.source.Shape()
	reduce, err := data.NewReduction(shape[1], shape[2], shape[3], s.side, s.side)
	if err != nil {
		panic(err) // checkResized has refused it
	}
	return func(yield func(*data.Batch) bool) {
		var own data.Batch
		for b := range s.source.Epoch(ctx, epoch, from) {
			large, small := reduce.Size()
			n := len(b.X) / large * small
			x := slices.Grow(own.X[:0], n)[:n]
			own = *b
			own.X = x
			reduce.Images(own.X, b.X)
			if !yield(&own) {
				return
			}
		}
	}
}
