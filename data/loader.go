package data

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/attnconv/attnconv/internal/stream"
)

// A Batch is the input of a step.
type Batch struct {
	X      []float32 // (batch, rows, cols, channels), normalized
	Labels []int32   // (batch); -1 behind the images of a padded batch
	N      int       // images in it: batch, or fewer in the last one of an evaluation

	// Mixed images have a second class with a share of the label, at most ½. Both are (batch), and nil unless an
	// augmentation mixes.
	Others []int32
	Shares []float32
}

// Part returns images lo to hi-1 of b, which it does not copy.
func (b *Batch) Part(lo, hi int) Batch {
	size := len(b.X) / max(1, len(b.Labels))
	part := Batch{X: b.X[lo*size : hi*size], Labels: b.Labels[lo:hi], N: min(max(b.N-lo, 0), hi-lo)}
	if b.Others != nil {
		part.Others, part.Shares = b.Others[lo:hi], b.Shares[lo:hi]
	}
	return part
}

// LoaderOptions say how a split is divided into batches.
type LoaderOptions struct {
	Batch   int      // images in a batch
	Seed    uint64   // of the run: with the epoch, it determines order and augmentation
	Augment []string // of Augmentations, such as crop or mixup=0.2
	Shuffle bool     // a new order each epoch
	Pad     bool     // pad the last batch with zeros and labels -1; otherwise a short one is dropped
	Shift   [2]int   // pixels by which each image is moved down and to the right; black comes in
	Nudge   [2]int   // the same after Shift, but that the image comes in, mirrored at its border
	Mirror  bool     // left and right of each image change places, after Shift and Nudge
	Workers int      // goroutines that prepare batches; 0: two
}

// A Loader divides a split into batches. Training drops the last, short batch, so that all steps have the same weight;
// with Shuffle these are other images each epoch. Evaluation pads it and sees each image once.
type Loader struct {
	split   Split
	o       LoaderOptions
	augment []Augmentation // those of o.Augment with Place or Edit, in the order of Augmentations
	paint   []augmenting   // those with Paint
	mix     []augmenting   // those with Mix
	batches int
	scale   [][256]float32 // by channel: byte → normalized value
	moved   []int          // pixel i moves to moved[i], the inverse of Split.order; nil: no permutation
	part    [2]int         // the images of each batch that are made: from, to
}

// Options returns what NewLoader was given, with its defaults.
func (l *Loader) Options() LoaderOptions { return l.o }

// NewLoader returns a loader for s, or an error where s does not make one batch.
func NewLoader(s Split, o LoaderOptions) (*Loader, error) {
	if o.Batch < 1 {
		return nil, fmt.Errorf("want a batch of 1 or more images, got %d", o.Batch)
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("want 0 or more workers, got %d", o.Workers)
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	least, batches := o.Batch, s.Len()/o.Batch
	if o.Pad {
		least, batches = 1, (s.Len()+o.Batch-1)/o.Batch
	}
	if s.Len() < least {
		return nil, fmt.Errorf("want at least %d images for batches of %d, got %d", least, o.Batch, s.Len())
	}
	l := &Loader{split: s, o: o, batches: batches, scale: make([][256]float32, s.Channels), part: [2]int{0, o.Batch}}
	if l.o.Workers == 0 {
		l.o.Workers = 2
	}
	if err := l.takeAugmentations(o.Augment); err != nil {
		return nil, err
	}
	if s.order != nil {
		l.moved = make([]int, len(s.order))
		for to, from := range s.order {
			l.moved[from] = to
		}
	}
	for c := range l.scale {
		for v := range 256 {
			l.scale[c][v] = float32((float64(v)/255 - float64(s.Mean[c])) / float64(s.Std[c]))
		}
	}
	return l, nil
}

// Part returns a loader of images lo to hi-1 of each of l's batches, the same as l makes them.
func (l *Loader) Part(lo, hi int) *Loader {
	part := *l
	part.part = [2]int{l.part[0] + lo, l.part[0] + hi}
	return &part
}

// batch is the number of images in a batch.
func (l *Loader) batch() int { return l.part[1] - l.part[0] }

// Shape is the extent of a batch: images, rows, columns, channels.
func (l *Loader) Shape() [4]int {
	return [4]int{l.batch(), l.split.Rows, l.split.Cols, l.split.Channels}
}

// Labels returns the largest label, or -1 of an empty split.
func (l *Loader) Labels() int {
	if l.split.Len() == 0 {
		return -1
	}
	return int(slices.Max(l.split.Labels))
}

// Batches is the number of batches in an epoch.
func (l *Loader) Batches() int { return l.batches }

// Len is the number of images in the split, whatever Part is made of them.
func (l *Loader) Len() int { return l.split.Len() }

// Epoch gives the batches from, from+1, ... of an epoch. Batch i of an epoch depends on the seed, the epoch and i
// alone, neither on the number of workers nor on earlier epochs. Workers prefetch a few batches and end with the loop.
// A batch is valid until the next iteration. The sequence stops early when ctx is done.
func (l *Loader) Epoch(ctx context.Context, epoch, from int) iter.Seq[*Batch] {
	return func(yield func(*Batch) bool) {
		from := max(from, 0)
		workers := min(l.o.Workers, l.batches-from)
		if workers < 1 {
			return
		}
		var running sync.WaitGroup
		defer running.Wait()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		// Worker k makes the batches from+k, from+k+workers, ... in two buffers, so batches come in order without
		// sorting.
		order, lanes := l.order(epoch), make([]lane, workers)
		for k := range lanes {
			lanes[k] = lane{ready: make(chan *Batch, 2), free: make(chan *Batch, 2)}
			for range 2 {
				lanes[k].free <- l.newBatch()
			}
			running.Go(func() { l.work(ctx, lanes[k], order, epoch, from+k, workers) })
		}
		for i := range l.batches - from {
			lane := lanes[i%workers]
			var b *Batch
			select {
			case <-ctx.Done():
				return
			case b = <-lane.ready:
			}
			if ctx.Err() != nil || !yield(b) {
				return
			}
			lane.free <- b
		}
	}
}

// A lane is the pair of queues between one worker and the loop.
type lane struct{ ready, free chan *Batch }

// work fills batches first, first+step, ... as buffers are returned.
func (l *Loader) work(ctx context.Context, lane lane, order []int, epoch, first, step int) {
	draws, s := l.draws(epoch), l.newScratch()
	for i := first; i < l.batches; i += step {
		select {
		case <-ctx.Done():
			return
		case b := <-lane.free:
			l.fill(b, order, draws, i, s)
			lane.ready <- b
		}
	}
}

func (l *Loader) newBatch() *Batch {
	b := &Batch{X: make([]float32, l.batch()*l.split.Size()), Labels: make([]int32, l.batch())}
	if len(l.mix) > 0 {
		b.Others, b.Shares = make([]int32, l.batch()), make([]float32, l.batch())
	}
	return b
}

// order is the order of the images in an epoch; nil: that of the split.
func (l *Loader) order(epoch int) []int {
	if !l.o.Shuffle {
		return nil
	}
	return stream.Rand(l.o.Seed, fmt.Sprintf("shuffle/%d", epoch)).Perm(l.split.Len())
}
