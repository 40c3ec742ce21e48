package figures

import (
	"fmt"
	"slices"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/heads"
	"github.com/attnconv/attnconv/posenc/geometry"
	"github.com/attnconv/attnconv/viz"
)

// Attention draws where the heads of a network look: Gaussian heads as circles, with those of start in gray if it has
// any, others as maps. Maps that depend on the image are means over some of the test images. It returns nil for a
// network without attention.
func Attention(net *model.Network, start [][]geometry.Head, test data.Split) (*viz.Figure, error) {
	const some = 20
	if gaussian, _ := net.Heads(); gaussian != nil {
		o := viz.HeadsOptions{}
		if slices.EqualFunc(gaussian, start, func(a, b []geometry.Head) bool { return len(a) == len(b) }) {
			o.Null, o.Contours = viz.Layers(start), []float64{0.5}
		}
		return viz.Heads(viz.Layers(gaussian), o)
	}
	if !net.Attends() {
		return nil, nil
	}
	l, err := heads.NewReader(net)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var images [][]float32
	if l.ByImage {
		if images, err = test.Inputs(some); err != nil {
			return nil, err
		}
	}
	views, err := Views(l, images, ViewOptions{})
	if err != nil {
		return nil, err
	}
	for i := range views {
		if l.ByImage {
			views[i].Title += fmt.Sprintf(", mean over %d test images", len(images))
		}
	}
	return viz.Maps(views, viz.MapsOptions{})
}
