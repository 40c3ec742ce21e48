package op

import "github.com/attnconv/attnconv/internal/gemm"

// A Precision is that of the factors of an operation's products: of linear maps, mixing and convolutions by their
// definition. Sums are in float32, and so is all other arithmetic: scores, products of weights with weights, and
// convolutions by Winograd's algorithm, which would lose much more than the factors do.
type Precision uint8

// Float32 is the precision of what is recorded. BFloat16 rounds factors to 8 bits of mantissa; its sums are the same on
// every processor.
const (
	Float32 Precision = iota
	BFloat16
)

// String says it behind the name of an operation.
func (p Precision) String() string {
	if p == BFloat16 {
		return ",bfloat16"
	}
	return ""
}

// of is m as a factor.
func (p Precision) of(m gemm.Mat) gemm.Mat {
	if p == BFloat16 {
		return m.BF16()
	}
	return m
}

// A Multiplying is an operation whose products may have factors of either precision.
type Multiplying interface {
	Op
	// In is the operation with products of that precision.
	In(Precision) Op
}
