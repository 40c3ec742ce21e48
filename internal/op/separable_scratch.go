package op

import (
	"github.com/attnconv/attnconv/internal/gemm"
	"github.com/attnconv/attnconv/internal/kernel/pool"
	"github.com/attnconv/attnconv/internal/kernel/threads"
)

// separableScratch is what the arena reserves for one MixSeparable, and views of it.
type separableScratch struct {
	separableSizes
	factors Precision    // of a product with a head's map
	packedT []float32    // W_hᵀ of each head, slice by slice
	packed  []float32    // W_h of each head
	dr, dc  []float32    // of each image and head
	z, dy   [2][]float32 // what mapGrad needs of a chunk, packed: that of two chunks, in turn
}

func (s *separableScratch) forward() []Scratch {
	return []Scratch{{s.heads * gemm.PackedBFloats(s.in, s.out), &s.packedT}}
}

func (s *separableScratch) backward() []Scratch {
	all := []Scratch{
		{s.heads * gemm.PackedBFloats(s.out, s.in), &s.packed},
		{s.batch * s.heads * s.rows * s.rows, &s.dr},
		{s.batch * s.heads * s.cols * s.cols, &s.dc},
	}
	for i := range s.z {
		all = append(all,
			Scratch{s.chunkSize() * s.heads * gemm.PackedBFloats(s.tokens(), s.in), &s.z[i]},
			Scratch{s.chunkSize() * s.tokens() * s.out, &s.dy[i]})
	}
	return all
}

// packMapsT packs W_hᵀ of all heads and slices for forward.
func (s *separableScratch) packMapsT(w []float32) {
	wT := s.factors.of(gemm.Matrix(w, s.out, s.heads*s.in).T())
	threads.Parallel(s.heads, func(h int) {
		for k := range s.slices() {
			c := s.slice(k)
			gemm.PackB(wT.Block(h*s.in+c.first, 0, c.channels, s.out), s.packedMapT(h, c))
		}
	})
}

// mapT is the packed W_hᵀ of a slice: (channels, out).
func (s *separableScratch) mapT(h int, c slice) gemm.Mat {
	return s.factors.of(gemm.Panels(s.packedMapT(h, c), c.channels, s.out))
}

func (s *separableScratch) packedMapT(h int, c slice) []float32 {
	head := nth(s.packedT, h, gemm.PackedBFloats(s.in, s.out))
	return head[gemm.PackedBFloats(c.first, s.out):][:gemm.PackedBFloats(c.channels, s.out)]
}

// packMaps packs W_h of all heads for backward.
func (s *separableScratch) packMaps(w []float32) {
	all := s.factors.of(gemm.Matrix(w, s.out, s.heads*s.in))
	threads.Parallel(s.heads, func(h int) { gemm.PackB(all.Cols(h*s.in, s.in), s.packedMap(h)) })
}

// mapOf is the packed W_h: (out, in).
func (s *separableScratch) mapOf(h int) gemm.Mat {
	return s.factors.of(gemm.Panels(s.packedMap(h), s.out, s.in))
}

func (s *separableScratch) packedMap(h int) []float32 {
	return nth(s.packed, h, gemm.PackedBFloats(s.out, s.in))
}

// weightGrads is dR_h (rows, rows) and dC_h (cols, cols) of image b.
func (s *separableScratch) weightGrads(b, h int) (dr, dc []float32) {
	return s.rowWeights(s.image(s.dr, b), h), s.colWeights(s.image(s.dc, b), h)
}

// A savedImage is what mapGrad needs of one image: Z of each head, slice and segment, and dyᵀ of each segment.
type savedImage struct {
	separableSizes
	factors           Precision
	packedZ, packedDy []float32
}

// saved is image t of chunk i.
func (s *separableScratch) saved(i, t int) savedImage {
	return savedImage{s.separableSizes, s.factors, nth(s.z[i%2], t, s.heads*gemm.PackedBFloats(s.tokens(), s.in)),
		nth(s.dy[i%2], t, s.tokens()*s.out)}
}

// mixed saves head h's Z of a slice.
func (s savedImage) mixed(z plane, h int) {
	for i := range s.segments() {
		g := s.segment(i)
		gemm.PackB(s.factors.of(z.tokens().Block(g.first, 0, g.tokens, z.channels)), s.zOf(h, z.slice, g))
	}
}

// mix saves head h's Z = (I⊗C)·V of a slice.
func (s savedImage) mix(c gemm.Mat, v plane, h int) {
	for i := range s.segments() {
		g := s.segment(i)
		rows := band{first: g.first / s.cols, rows: g.tokens / s.cols}
		gemm.MulPanels(s.z(h, v.slice, g), c, v.band(rows).byRow())
	}
}

