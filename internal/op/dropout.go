package op

import (
	"fmt"

	"github.com/attnconv/attnconv/internal/kernel/vec"
)

// A Clock tells the operations of one graph which step it is, so that masks drawn forward can be redrawn backward,
// and after a resume.
type Clock struct {
	Step  uint64
	Unset bool // nobody has said which
}

// Dropout zeroes elements with probability Rate and scales the others by 1/(1-Rate). The zero value keeps everything.
type Dropout struct {
	Rate     float32
	Key      uint64 // of the random stream
	Clock    *Clock // nil only where Rate is 0
	PerImage bool   // attention weights: each image has a mask of its own, not one for the batch
}

// now returns the mask of this step.
func (d Dropout) now() vec.Dropout {
	if d.Rate == 0 {
		return vec.Dropout{}
	}
	if d.Clock.Unset {
		panic("nobody has said which step it is, and masks are drawn by it: call nn.Graph.At before each run")
	}
	return vec.Dropout{Key: d.Key, Step: d.Clock.Step, Rate: d.Rate}
}

func (d Dropout) String() string {
	return fmt.Sprintf("{rate=%v,key=%x,per-image=%t}", d.Rate, d.Key, d.PerImage)
}
