package depthwise

import (
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// mostParts is how many parts of the batch have sums of dW and db of their own; fewer where there are fewer images.
const mostParts = 16

// parts is how many parts there are, of perPart images.
func (c Shape) parts() int   { return threads.Count(c.Batch, c.perPart()) }
func (c Shape) perPart() int { return threads.Count(c.Batch, mostParts) }

// sums is the elements of one part's sums: for each chunk those of its taps, and of its bias.
func (c Shape) sums() int { return c.chunks() * (c.taps() + 1) * lanes }

// GradFloats is how many floats Grad works in.
func (c Shape) GradFloats() int { return c.chunks()*c.taps()*lanes + c.parts()*c.sums() }

// Grad sets dx, dW and db to the gradients by x, W and b, given the gradient dy by y. dx and db may be nil. It works in
// memory, of GradFloats.
//
//	dx[n, r, s, c] = Σ_{u,v} W[c, u, v]·dy[n, r+p-u, s+p-v, c]
//	dW[c, u, v] = Σ_{n,i,j} dy[n, i, j, c]·x[n, i+u-p, j+v-p, c],  db[c] = Σ_{n,i,j} dy[n, i, j, c]
//
// where x is the image with its border, and what falls on a border that is the edge goes to the edge. Sums over an
// image are added image by image, and those of parts of the batch part by part.
func (c Shape) Grad(dx, dw, db, dy, x, w, memory []float32) {
	c.check(x, dy, w, db, memory, c.GradFloats())
	turned, sums := memory[:c.chunks()*c.taps()*lanes], memory[c.chunks()*c.taps()*lanes:]
	c.arrange(turned, w, true)
	past := dx != nil && c.past(dx)
	c.groups(c.parts(), func(first, end, chunk, n int) {
		g := c.newGradient(n)
		defer g.free()
		g.turned, g.sums, g.past = turned, sums[first/c.perPart()*c.sums():][:c.sums()], past
		clear(g.sums[chunk*(c.taps()+1)*lanes:][:n*(c.taps()+1)*lanes])
		for i := first; i < end; i++ {
			at := i * c.image()
			g.x.load(x[at:], chunk, n, c.Replicate)
			g.dy.load(dy[at:], chunk, n, false)
			for q := range n {
				g.add(chunk, q)
				if dx != nil {
					g.setDX(dx[at:], chunk, q)
				}
			}
		}
	})
	c.addParts(dw, db, sums)
}

// addParts sets dw and db to the sums of all parts.
func (c Shape) addParts(dw, db, sums []float32) {
	taps, total := c.taps(), sums[:c.sums()]
	for p := 1; p < c.parts(); p++ {
		vec.Add(total, sums[p*c.sums():][:c.sums()])
	}
	for ch := range c.Channels {
		from := total[ch/lanes*(taps+1)*lanes+ch%lanes:]
		for k := range taps {
			dw[ch*taps+k] = from[k*lanes]
		}
		if db != nil {
			db[ch] = from[taps*lanes]
		}
	}
}

// A gradient is what one task of Grad works with.
type gradient struct {
	x, dy        planes
	turned, sums []float32
	past         bool
	taps         *[]float32 // dW of one plane
	rows         *[]float32 // the sum of a plane's rows
	spread       *[]float32 // dx with the border of x
}

func (c Shape) newGradient(n int) *gradient {
	g := &gradient{x: c.newPlanes(n, c.pad(), c.rest()), taps: pool.Get(c.taps() * lanes),
		rows: pool.Get(c.Cols * lanes)}
	if c.Replicate {
		g.dy = c.newPlanes(n, c.Size-1, c.Size-1)
	} else {
		g.dy = c.newPlanes(n, c.rest(), c.pad())
	}
	g.spread = pool.Get(g.x.size)
	return g
}

func (g *gradient) free() {
	g.x.free()
	g.dy.free()
	for _, b := range []*[]float32{g.taps, g.rows, g.spread} {
		pool.Put(b)
	}
}

var zeros [lanes]float32 // a bias

// add adds dW and db of plane q to the sums.
func (g *gradient) add(chunk, q int) {
	c, taps, dy := g.x.Shape, *g.taps, g.dy.inside(q)
	best.Correlate(c.Size, c.Size, taps, c.Size*lanes, lanes, g.x.plane(q), g.x.width, dy, g.dy.width, c.Rows, c.Cols,
		zeros[:], false)
	sum := g.sums[(chunk+q)*(len(taps)+lanes):][:len(taps)+lanes]
	vec.AddSerial(sum[:len(taps)], sum[:len(taps)], taps)

	rows := *g.rows // of dy, then halves of their sum
	copy(rows, dy)
	for i := 1; i < c.Rows; i++ {
		vec.AddSerial(rows, rows, dy[i*g.dy.width:][:len(rows)])
	}
	for n := c.Cols; n > 1; n -= n / 2 {
		vec.AddSerial(rows[:n/2*lanes], rows[:n/2*lanes], rows[(n-n/2)*lanes:n*lanes])
	}
	vec.AddSerial(sum[len(taps):], sum[len(taps):], rows[:lanes])
}

// setDX sets a chunk of the image dx by plane q.
func (g *gradient) setDX(dx []float32, chunk, q int) {
	c := g.x.Shape
	turned := g.turned[(chunk+q)*c.taps()*lanes:][:c.taps()*lanes]
	if !c.Replicate {
		g.dy.convolve(dx, chunk+q, q, turned, zeros[:], g.past)
		return
	}
	all, width, p := *g.spread, g.x.width, c.pad()
	rows, cols := c.Rows+c.Size-1, c.Cols+c.Size-1
	best.Correlate(rows, cols, all, width, lanes, g.dy.plane(q), g.dy.width, turned, c.Size*lanes, c.Size, c.Size,
		zeros[:], false)
	for i := range rows {
		fold(all, i, p, c.Rows, width)
	}
	for i := p; i < p+c.Rows; i++ {
		for j := range cols {
			fold(all[i*width:], j, p, c.Cols, lanes)
		}
	}
	g.x.store(dx, chunk+q, all[p*(width+lanes):], width)
}

// fold adds part i of all, of n elements, to the nearest of count parts from part p on, unless it is one of them.
func fold(all []float32, i, p, count, n int) {
	if edge := max(p, min(p+count-1, i)); edge != i {
		to := all[edge*n:][:n]
		vec.AddSerial(to, to, all[i*n:][:n])
	}
}