// z is what mixed or mix saved: (tokens, channels).
func (s savedImage) z(h int, c slice, g segment) gemm.Mat {
	return s.factors.of(gemm.Panels(s.zOf(h, c, g), g.tokens, c.channels))
}

func (s savedImage) zOf(h int, c slice, g segment) []float32 {
	head := nth(s.packedZ, h, gemm.PackedBFloats(s.tokens(), s.in))
	ofSlice := head[gemm.PackedBFloats(s.tokens(), c.first):]
	return ofSlice[gemm.PackedBFloats(g.first, c.channels):][:gemm.PackedBFloats(g.tokens, c.channels)]
}

// grad saves dyᵀ.
func (s savedImage) grad(dy gemm.Mat) {
	for i := range s.segments() {
		g := s.segment(i)
		gemm.PackA(s.factors.of(dy.Block(g.first, 0, g.tokens, s.out).T()), s.dyOf(g))
	}
}

// dyT is what grad saved: (out, tokens).
func (s savedImage) dyT(g segment) gemm.Mat {
	return s.factors.of(gemm.Strips(s.dyOf(g), s.out, g.tokens))
}

func (s savedImage) dyOf(g segment) []float32 { return s.packedDy[g.first*s.out:][:g.tokens*s.out] }

// separableBuffers are what one goroutine works in, from the pool: X, V, Z and dX of one slice, and packed dy.
type separableBuffers struct {
	x, v, z, dx, strips []float32
	pooled              *[]float32
}

// forwardBuffers are for all of X and one band of the others.
func (n separableSizes) forwardBuffers() separableBuffers {
	ld, most := n.slice(0).ld, n.bandRows()*n.cols
	return newSeparableBuffers(n.tokens()*ld, most*ld, 0, 0)
}

// backwardBuffers are for images.
func (n separableSizes) backwardBuffers() separableBuffers {
	image := n.tokens() * n.slice(0).ld
	return newSeparableBuffers(image, image, image, n.tokens()*n.out)
}

func newSeparableBuffers(x, mixed, dx, strips int) (b separableBuffers) {
	b.pooled = pool.Get(x + 2*mixed + dx + strips)
	rest := *b.pooled
	take := func(n int) (part []float32) { part, rest = rest[:n], rest[n:]; return part }
	b.x, b.v, b.z, b.dx, b.strips = take(x), take(mixed), take(mixed), take(dx), take(strips)
	return b
}

func (b separableBuffers) release() { pool.Put(b.pooled) }

// A plane is one slice of some grid rows, token after token. What lies behind a token's channels is zero in X; mixing
// takes whole cache lines of it along, and nothing reads it.
type plane struct {
	slice
	rows, cols int
	data       []float32
}

// plane views the front of a buffer.
func (n separableSizes) plane(buffer []float32, s slice, rows int) plane {
	return plane{s, rows, n.cols, buffer[:rows*n.cols*s.ld]}
}

// load copies the slice out of an image, whose tokens have in channels; store copies it back.
func (p plane) load(image []float32, in int) {
	for t := range p.rows * p.cols {
		token := nth(p.data, t, p.ld)
		copy(token, nth(image, t, in)[p.first:][:p.channels])
		clear(token[p.channels:])
	}
}

func (p plane) store(image []float32, in int) {
	for t := range p.rows * p.cols {
		copy(nth(image, t, in)[p.first:][:p.channels], nth(p.data, t, p.ld))
	}
}

// band is the band's part of a plane of a whole image.
func (p plane) band(d band) plane {
	row := p.cols * p.ld
	return plane{p.slice, d.rows, p.cols, p.data[d.first*row:][:d.rows*row]}
}

// tokens is (rows·cols, channels).
func (p plane) tokens() gemm.Mat { return gemm.Strided(p.data, p.rows*p.cols, p.channels, p.ld) }

// byRow is a matrix (cols, channels and what fills their last cache line) for each row of the grid.
func (p plane) byRow() gemm.Batch {
	return gemm.Apart(p.data, p.rows, p.cols, wholeLines(p.channels), p.ld, p.cols*p.ld)
}

// byCol is a matrix (rows, channels and what fills their last cache line) for each column of the grid. Where nothing
// lies between tokens they are one matrix.
func (p plane) byCol() gemm.Batch {
	wide, row := wholeLines(p.channels), p.cols*p.ld
	if wide == p.ld {
		return gemm.Apart(p.data, 1, p.rows, row, row, 0)
	}
	return gemm.Apart(p.data, p.cols, p.rows, wide, row, p.ld)
}
