package depthwise

import (
	"unsafe"

	"github.com/attnconv/attnconv/internal/kernel/pool"
)

// planes are chunks of 16 channels of an image, pixel after pixel, with pixels of border around them.
type planes struct {
	Shape
	data   *[]float32
	whole  *[]float32 // a plane without border, for a chunk of fewer channels
	before int        // border above and to the left
	width  int        // elements of a row with its border
	size   int        // elements of a plane
}

// newPlanes returns n planes whose border is zeros.
func (c Shape) newPlanes(n, before, after int) planes {
	p := planes{Shape: c, before: before, width: (before + c.Cols + after) * lanes}
	p.size = (before + c.Rows + after) * p.width
	p.data, p.whole = pool.Get(n*p.size), pool.Get(c.Rows*c.Cols*lanes)
	for q := range n {
		plane, from := p.plane(q), 0
		for i := range c.Rows {
			first := (before+i)*p.width + before*lanes
			clear(plane[from:first])
			from = first + c.Cols*lanes
		}
		clear(plane[from:])
	}
	return p
}

func (p planes) free() {
	pool.Put(p.data)
	pool.Put(p.whole)
}

// plane is plane q with its border, inside the same from the first pixel of the image on.
func (p planes) plane(q int) []float32  { return (*p.data)[q*p.size:][:p.size] }
func (p planes) inside(q int) []float32 { return p.plane(q)[p.before*(p.width+lanes):] }

// channelsOf is how many channels a chunk has.
func (c Shape) channelsOf(chunk int) int { return min(lanes, c.Channels-chunk*lanes) }

// load sets the planes to n chunks of an image. Their border is the image's edge again if replicate, else it stays as
// it is.
func (p planes) load(image []float32, chunk, n int, replicate bool) {
	whole := n
	if few := p.channelsOf(chunk + n - 1); few < lanes {
		whole--
		p.loadFew(p.inside(whole), image[(chunk+whole)*lanes:], few)
	}
	for i := range min(p.Rows, p.Rows*whole) {
		best.Copy(p.Cols, whole, (*p.data)[(p.before+i)*p.width+p.before*lanes:], lanes, p.size,
			image[i*p.Cols*p.Channels+chunk*lanes:], p.Channels, lanes)
	}
	if replicate {
		for q := range n {
			p.repeatEdge(p.plane(q))
		}
	}
}

// loadFew sets the first n channels of a plane, and the others to zero.
func (p planes) loadFew(inside, image []float32, n int) {
	for i := range p.Rows {
		for j := range p.Cols {
			pixel := inside[i*p.width+j*lanes:][:lanes]
			clear(pixel[copy(pixel, image[(i*p.Cols+j)*p.Channels:][:n]):])
		}
	}
}

// repeatEdge fills the border of a plane: each row to the left and to the right, then rows above and below.
func (p planes) repeatEdge(plane []float32) {
	after := p.width/lanes - p.before - p.Cols
	row := plane[p.before*p.width:]
	repeat := func(rows, cols int, dst []float32, src []float32, si, sj int) {
		if rows*cols > 0 {
			best.Copy(rows, cols, dst, p.width, lanes, src, si, sj)
		}
	}
	repeat(p.Rows, p.before, row, row[p.before*lanes:], p.width, 0)
	repeat(p.Rows, after, row[(p.before+p.Cols)*lanes:], row[(p.before+p.Cols-1)*lanes:], p.width, 0)
	repeat(p.before, p.width/lanes, plane, row, 0, lanes)
	last := row[(p.Rows-1)*p.width:]
	repeat(after, p.width/lanes, last[p.width:], last, 0, lanes)
}

// convolve sets a chunk of the image y to b plus the convolution of plane q with a filter, whose first tap is at the
// plane's first pixel.
func (p planes) convolve(y []float32, chunk, q int, filter, b []float32, past bool) {
	to, yi, yj := y[chunk*lanes:], p.Cols*p.Channels, p.Channels
	few := p.channelsOf(chunk) < lanes
	if few {
		to, yi, yj = *p.whole, p.Cols*lanes, lanes
	}
	best.Correlate(p.Rows, p.Cols, to, yi, yj, p.plane(q), p.width, filter, p.Size*lanes, p.Size, p.Size, b, past)
	if few {
		p.store(y, chunk, to, p.Cols*lanes)
	}
}

// store copies pixels, in rows that are width elements apart, to a chunk of the image y.
func (p planes) store(y []float32, chunk int, pixels []float32, width int) {
	y = y[chunk*lanes:]
	n := p.channelsOf(chunk)
	if n == lanes {
		best.Copy(p.Rows, p.Cols, y, p.Cols*p.Channels, p.Channels, pixels, width, lanes)
		return
	}
	for i := range p.Rows {
		for j := range p.Cols {
			copy(y[(i*p.Cols+j)*p.Channels:][:n], pixels[i*width+j*lanes:])
		}
	}
}

// aligned reports whether x begins with a line of the cache.
func aligned(x []float32) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(x)))%64 == 0 }
