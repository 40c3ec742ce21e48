package conv

import (
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/option"
)

// A Start is a way to initialize the weights of convolutions.
type Start struct {
	Name, Help string
	change     func(w *nn.Param, groups int) // changes what is drawn of that many groups; nil: no change
}

// Entry implements option.Named.
func (s Start) Entry() (name, help string) { return s.Name, s.Help }

// Starts lists the initial weights of convolutions.
//
// Dirac is the partial identity of Zagoruyko, Komodakis 2017 (arXiv:1706.00388). As in Jordan 2024 (arXiv:2404.00498),
// every convolution of a network except for the first gets it. For a k × k kernel, p = ⌊(k-1)/2⌋,
//
//	W[o, i, u, v] = 1 if o = i and u = v = p, else 0,  for o < min(in, out)
//
// So these channels begin as copies of the input's channels, or of every s-th pixel with stride s. The other filters
// stay as drawn. A depth-wise convolution begins as the identity: each channel is a group, whose one filter has a 1.
var Starts = option.List[Start]{
	{"random", "drawn, as PyTorch's", nil},
	{"dirac", "the first filters repeat the input's channels", identity},
}

// Init changes the weights of c, which New has drawn, to those of the start.
func (s Start) Init(c *Conv) { s.init(c.W, 1) }

// InitDepthwise does so for a depth-wise convolution.
func (s Start) InitDepthwise(d *Depthwise) { s.init(d.W, d.W.Shape[0]) }

func (s Start) init(w *nn.Param, groups int) {
	if s.change != nil && w.Data != nil { // without values there are only shapes
		s.change(w, groups)
	}
}

// identity makes the first filters of each group the identity, as many as the group has inputs.
func identity(w *nn.Param, groups int) {
	out, in, k := w.Shape[0], w.Shape[1], w.Shape[2]
	center := (k - 1) / 2 * (k + 1)
	for o := range out {
		if i := o % (out / groups); i < in {
			clear(w.Data[o*in*k*k:][:in*k*k])
			w.Data[(o*in+i)*k*k+center] = 1
		}
	}
}
