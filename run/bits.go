package run

import "fmt"

// Bits says of each image of a split whether it was classified correctly: image i is bit i%8 of byte i/8. In JSON it is
// a string in base64, as every []byte.
type Bits []byte

// NewBits asks right of the images 0 to n-1.
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

// String keeps the bits themselves out of logs.
func (b Bits) String() string { return fmt.Sprintf("%d bytes", len(b)) }
