package heads

import (
	"github.com/attnconv/attnconv/posenc"
	"github.com/attnconv/attnconv/run"
)

// Recorded converts the Gaussian heads that a run recorded, layer by layer.
func Recorded(r run.Heads) (layers [][]posenc.Head) {
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
