package stats

import "fmt"

// Bits has a bit for each image of a split, set if the image was classified correctly: image i is bit i%8 of byte i/8.
// In JSON it is a base64 string, as every []byte.
type Bits []byte

// NewBits returns the bits right(0), …, right(n-1).
func NewBits(n int, right func(i int) bool) Bits {
	b := make(Bits, (n+7)/8)
	for i := range n {
		if right(i) {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return b
}

// At reports whether image i was classified correctly.
func (b Bits) At(i int) bool { return b[i/8]>>(i%8)&1 == 1 }

// String returns only the size, which keeps logs short.
func (b Bits) String() string { return fmt.Sprintf("%d bytes", len(b)) }
