package op

import "github.com/attnconv/attnconv/internal/gemm"

// separableSizes are the sizes of one MixSeparable. They never change. Its methods cut a batch into pieces and find
// what belongs to a piece in a tensor.
type separableSizes struct {
	batch, heads, in, out int
	rows, cols            int // of the grid of tokens
}

func (n separableSizes) tokens() int { return n.rows * n.cols }

// image is image b's part of a tensor of the batch, or nil where there is none.
func (n separableSizes) image(x []float32, b int) []float32 {
	if x == nil {
		return nil
	}
	return nth(x, b, len(x)/n.batch)
}

// rowWeights is R_h (rows, rows).
func (n separableSizes) rowWeights(r []float32, h int) []float32 { return nth(r, h, n.rows*n.rows) }

// colWeights is C_h (cols, cols).
func (n separableSizes) colWeights(c []float32, h int) []float32 { return nth(c, h, n.cols*n.cols) }

// nth is part i of x, which is cut into parts of one size.
func nth(x []float32, i, size int) []float32 { return x[i*size:][:size] }

// A band is some rows of the grid, with all columns.
type band struct{ index, first, rows int }

// bandTokens is about as many queries as a product needs to be fast.
const bandTokens = 128

func (n separableSizes) bandRows() int { return min(n.rows, max(1, bandTokens/n.cols)) }
func (n separableSizes) bands() int    { return (n.rows + n.bandRows() - 1) / n.bandRows() }

func (n separableSizes) band(i int) band {
	first := i * n.bandRows()
	return band{i, first, min(n.bandRows(), n.rows-first)}
}

// ofBand is the band's part of an image of y: (tokens, out).
func (n separableSizes) ofBand(y []float32, d band) gemm.Mat {
	row := n.cols * n.out
	return gemm.Matrix(y[d.first*row:][:d.rows*row], d.rows*n.cols, n.out)
}

// A slice is some channels of all tokens, copied out of an image. Its tokens lie ld floats apart: an odd number of
// cache lines, for grid rows that are a multiple of a page apart would not be in cache together.
type slice struct{ first, channels, ld int }

const (
	// pieceChannels is how many columns of dW one task makes: few, so that no goroutine waits long for the last one.
	// Packed matrices can be cut at multiples of 32.
	pieceChannels = 64
	sliceChannels = 3 * pieceChannels
)

func (n separableSizes) slices() int { return (n.in + sliceChannels - 1) / sliceChannels }
func (n separableSizes) pieces() int { return (n.in + pieceChannels - 1) / pieceChannels }

func (n separableSizes) slice(k int) slice {
	first := k * sliceChannels
	channels := min(sliceChannels, n.in-first)
	return slice{first, channels, wholeLines(channels) | 16}
}

// A segment is some tokens of an image, in whole grid rows. dW sums over tokens segment by segment: the factors of a
// longer sum would leave the caches.
type segment struct{ index, first, tokens int }

const segmentTokens = 400

func (n separableSizes) segmentSize() int { return n.cols * min(n.rows, max(1, segmentTokens/n.cols)) }
func (n separableSizes) segments() int    { return (n.tokens() + n.segmentSize() - 1) / n.segmentSize() }

func (n separableSizes) segment(g int) segment {
	first := g * n.segmentSize()
	return segment{g, first, min(n.segmentSize(), n.tokens()-first)}
}

// chunkTokens is about how many tokens a mixing operation works on at a time, where memory grows with them.
const chunkTokens = 2048

// chunkSize is how many images backward takes at a time; chunk is the i-th of them, and behind the last one there are
// none.
func (n separableSizes) chunkSize() int { return min(n.batch, max(1, chunkTokens/n.tokens())) }
func (n separableSizes) chunks() int    { return (n.batch + n.chunkSize() - 1) / n.chunkSize() }

func (n separableSizes) chunk(i int) (first, images int) {
	first = i * n.chunkSize()
	return first, max(0, min(n.chunkSize(), n.batch-first))
}
