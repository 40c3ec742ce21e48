package weights

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/attnconv/attnconv/analyse/network"
	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/session/trained"
	"github.com/attnconv/attnconv/study/stats"
	"github.com/attnconv/attnconv/train"
)

// layerOptions say how convertLayers converts.
type layerOptions struct {
	convert.Options           // of attention
	Size            int       // taps of nearest convolutions along a side, an odd number
	Set             *data.Set // the images, one of OpenData: nearest convolutions are fitted on them; nil: none
}

// A way computes the same function, or one near to it, by other layers.
type way struct {
	name, help string
	fits       bool // the layers are fitted on images
	convert    func(context.Context, *trained.Model, layerOptions) (*model.Network, []convert.Layer, error)
}

// Entry implements option.Named.
func (w way) Entry() (name, help string) { return w.name, w.help }

// ways lists what layers convertLayers makes.
var ways = option.List[way]{
	{"attention", "k² heads for a k × k convolution", false,
		func(_ context.Context, m *trained.Model, o layerOptions) (*model.Network, []convert.Layer, error) {
			return convert.ToAttention(m.Net, o.Options)
		}},
	{"convolution", "a convolution for heads in a window with zeros around the image", false,
		func(_ context.Context, m *trained.Model, _ layerOptions) (*model.Network, []convert.Layer, error) {
			return convert.ToConvolution(m.Net)
		}},
	{"nearest", "the convolution nearest to any attention, fitted on images", true,
		func(ctx context.Context, m *trained.Model, o layerOptions) (*model.Network, []convert.Layer, error) {
			return nearest(ctx, m, o)
		}},
}

// A conversionError is the error for a network that has no counterpart.
type conversionError struct {
	Path string // of the checkpoint
	Err  error  // which layer, and why
	hint string
}

func (e *conversionError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }
func (e *conversionError) Unwrap() error { return e.Err }
func (e *conversionError) ExitCode() int { return fault.Usage }
func (e *conversionError) Hint() string  { return e.hint }

// wayTo returns the entry of ways called to; "" is attention for a network without attention, and otherwise
// convolution. The error is an *option.Error for "to".
func wayTo(m *trained.Model, to string) (*way, error) {
	if to == "" {
		to = "attention"
		if attends(m) {
			to = "convolution"
		}
	}
	if err := ways.Check("to", to); err != nil {
		return nil, err
	}
	return ways.Find(to), nil
}

// attends reports whether the network has attention, in blocks of tokens or as convolutions of heads.
func attends(m *trained.Model) bool {
	heads, _ := m.Net.Heads()
	return heads != nil || m.Net.Attends()
}

// convertLayers returns the network by other layers and the settings for it: those of m without train.freeze of what
// the network lacks. The error is a *conversionError for a network that has no counterpart.
func convertLayers(
	ctx context.Context, m *trained.Model, to *way, o layerOptions,
) (*trained.Model, []convert.Layer, error) {
	net, layers, err := to.convert(ctx, m, o)
	if bad := (*convert.LayerError)(nil); errors.As(err, &bad) {
		hint, attends := "", attends(m)
		switch {
		case to.name == "convolution" && attends:
			hint = "for the convolution nearest to it, fitted on images: --to nearest"
		case to.name == "attention" && bad.Layer == 0 && attends:
			hint = "for the way back: --to convolution, or --to nearest"
		case to.name != "attention" && !attends:
			hint = "for attention with equal outputs: --to attention"
		}
		err = &conversionError{m.Path, bad, hint}
	}
	if err != nil {
		return nil, nil, err
	}
	converted := *m
	converted.Net, converted.Config.Model = net, net.Spec
	converted.Config.Train.Freeze = slices.DeleteFunc(slices.Clone(m.Config.Train.Freeze), func(item string) bool {
		return net.Spec.CheckFreeze([]string{item}) != nil
	})
	return &converted, layers, nil
}

// nearest fits convolutions on training images. Test images are never read: of a run that held out no images, R² is
// unknown.
func nearest(ctx context.Context, m *trained.Model, o layerOptions) (*model.Network, []convert.Layer, error) {
	switch {
	case o.Size < 1 || o.Size%2 == 0:
		return nil, nil, option.Errorf("size", "%d: want an odd number", o.Size)
	case m.Net.Spec.Blocks() == nil:
		return convert.ToConvolution(m.Net)
	case o.Set == nil:
		return nil, nil, errors.New("the data set is nil: want one of Model.OpenData")
	}
	s, err := m.Measurable(o.Set, network.Usual().Images)
	if err != nil {
		return nil, nil, err
	}
	if s.Split != "val" {
		s.Held = data.Split{}
	}
	return network.Nearest(ctx, s, o.Size)
}

// Difference says how far the logits z of a network are from those of another, y, on the same images.
type Difference struct {
	N        int     `json:"n"`        // number of images
	Relative float64 `json:"relative"` // ‖z - y‖ / ‖y‖ over all images and classes
	Largest  float64 `json:"largest"`  // |z - y| of one logit
	// fraction of images for which both have the same largest logit
	Same float64 `json:"same"`
}

// differ compares other with the network of m on images.
func differ(ctx context.Context, m *trained.Model, other *model.Network, images data.Split) (*Difference, error) {
	y, z, err := classifyBoth(ctx, m, other, images)
	if err != nil {
		return nil, err
	}
	d := &Difference{N: y.Len(), Same: z.Agreement(y)}
	var square, norm float64
	for i, v := range y.Logits {
		e := math.Abs(float64(z.Logits[i]) - float64(v))
		square, norm, d.Largest = square+e*e, norm+float64(v)*float64(v), max(d.Largest, e)
	}
	d.Relative = math.Sqrt(square / norm)
	return d, nil
}

// classifyBoth returns the outputs of the network of m, and those of other.
func classifyBoth(ctx context.Context, m *trained.Model, other *model.Network, images data.Split) (y, z train.Outputs,
	err error) {
	if y, err = m.Classify(ctx, images); err != nil {
		return y, z, err
	}
	changed := *m
	changed.Net = other
	z, err = changed.Classify(ctx, images)
	return y, z, err
}

// AccuracyChange is the accuracy of a network, and of the network that it was converted to.
type AccuracyChange struct {
	Before *network.TestedAccuracy `json:"before"` // of the source
	After  *network.TestedAccuracy `json:"after"`  // of the converted network
}

// compareAccuracy evaluates the network of m and other on the validation images of set; nil for a network that was
// trained on all images but those of the test set.
func compareAccuracy(
	ctx context.Context, m *trained.Model, other *model.Network, set *data.Set,
) (*AccuracyChange, error) {
	_, val, _, err := set.Split(m.Config.Data)
	if err != nil || m.Config.Data.OnTest() {
		return nil, err
	}
	y, z, err := classifyBoth(ctx, m, other, val)
	if err != nil {
		return nil, err
	}
	n := val.Len()
	before, after := stats.NewBits(n, y.Right), stats.NewBits(n, z.Right)
	return &AccuracyChange{network.Tested(before, nil, n), network.Tested(after, before, n)}, nil
}
