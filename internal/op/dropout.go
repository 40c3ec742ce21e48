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
	Image int  // place of the run's first image in the batch of the step, where that is cut into shards
}

// Dropout zeroes elements with probability Rate and scales the others by 1/(1-Rate). The zero value keeps everything.
type Dropout struct {
	Rate     float32
	Key      uint64 // of the random stream
	Clock    *Clock // nil only where Rate is 0
	PerImage bool   // attention weights: each image has a mask of its own, not one for the batch
}

// image is the place in the batch of the step of image b of this run: masks of an image are drawn by it.
func (d Dropout) image(b int) int {
	if d.Clock == nil {
		return b
	}
	return d.Clock.Image + b
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

// rows is now for a mask that has so many rows for each image.
func (d Dropout) rows(perImage int) vec.Dropout {
	mask := d.now()
	mask.First = uint32(d.image(0) * perImage)
	return mask
}

func (d Dropout) String() string {
	return fmt.Sprintf("{rate=%v,key=%x,per-image=%t}", d.Rate, d.Key, d.PerImage)
}
