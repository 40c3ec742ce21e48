package heads

import (
	"math"

	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run/event"
)

// Recorded converts the Gaussian heads that a run recorded, layer by layer.
func Recorded(r event.Heads) (layers [][]posenc.Head) {
	for _, l := range r.Layers {
		heads := make([]posenc.Head, len(l.Centers))
		for i, center := range l.Centers {
			heads[i].Center = center
			if i < len(l.Precision) {
				heads[i].Precision = l.Precision[i]
			} else if i < len(l.Alpha) {
				heads[i].Precision = [2][2]float64{{2 * l.Alpha[i], 0}, {0, 2 * l.Alpha[i]}}
			}
		}
		layers = append(layers, heads)
	}
	return layers
}

// Record returns the event that records the Gaussian heads of a network, as Network.Heads returns them, after an epoch.
func Record(epoch int, layers [][]posenc.Head, isotropic bool) event.Heads {
	e := event.Heads{Epoch: epoch}
	for _, heads := range layers {
		var l event.HeadLayer
		for _, h := range heads {
			l.Centers = append(l.Centers, h.Center)
			if isotropic {
				l.Alpha = append(l.Alpha, h.Precision[0][0]/2)
			} else {
				l.Precision = append(l.Precision, h.Precision)
			}
		}
		e.Layers = append(e.Layers, l)
	}
	return e
}

// A Change counts what training did to Gaussian heads.
type Change struct {
	Heads    int // all
	Narrower int // whose precision, summed over rows and columns, has grown
	Moved    int // whose center is more than half a token away from where it was
}

// Changed compares the heads of a network with those that it had at first, layer by layer.
func Changed(first, last [][]posenc.Head) (c Change) {
	for l, layer := range last {
		for h, head := range layer {
			if l >= len(first) || h >= len(first[l]) {
				continue
			}
			was := first[l][h]
			c.Heads++
			if head.Precision[0][0]+head.Precision[1][1] > was.Precision[0][0]+was.Precision[1][1] {
				c.Narrower++
			}
			if math.Hypot(head.Center[0]-was.Center[0], head.Center[1]-was.Center[1]) > 0.5 {
				c.Moved++
			}
		}
	}
	return c
}
