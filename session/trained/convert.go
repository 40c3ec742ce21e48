package trained

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/attnconv/attnconv/data"
	"github.com/attnconv/attnconv/internal/choice"
	"github.com/attnconv/attnconv/internal/fault"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/convert"
)

// A Conversion is a way to compute the same function by other layers.
type Conversion struct {
	Name, Help string
	convert    func(*model.Network, convert.Options) (*model.Network, []convert.Layer, error)
}

// Entry implements choice.Choice.
func (c Conversion) Entry() (name, help string) { return c.Name, c.Help }

// Conversions lists what layers Model.Convert makes.
var Conversions = choice.List[Conversion]{
	{"attention", "k² heads for a k × k convolution", convert.ToAttention},
	{"convolution", "a convolution for heads in a window with zeros around the image",
		func(n *model.Network, _ convert.Options) (*model.Network, []convert.Layer, error) {
			return convert.ToConvolution(n)
		}},
}

// A ConversionError is the error for a network that has no counterpart.
type ConversionError struct {
	Path string // of the checkpoint
	Err  error  // which layer, and why
}

func (e *ConversionError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }
func (e *ConversionError) Unwrap() error { return e.Err }
func (e *ConversionError) ExitCode() int { return fault.Usage }

// Convert returns the network by other layers, whose name is in Conversions; "" is attention for a network without
// attention, and otherwise convolution. The error is an *option.Error for "to", or a *ConversionError.
func (m *Model) Convert(to string, o convert.Options) (*model.Network, []convert.Layer, error) {
	if to == "" {
		to = "attention"
		if heads, _ := m.Net.Heads(); heads != nil || m.Net.Attends() {
			to = "convolution"
		}
	}
	if err := Conversions.Check("to", to); err != nil {
		return nil, nil, err
	}
	net, layers, err := Conversions.Find(to).convert(m.Net, o)
	if bad := (*convert.LayerError)(nil); errors.As(err, &bad) {
		err = &ConversionError{m.Path, bad}
	}
	return net, layers, err
}

// Difference says how far the logits z of a network are from those of another, y, on the same images.
type Difference struct {
	N        int     `json:"n"`        // number of images
	Relative float64 `json:"relative"` // ‖z - y‖ / ‖y‖ over all images and classes
	Largest  float64 `json:"largest"`  // |z - y| of one logit
	// fraction of images for which both have the same largest logit
	Same float64 `json:"same"`
}

// Differ compares other with the network of m on images.
func (m *Model) Differ(ctx context.Context, other *model.Network, images data.Split) (d Difference, err error) {
	y, err := m.Classify(ctx, images)
	if err != nil {
		return d, err
	}
	changed := *m
	changed.Net = other
	z, err := changed.Classify(ctx, images)
	if err != nil {
		return d, err
	}
	var square, norm float64
	for i, v := range y.Logits {
		e := math.Abs(float64(z.Logits[i]) - float64(v))
		square, norm, d.Largest = square+e*e, norm+float64(v)*float64(v), max(d.Largest, e)
	}
	d.N, d.Relative, d.Same = y.Len(), math.Sqrt(square/norm), z.Agreement(y)
	return d, nil
}
