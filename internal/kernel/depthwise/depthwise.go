// Package depthwise convolves images, channels last, with one filter for each channel, and has the gradients.
package depthwise

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// A Shape is that of a depth-wise convolution, with zeros around each image, or its edge repeated:
//
//	y[n, i, j, c] = Σ_{u,v} W[c, u, v]·x[n, i+u-p, j+v-p, c] + b[c],  0 ≤ u, v < k,  p = ⌊(k-1)/2⌋
//
// x (batch, rows, cols, channels), W (channels, k, k), b (channels) -> y (batch, rows, cols, channels)
//
// Work goes by planes: 16 channels of one image, pixel after pixel, with their border. A plane of 32 × 32 pixels is in
// the second-level cache, and the k rows that a row of y reads are in the first. In a plane no pixel is a special case,
// so all three passes are one routine, Correlate: y from x and W, dx from dy and W turned by half a turn, and dW from x
// and dy, with dy as the filter.
type Shape struct {
	Batch, Rows, Cols, Channels int
	Size                        int // k
	Replicate                   bool
}

// pad is p, the border of a plane of x above and to the left. rest is its border below and to the right.
func (c Shape) pad() int  { return (c.Size - 1) / 2 }
func (c Shape) rest() int { return c.Size - 1 - c.pad() }

// image is the elements of an image, taps those of a filter, and chunks how many planes an image has.
func (c Shape) image() int  { return c.Rows * c.Cols * c.Channels }
func (c Shape) taps() int   { return c.Size * c.Size }
func (c Shape) chunks() int { return threads.Count(c.Channels, lanes) }

// check panics unless all slices have the sizes that they should.
func (c Shape) check(x, y, w, b, memory []float32, floats int) {
	if len(x) != c.Batch*c.image() || len(y) != len(x) || len(w) != c.Channels*c.taps() ||
		b != nil && len(b) != c.Channels || len(memory) != floats {
		panic(fmt.Sprintf("depthwise: a convolution %+v of %d elements into %d with %d of weights, %d of bias and %d to "+
			"work in", c, len(x), len(y), len(w), len(b), len(memory)))
	}
}

// ForwardFloats is how many floats Forward works in.
func (c Shape) ForwardFloats() int { return c.chunks() * (c.taps() + 1) * lanes }

// Forward sets y to the convolution of x. b may be nil. It works in memory, of ForwardFloats.
func (c Shape) Forward(y, x, w, b, memory []float32) {
	c.check(x, y, w, b, memory, c.ForwardFloats())
	filters, biases := memory[:c.chunks()*c.taps()*lanes], memory[c.chunks()*c.taps()*lanes:]
	c.arrange(filters, w, false)
	copy(biases, b)
	clear(biases[len(b):])
	past := c.past(y)
	c.groups(threads.Count(2*threads.Tasks, c.across()), func(first, end, chunk, n int) {
		p := c.newPlanes(n, c.pad(), c.rest())
		defer p.free()
		for i := first; i < end; i++ {
			p.load(x[i*c.image():], chunk, n, c.Replicate)
			for q := range n {
				filter := filters[(chunk+q)*c.taps()*lanes:]
				p.convolve(y[i*c.image():], chunk+q, q, filter, biases[(chunk+q)*lanes:], past)
			}
		}
	})
}

// together is up to how many chunks are read at a time: so many lines of the cache are neighbors, which memory is
// faster at than at single ones. It is fewer where planes are large, or work is little.
func (c Shape) together() int {
	const most, floats = 4, 1 << 17
	return max(1, min(most, floats/(c.Rows*c.Cols*lanes), c.Batch*c.chunks()/threads.Tasks))
}

// across is how often so many chunks are an image.
func (c Shape) across() int { return threads.Count(c.chunks(), c.together()) }

// groups calls f in parallel for n chunks of images [first, end), for all chunks, and all images in parts.
func (c Shape) groups(parts int, f func(first, end, chunk, n int)) {
	each, size, across := threads.Count(c.Batch, parts), c.together(), c.across()
	threads.Parallel(threads.Count(c.Batch, each)*across, func(t int) {
		first, chunk := t/across*each, t%across*size
		f(first, min(c.Batch, first+each), chunk, min(size, c.chunks()-chunk))
	})
}

// arrange lays out the filters of w plane by plane, tap by tap: t[g, u, v, l] = W[16·g + l, u, v], with zeros for
// channels that there are not; or, if turned, W[16·g + l, k-1-u, k-1-v].
func (c Shape) arrange(t, w []float32, turned bool) {
	taps := c.taps()
	clear(t)
	for ch := range c.Channels {
		to := t[ch/lanes*taps*lanes+ch%lanes:]
		for k, v := range w[ch*taps:][:taps] {
			if turned {
				k = taps - 1 - k
			}
			to[k*lanes] = v
		}
	}
}

// past reports whether y is written past the caches: where it is too large for them, it saves reading y before.
func (c Shape) past(y []float32) bool {
	const large = 1 << 22 // floats
	return len(y) >= large && c.Channels%lanes == 0 && aligned(y)
}
