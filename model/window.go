package model

import (
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/internal/strict"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
)

// A Window says which keys a query sees: size × size of them, dilation tokens apart, in a window that stride × stride
// queries share; see op.Window. Size 0 is all keys. In YAML and on the command line it is a size, or all of it:
//
//	window: 5
//	window: {size: 8, stride: 4, dilation: 1, offset: 0, border: absent}
type Window struct {
	Size     int    `yaml:"size"`
	Stride   int    `yaml:"stride"`   // 0: 1
	Dilation int    `yaml:"dilation"` // 0: 1
	Offset   int    `yaml:"offset"`   // tokens by which the blocks of queries begin before the grid
	Border   string `yaml:"border"`   // a name in WindowBorders; "": zero
}

// WindowBorders lists what a window has outside of the grid.
var WindowBorders = option.List[option.Item]{
	{Name: "zero", Help: "keys outside exist, with zero channels, as in a zero-padded convolution"},
	{Name: "absent", Help: "keys outside do not exist: the softmax is over fewer keys"},
	{Name: "clamp", Help: "the window moves inside the grid, as in neighborhood attention"},
}

// maxSlots bounds the pairs of a query and a key in its window.
const maxSlots = 1 << 22

var windowFields = strict.FieldsOf(reflect.TypeFor[Window]())

// UnmarshalYAML implements strict.Setter.
func (w *Window) UnmarshalYAML(n *yaml.Node) error {
	*w = Window{}
	if n.Kind == yaml.MappingNode {
		if err := windowFields.Into(w, n, "window"); err != nil {
			return err
		}
		*w = w.plain()
		return nil
	}
	if strict.Set(reflect.ValueOf(&w.Size).Elem(), n) != nil {
		return fmt.Errorf("%s: want %s", strict.QuoteNode(n), w.Wanted())
	}
	return nil
}

// plain is w with the zero values for what they stand for, so that equal windows are equal values.
func (w Window) plain() Window {
	if w.Stride == 1 {
		w.Stride = 0
	}
	if w.Dilation == 1 {
		w.Dilation = 0
	}
	if w.Border == WindowBorders[0].Name {
		w.Border = ""
	}
	return w
}

// Wanted implements strict.Setter.
func (w *Window) Wanted() string {
	return "a size in tokens (0: all), or {size: 5, stride: 1, dilation: 1, offset: 0, border: zero}"
}

// MarshalYAML writes a window of which only the size is said as a number.
func (w Window) MarshalYAML() (any, error) {
	if w.plain() == (Window{Size: w.Size}) {
		return w.Size, nil
	}
	full := w.op()
	return windowFields.Mapping(map[string]any{"size": full.Size, "stride": full.Stride, "dilation": full.Dilation,
		"offset": full.Offset, "border": WindowBorders[full.Border].Name}), nil
}

// String is w as on the command line.
func (w Window) String() string {
	text, err := yaml.Marshal(w)
	if err != nil {
		return err.Error()
	}
	return string(text[:len(text)-1])
}

// op returns the window for the operations; the zero value for all keys.
func (w Window) op() op.Window {
	if w.Size == 0 {
		return op.Window{}
	}
	return op.Window{Size: w.Size, Stride: max(1, w.Stride), Dilation: max(1, w.Dilation), Offset: w.Offset,
		Border: op.Border(max(0, slices.Index(WindowBorders.Names(), w.Border)))}
}

// checkOn returns the rule that w breaks on a grid of tokens.
func (w Window) checkOn(key string, rows, cols int) error {
	o := w.op()
	switch {
	case o.All():
		return nil
	case o.Border == op.ClampBorder && o.Size*o.Dilation > min(rows, cols):
		return option.Errorf(key, "%v: does not fit into %d × %d tokens, where border clamp moves it; want a size times "+
			"dilation of at most %d", w, rows, cols, min(rows, cols))
	case rows*cols > maxSlots/o.Size/o.Size:
		return option.Errorf(key, "%v: %d tokens with %d keys each are too many; want at most %d pairs", w, rows*cols,
			o.Size*o.Size, maxSlots)
	case !o.Fits(rows) || !o.Fits(cols):
		return option.Errorf(key, "%v: on %d × %d tokens some queries see no key", w, rows, cols)
	}
	return nil
}
